//! Mutation testing: inserts small faults (mutants) into a copy of the code, all in one build,
//! activates one at a time and counts those that the tests and the fuzzer detect. `cargo x mutants`
//! runs this.
mod areas;
mod build;
mod instrument;
mod mutants;
mod process;
mod report;
mod run;
mod sites;
mod tree;

use areas::{Area, Device};
use clap::{Parser, ValueEnum};
use mutants::Mutant;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tree::Tree;

#[derive(Parser)]
#[command(name = "brasa-mutants")]
struct Settings {
    /// Areas of the code to mutate; all areas by default
    #[arg(long, value_enum, num_args = 1..)]
    area: Vec<Area>,
    /// Number of mutants to run per area
    #[arg(long, default_value_t = 50)]
    sample: usize,
    /// Seed of the random sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only run these mutants, by the numbers that a run with the same settings printed
    #[arg(long, num_args = 1..)]
    number: Vec<u32>,
    /// The device for checks; `gpu` also runs those that need an adapter
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
    /// Number of mutants to run concurrently
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The root of the project
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// Additional mutants to draw per ten, to replace those that do not compile.
const RESERVE: usize = 3;

fn main() -> ExitCode {
    match run_all(&Settings::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run_all(settings: &Settings) -> Result<(), String> {
    let root = settings.root.canonicalize().map_err(|error| error.to_string())?;
    let folder = root.join("target/mutants");
    let tree = Tree::new(&root, folder.join("tree"))?;
    let areas = if settings.area.is_empty() { Area::value_variants() } else { &settings.area };
    let mut sites = BTreeMap::new();
    let mut mutants: Vec<Mutant> = Vec::new();
    for &area in areas {
        let all = mutants::draw(&tree, area, settings.seed)?;
        sites.insert(area, all.len());
        mutants.extend(all.into_iter().take(settings.sample + settings.sample * RESERVE / 10));
    }
    (1..).zip(&mut mutants).for_each(|(id, mutant)| mutant.id = id);
    let programs = build::build(&tree, &mut mutants, &folder)?;
    let mutants = settings.choose(mutants);
    let mut checks = run::checks(&programs, settings.device);
    run::measure(&mut checks, &folder)?;
    let outcomes = run::run(&mutants, &checks, &folder, settings.jobs.max(1))?;
    let page = report::report(&mutants, &outcomes, &sites);
    println!("\n{page}");
    save(&folder.join("report.md"), &page)
}

fn save(path: &Path, page: &str) -> Result<(), String> {
    std::fs::write(path, page).map_err(|error| format!("{}: {error}", path.display()))
}

impl Settings {
    /// The requested number of mutants per area, without the reserve.
    fn choose(&self, mutants: Vec<Mutant>) -> Vec<Mutant> {
        let mut counts: BTreeMap<Area, usize> = BTreeMap::new();
        let mut is_wanted = |mutant: &Mutant| {
            let count = counts.entry(mutant.area).or_default();
            *count += 1;
            *count <= self.sample && (self.number.is_empty() || self.number.contains(&mutant.id))
        };
        mutants.into_iter().filter(|mutant| is_wanted(mutant)).collect()
    }
}
