//! Runs checks: first without mutants, to record which mutants each check reaches, then with one
//! mutant at a time, until a check fails.
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

/// CPU time that a check may use in addition to three times its usual time.
const EXTRA_TIME: Duration = Duration::from_secs(20);

/// The limit on a check's virtual memory, in kilobytes: a mutant may allocate any amount.
const MAX_MEMORY: &str = "12000000";

/// A program and a way to run it.
pub struct Check {
    pub name: String,
    pub package: String,
    program: Program,
    variant: &'static Variant,
    /// Its CPU time without mutants.
    cpu_time: Duration,
    /// The mutants that it reaches.
    reached: BTreeSet<u32>,
}

/// The outcome of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The check of this name failed.
    Caught(String),
    /// The check of this name did not terminate.
    Stuck(String),
    Survived,
    /// No check reaches it.
    Unreached,
}

/// All checks of the programs that the device supports.
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
                cpu_time: Duration::ZERO,
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

/// Runs the checks without mutants, requires that they pass, and sorts them by time.
pub fn measure(checks: &mut [Check], folder: &Path) -> Result<(), String> {
    let measured = folder.join("measured");
    fs::create_dir_all(&measured).map_err(|error| format!("{}: {error}", measured.display()))?;
    for check in &mut *checks {
        let file = measured.join(check.name.replace(' ', "-"));
        let numbers = match check.cached(&file) {
            Some(numbers) => numbers,
            None => check.measure(folder, &file)?,
        };
        check.cpu_time = Duration::from_millis(numbers[1]);
        check.reached = numbers[2..].iter().map(|&id| id as u32).collect();
        let (seconds, count) = (check.cpu_time.as_secs_f64(), check.reached.len());
        println!("{:<44}{seconds:>7.1} s, reaches {count}", check.name);
    }
    checks.sort_by_key(|check| check.cpu_time);
    Ok(())
}

/// Runs the checks with each mutant; `jobs` mutants concurrently.
pub fn run(
    mutants: &[Mutant],
    checks: &[Check],
    folder: &Path,
    jobs: usize,
) -> Result<Vec<Outcome>, String> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; mutants.len()]);
    let work = |worker: usize| -> Result<(), String> {
        let folder = folder.join(format!("job-{worker}"));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(n) else { return Ok(()) };
            let outcome = outcome(mutant, checks, &folder)?;
            println!("{:>4}/{} {mutant}: {outcome}", n + 1, mutants.len());
            outcomes.lock().unwrap_or_else(|poison| poison.into_inner())[n] = Some(outcome);
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
    let outcomes = outcomes.into_inner().unwrap_or_else(|poison| poison.into_inner());
    Ok(outcomes.into_iter().flatten().collect())
}

fn outcome(mutant: &Mutant, checks: &[Check], folder: &Path) -> Result<Outcome, String> {
    let reaches = |check: &&Check| check.is_for(mutant.area) && check.reached.contains(&mutant.id);
    let mut outcome = Outcome::Unreached;
    for check in checks.iter().filter(reaches) {
        let try_once = || {
            let number = mutant.id.to_string();
            let child = check.start(folder, |command| command.env("BRASA_MUTANT", number))?;
            finish(child, 3 * check.cpu_time + EXTRA_TIME).map(|end| end.success)
        };
        outcome = match try_once()? {
            Some(true) => Outcome::Survived,
            None => return Ok(Outcome::Stuck(check.name.clone())),
            // Retry: the failure may be due to other load on the machine.
            Some(false) if try_once()? == Some(true) => Outcome::Survived,
            Some(false) => return Ok(Outcome::Caught(check.name.clone())),
        };
    }
    Ok(outcome)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Outcome::Caught(check) => write!(f, "caught by {check}"),
            Outcome::Stuck(check) => write!(f, "{check} does not terminate"),
            Outcome::Survived => write!(f, "survived"),
            Outcome::Unreached => write!(f, "unreached"),
        }
    }
}

impl Check {
    /// Checks on an adapter are slow and only used for shaders.
    fn is_for(&self, area: Area) -> bool {
        let has_device = self.variant.device == Device::Cpu || area == Area::Gpu;
        has_device && area.packages().contains(&self.package.as_str())
    }

    /// Runs it without mutants. Returns the build time of its program, its CPU time in
    /// milliseconds, and the numbers of the reached mutants, and caches them in a file.
    fn measure(&self, folder: &Path, file: &Path) -> Result<Vec<u64>, String> {
        let reached = folder.join("reached");
        _ = fs::remove_file(&reached);
        let child = self.start(folder, |command| command.env("BRASA_MUTANTS_REACHED", &reached))?;
        let end = finish(child, Duration::MAX)?;
        if end.success != Some(true) {
            return Err(format!("{} fails without mutants", self.name));
        }
        let text = fs::read_to_string(&reached).unwrap_or_default();
        let ids = text.lines().filter_map(|line| line.parse().ok());
        let numbers: Vec<u64> =
            [self.built(), end.cpu_time.as_millis() as u64].into_iter().chain(ids).collect();
        let lines: String = numbers.iter().map(|number| format!("{number}\n")).collect();
        fs::write(file, lines).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(numbers)
    }

    /// The cached result of `measure` for the same build.
    fn cached(&self, file: &Path) -> Option<Vec<u64>> {
        let text = fs::read_to_string(file).ok()?;
        let numbers: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (numbers.len() >= 2 && numbers[0] == self.built()).then_some(numbers)
    }

    /// The build time of its program, in nanoseconds.
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
        command.args(["-c", "ulimit -v $0; exec \"$@\"", MAX_MEMORY]);
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
