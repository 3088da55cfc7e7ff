//! The report in Markdown: counts by area, then the undetected mutants.
use crate::areas::Area;
use crate::mutants::Mutant;
use crate::run::Outcome;
use crate::sites::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Site { line, original, mutated, .. } = &self.site;
        write!(f, "{}:{line} (number {}) `{original}` -> `{mutated}`", self.path, self.id)
    }
}

/// The report as Markdown.
pub fn report(mutants: &[Mutant], outcomes: &[Outcome], sites: &BTreeMap<Area, usize>) -> String {
    let mut text = String::from(
        "| area | sites | run | caught | stuck | survived | unreached | detected |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let areas: BTreeSet<Area> = mutants.iter().map(|mutant| mutant.area).collect();
    for &area in &areas {
        let places = sites.get(&area).copied().unwrap_or(0);
        let of_area = mutants.iter().zip(outcomes).filter(|(mutant, _)| mutant.area == area);
        let counts = Counts::of(of_area.map(|(_, outcome)| outcome));
        _ = writeln!(text, "| {} | {places} | {}", area.name(), counts.row());
    }
    let places: usize = sites.values().sum();
    _ = writeln!(text, "| all | {places} | {}", Counts::of(outcomes.iter()).row());
    text.push_str(&by_check(outcomes));
    text.push('\n');
    for (mutant, outcome) in mutants.iter().zip(outcomes) {
        if matches!(outcome, Outcome::Survived | Outcome::Unreached) {
            _ = writeln!(text, "- {}: {mutant}: {outcome}", mutant.area.name());
        }
    }
    text
}

/// The checks by number of mutants they detected.
fn by_check(outcomes: &[Outcome]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        if let Outcome::Caught(name) | Outcome::Stuck(name) = outcome {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (usize::MAX - count, name));
    let mut text = String::from("\n| check | caught first |\n|---|---:|\n");
    for (name, count) in counts {
        _ = writeln!(text, "| {name} | {count} |");
    }
    text
}

#[derive(Default)]
struct Counts {
    caught: usize,
    stuck: usize,
    survived: usize,
    unreached: usize,
}

impl Counts {
    fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Counts {
        let mut counts = Counts::default();
        for outcome in outcomes {
            match outcome {
                Outcome::Caught(_) => counts.caught += 1,
                Outcome::Stuck(_) => counts.stuck += 1,
                Outcome::Survived => counts.survived += 1,
                Outcome::Unreached => counts.unreached += 1,
            }
        }
        counts
    }

    fn row(&self) -> String {
        let Counts { caught, stuck, survived, unreached } = self;
        let all = caught + stuck + survived + unreached;
        let share = 100.0 * (caught + stuck) as f64 / all.max(1) as f64;
        format!("{all} | {caught} | {stuck} | {survived} | {unreached} | {share:.0} % |")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_count_as_detected() {
        let name = || "a test".to_string();
        let outcomes = [
            Outcome::Caught(name()),
            Outcome::Stuck(name()),
            Outcome::Survived,
            Outcome::Unreached,
        ];
        assert_eq!(Counts::of(outcomes.iter()).row(), "4 | 1 | 1 | 1 | 1 | 50 % |");
        assert!(by_check(&outcomes).ends_with("| a test | 2 |\n"));
    }
}
