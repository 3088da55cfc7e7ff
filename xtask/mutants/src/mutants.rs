//! Mutants: numbered changes of the code, drawn at random from an area.
use crate::areas::Area;
use crate::sites::{Site, find};
use crate::tree::Tree;

/// A change of the code that can be activated at run time.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub id: u32,
    pub area: Area,
    pub path: String,
    pub site: Site,
}

impl Mutant {
    /// Identifies the change independently of its number, in one line.
    pub fn key(&self) -> String {
        let code = self.site.code.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}:{:?} {code}", self.path, self.site.range)
    }
}

/// All possible mutants of an area, in random order.
pub fn draw(tree: &Tree, area: Area, seed: u64) -> Result<Vec<Mutant>, String> {
    let mut all = Vec::new();
    for path in tree.paths() {
        let Some(scope) = area.scope(path) else { continue };
        let sites = find(&tree.read(path)?, scope).map_err(|error| format!("{path}: {error}"))?;
        let of = |site| Mutant { id: 0, area, path: path.clone(), site };
        all.extend(sites.into_iter().map(of));
    }
    shuffle(&mut all, seed);
    Ok(all)
}

/// The numbers and sites of a file's mutants.
pub fn numbered_sites<'a>(mutants: &'a [Mutant], path: &str) -> Vec<(u32, &'a Site)> {
    let here = mutants.iter().filter(|mutant| mutant.path == path);
    here.map(|mutant| (mutant.id, &mutant.site)).collect()
}

fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for n in (1..items.len()).rev() {
        items.swap(n, (splitmix(&mut state) % (n as u64 + 1)) as usize);
    }
}

/// The SplitMix64 generator.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
