//! What became of the changes, as a page: numbers by area, then what no check noticed.
use crate::areas::Area;
use crate::mutants::Mutant;
use crate::run::Fate;
use crate::sites::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Site { line, original, mutated, .. } = &self.site;
        write!(f, "{}:{line} (number {}) `{original}` -> `{mutated}`", self.path, self.id)
    }
}

/// The page.
pub fn report(mutants: &[Mutant], fates: &[Fate], sites: &BTreeMap<Area, usize>) -> String {
    let mut text = String::from(
        "| area | places | tried | caught | stuck | survived | unreached | noticed |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let areas: BTreeSet<Area> = mutants.iter().map(|mutant| mutant.area).collect();
    for &area in &areas {
        let places = sites.get(&area).copied().unwrap_or(0);
        let of_area = mutants.iter().zip(fates).filter(|(mutant, _)| mutant.area == area);
        let counts = Counts::of(of_area.map(|(_, fate)| fate));
        _ = writeln!(text, "| {} | {places} | {}", area.name(), counts.row());
    }
    let places: usize = sites.values().sum();
    _ = writeln!(text, "| all | {places} | {}", Counts::of(fates.iter()).row());
    text.push_str(&by_check(fates));
    text.push('\n');
    for (mutant, fate) in mutants.iter().zip(fates) {
        if matches!(fate, Fate::Survived | Fate::Unreached) {
            _ = writeln!(text, "- {}: {mutant}: {fate}", mutant.area.name());
        }
    }
    text
}

/// Which checks noticed most.
fn by_check(fates: &[Fate]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for fate in fates {
        if let Fate::Caught(name) | Fate::Stuck(name) = fate {
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
    fn of<'a>(fates: impl Iterator<Item = &'a Fate>) -> Counts {
        let mut counts = Counts::default();
        for fate in fates {
            match fate {
                Fate::Caught(_) => counts.caught += 1,
                Fate::Stuck(_) => counts.stuck += 1,
                Fate::Survived => counts.survived += 1,
                Fate::Unreached => counts.unreached += 1,
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
    fn what_ends_in_no_time_counts_as_noticed() {
        let name = || "a test".to_string();
        let fates = [Fate::Caught(name()), Fate::Stuck(name()), Fate::Survived, Fate::Unreached];
        assert_eq!(Counts::of(fates.iter()).row(), "4 | 1 | 1 | 1 | 1 | 50 % |");
        assert!(by_check(&fates).ends_with("| a test | 2 |\n"));
    }
}
