//! Runs checks: first as they are, to learn which changes each reaches, then with one change after the
//! other, until a check fails.
use crate::areas::{Area, Device, VARIANTS, Variant};
use crate::build::Program;
use crate::mutants::Mutant;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a check may take beyond three times its usual time, so that other work does no harm.
const PATIENCE: Duration = Duration::from_secs(40);

/// Kilobytes that a check may ask for: a change may make it ask for anything.
const MOST_MEMORY: &str = "12000000";

/// A program and how it is run.
pub struct Check {
    pub name: String,
    pub package: String,
    program: Program,
    variant: &'static Variant,
    /// How long it takes as it is.
    pub time: Duration,
    /// The changes that it reaches.
    reached: BTreeSet<u32>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By the check of this name, which failed.
    Caught(String),
    /// The check of this name did not end.
    Stuck(String),
    Survived,
    /// No check comes to it.
    Unreached,
}

/// Those checks of the programs that the devices can run.
pub fn checks(programs: &[Program], device: Device) -> Vec<Check> {
    let mut checks = Vec::new();
    for program in programs {
        for variant in VARIANTS.iter().filter(|variant| variant.is_for(program, device)) {
            let name = [&program.package, &program.target, variant.name].map(str::to_string);
            let name = name.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
            checks.push(Check {
                name: name.join(" "),
                package: program.package.clone(),
                program: program.clone(),
                variant,
                time: Duration::ZERO,
                reached: BTreeSet::new(),
            });
        }
    }
    checks
}

impl Variant {
    fn is_for(&self, program: &Program, device: Device) -> bool {
        let is_package = self.package.is_empty() || self.package == program.package;
        is_package
            && self.is_test == program.is_test
            && (self.device == Device::Cpu || device == Device::Gpu)
    }
}

/// Runs the checks as they are, which have to pass, and puts the fast ones first.
pub fn watch(checks: &mut [Check], folder: &Path) -> Result<(), String> {
    for check in &mut *checks {
        let file = folder.join("reached");
        _ = fs::remove_file(&file);
        let start = Instant::now();
        let mut child =
            check.start(folder, |command| command.env("BRASA_MUTANTS_REACHED", &file))?;
        let status = child.wait().map_err(|error| format!("{}: {error}", check.name))?;
        if !status.success() {
            return Err(format!("{} fails without any change", check.name));
        }
        check.time = start.elapsed();
        let text = fs::read_to_string(&file).unwrap_or_default();
        check.reached = text.lines().filter_map(|line| line.parse().ok()).collect();
        let (time, count) = (check.time.as_secs_f64(), check.reached.len());
        println!("{:<44}{time:>7.1} s, reaches {count}", check.name);
    }
    checks.sort_by_key(|check| check.time);
    Ok(())
}

/// Runs the checks with each change; some at the same time.
pub fn run(
    mutants: &[Mutant],
    checks: &[Check],
    folder: &Path,
    jobs: usize,
) -> Result<Vec<Fate>, String> {
    let next = AtomicUsize::new(0);
    let fates: Mutex<Vec<Option<Fate>>> = Mutex::new(vec![None; mutants.len()]);
    let work = |worker: usize| -> Result<(), String> {
        let folder = folder.join(format!("job-{worker}"));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(n) else { return Ok(()) };
            let fate = fate(mutant, checks, &folder)?;
            println!("{:>4}/{} {mutant}: {fate}", n + 1, mutants.len());
            fates.lock().unwrap_or_else(|poison| poison.into_inner())[n] = Some(fate);
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |worker| scope.spawn(move || work(worker));
        let workers: Vec<_> = (0..jobs).map(spawn).collect();
        let join = |worker: std::thread::ScopedJoinHandle<_>| {
            worker.join().unwrap_or(Err("a worker panicked".to_string()))
        };
        workers.into_iter().map(join).collect::<Result<Vec<()>, String>>()
    })?;
    let fates = fates.into_inner().unwrap_or_else(|poison| poison.into_inner());
    Ok(fates.into_iter().flatten().collect())
}

fn fate(mutant: &Mutant, checks: &[Check], folder: &Path) -> Result<Fate, String> {
    let reaches = |check: &&Check| check.is_for(mutant.area) && check.reached.contains(&mutant.id);
    let mut fate = Fate::Unreached;
    for check in checks.iter().filter(reaches) {
        let try_once = || {
            let number = mutant.id.to_string();
            let child = check.start(folder, |command| command.env("BRASA_MUTANT", number))?;
            finish(child, 3 * check.time + PATIENCE)
        };
        fate = match try_once()? {
            Some(true) => Fate::Survived,
            None => return Ok(Fate::Stuck(check.name.clone())),
            // Once more: other work may have been in the way.
            Some(false) if try_once()? == Some(true) => Fate::Survived,
            Some(false) => return Ok(Fate::Caught(check.name.clone())),
        };
    }
    Ok(fate)
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fate::Caught(check) => write!(f, "caught by {check}"),
            Fate::Stuck(check) => write!(f, "{check} does not end"),
            Fate::Survived => write!(f, "survived"),
            Fate::Unreached => write!(f, "unreached"),
        }
    }
}

impl Check {
    /// An adapter is slow: it is for shaders alone.
    fn is_for(&self, area: Area) -> bool {
        let has_device = self.variant.device == Device::Cpu || area == Area::Gpu;
        has_device && area.packages().contains(&self.package.as_str())
    }

    fn start(
        &self,
        folder: &Path,
        set: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Child, String> {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v $0; exec \"$@\"", MOST_MEMORY]);
        command.arg(&self.program.executable).args(self.variant.arguments);
        if !self.program.is_test {
            let out: PathBuf = folder.join("graphs");
            command.args(["--stop", "--workers=1", "--out"]).arg(out);
        }
        command.envs(self.variant.variable).current_dir(&self.program.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        set(&mut command).spawn().map_err(|error| format!("{}: {error}", self.name))
    }
}

/// Whether a process succeeds; nothing if it takes too long, and is ended.
fn finish(mut child: Child, limit: Duration) -> Result<Option<bool>, String> {
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(Some(status.success())),
            None if start.elapsed() > limit => {
                child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
                return Ok(None);
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}
