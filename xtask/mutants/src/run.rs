//! Runs checks: first as they are, to learn which changes each reaches, then with one change after the
//! other, until a check fails.
use crate::areas::{Area, Device, VARIANTS, Variant};
use crate::build::Program;
use crate::mutants::Mutant;
use crate::process::finish;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

/// Processor time that a check may take beyond three times its usual one.
const PATIENCE: Duration = Duration::from_secs(20);

/// Kilobytes that a check may ask for: a change may make it ask for anything.
const MOST_MEMORY: &str = "12000000";

/// A program and how it is run.
pub struct Check {
    pub name: String,
    pub package: String,
    program: Program,
    variant: &'static Variant,
    /// How long it works as it is.
    work: Duration,
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
                work: Duration::ZERO,
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
    let watched = folder.join("watched");
    fs::create_dir_all(&watched).map_err(|error| format!("{}: {error}", watched.display()))?;
    for check in &mut *checks {
        let file = watched.join(check.name.replace(' ', "-"));
        let numbers = match check.remembered(&file) {
            Some(numbers) => numbers,
            None => check.watch(folder, &file)?,
        };
        check.work = Duration::from_millis(numbers[1]);
        check.reached = numbers[2..].iter().map(|&id| id as u32).collect();
        let (work, count) = (check.work.as_secs_f64(), check.reached.len());
        println!("{:<44}{work:>7.1} s, reaches {count}", check.name);
    }
    checks.sort_by_key(|check| check.work);
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
            finish(child, 3 * check.work + PATIENCE).map(|end| end.success)
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

    /// Runs it as it is. The numbers are when its program was built, milliseconds of work, and the changes
    /// that it reaches; they are kept in a file.
    fn watch(&self, folder: &Path, file: &Path) -> Result<Vec<u64>, String> {
        let reached = folder.join("reached");
        _ = fs::remove_file(&reached);
        let child = self.start(folder, |command| command.env("BRASA_MUTANTS_REACHED", &reached))?;
        let end = finish(child, Duration::MAX)?;
        if end.success != Some(true) {
            return Err(format!("{} fails without any change", self.name));
        }
        let text = fs::read_to_string(&reached).unwrap_or_default();
        let ids = text.lines().filter_map(|line| line.parse().ok());
        let numbers: Vec<u64> =
            [self.built(), end.work.as_millis() as u64].into_iter().chain(ids).collect();
        let lines: String = numbers.iter().map(|number| format!("{number}\n")).collect();
        fs::write(file, lines).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(numbers)
    }

    /// What was found when the same program was watched before.
    fn remembered(&self, file: &Path) -> Option<Vec<u64>> {
        let text = fs::read_to_string(file).ok()?;
        let numbers: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (numbers.len() >= 2 && numbers[0] == self.built()).then_some(numbers)
    }

    /// When its program was built, in nanoseconds.
    fn built(&self) -> u64 {
        let data = fs::metadata(&self.program.executable).ok();
        let time = data.and_then(|data| data.modified().ok());
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos() as u64)
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
