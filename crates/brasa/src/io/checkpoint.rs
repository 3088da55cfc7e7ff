//! Checkpoints: all that a run needs to go on, in one folder for each, with checksums. A folder is
//! written beside its place and moved there when it is whole, so a crash leaves no half of one.
use super::atomic::{UNFINISHED, folder_of, sync_folder, unfinished, write_through};
use super::{FolderLock, Safetensors, read, wrong};
use crate::nn::StateDict;
use crate::optim::schedule::PlateauState;
use crate::{Error, Result, RngState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MODEL: &str = "model.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const AVERAGE: &str = "average.safetensors";
const PROGRESS: &str = "progress.json";
/// In the form that `sha256sum --check` reads.
const CHECKSUMS: &str = "SHA256SUMS";

/// Numbers that JSON of all kinds can hold, and far from an overflow.
const MOST_COUNT: u64 = 1 << 53;

/// All that a run needs to go on as if it had never stopped.
#[derive(Clone, Default)]
pub struct Checkpoint {
    /// Parameters and buffers, and words about them.
    pub model: Safetensors,
    /// The state of the optimizer.
    pub optimizer: StateDict,
    /// Moving averages of the parameters, where there are any.
    pub average: StateDict,
    /// How far the run has come.
    pub progress: Progress,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// The epoch that is under way, from zero on.
    pub epoch: u64,
    /// Batches of it that were used.
    pub batch: u64,
    /// Seed of the random generator.
    pub seed: u64,
    /// Draws of the random generator.
    pub draws: u64,
    /// Sum of the losses of this epoch.
    pub loss_sum: f64,
    /// Steps of this epoch that the sum is of.
    pub loss_steps: u64,
    /// Seconds of training so far.
    pub seconds: f64,
    /// The best measure so far, if there was a number, and how many looks ago it was.
    pub best: Option<(Option<f64>, u64)>,
    /// Where a rate that falls on plateaus stands.
    #[serde(default)]
    pub plateau: Option<PlateauState>,
}

impl Progress {
    /// Whether a run can go on counting from here.
    fn check(&self) -> Result<(), String> {
        let Progress { step, epoch, batch, draws, loss_steps, .. } = *self;
        let looks = [self.best.map(|(_, looks)| looks), self.plateau.map(|state| state.bad)];
        let [best, plateau] = looks.map(Option::unwrap_or_default);
        let counts = [step, epoch, batch, draws, loss_steps, best, plateau];
        match counts.into_iter().find(|&count| count > MOST_COUNT) {
            Some(count) => Err(format!("counts {count}, and no run comes so far")),
            None => Ok(()),
        }
    }

    /// The random generator as it was.
    pub fn rng(&self) -> RngState {
        RngState { seed: self.seed, draws: self.draws }
    }
}

impl Checkpoint {
    /// Reads a checkpoint and compares its checksums.
    pub fn read(folder: impl AsRef<Path>) -> Result<Checkpoint> {
        let folder = folder.as_ref();
        let sums = read(folder.join(CHECKSUMS))?;
        let sums = String::from_utf8_lossy(&sums);
        let verified = |name: &str| {
            let path = folder.join(name);
            let bytes = read(&path)?;
            let line = format!("{}  {name}", checksum(&bytes));
            match sums.lines().any(|known| known == line) {
                true => Ok((path, bytes)),
                false => Err(wrong(&path, "does not have the checksum it was written with")),
            }
        };
        let tensors = |name: &str| {
            let (path, bytes) = verified(name)?;
            Safetensors::from_bytes(&bytes).map_err(|error| wrong(&path, error))
        };
        let (path, progress) = verified(PROGRESS)?;
        let progress: Progress =
            serde_json::from_slice(&progress).map_err(|error| wrong(&path, error))?;
        progress.check().map_err(|what| wrong(&path, what))?;
        let has_average = sums.lines().any(|line| line.ends_with(AVERAGE));
        Ok(Checkpoint {
            model: tensors(MODEL)?,
            optimizer: tensors(OPTIMIZER)?.tensors,
            average: if has_average { tensors(AVERAGE)?.tensors } else { StateDict::new() },
            progress,
        })
    }

    /// Names and bytes of its files.
    fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let progress = serde_json::to_vec_pretty(&self.progress)
            .map_err(|error| Error::data("checkpoint", error.to_string()))?;
        let optimizer = Safetensors::new(self.optimizer.clone()).to_bytes()?;
        let model = self.model.to_bytes()?;
        let mut files = vec![(MODEL, model), (OPTIMIZER, optimizer), (PROGRESS, progress)];
        if !self.average.is_empty() {
            files.push((AVERAGE, Safetensors::new(self.average.clone()).to_bytes()?));
        }
        let sum = |(name, bytes): &(&str, Vec<u8>)| format!("{}  {name}\n", checksum(bytes));
        let sums: String = files.iter().map(sum).collect();
        files.push((CHECKSUMS, sums.into_bytes()));
        Ok(files)
    }
}

/// Removes a checkpoint so that no half of it keeps its name.
fn remove(place: &Path) -> std::io::Result<()> {
    let aside = unfinished(&place.with_extension("old"));
    fs::rename(place, &aside)?;
    fs::remove_dir_all(aside)
}

/// What the name of a checkpoint begins with from the moment that another is ready to take its place.
const REPLACED: &str = ".replaced-";

/// Where a checkpoint stands while another takes its place.
fn replaced(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    folder_of(place).join(format!("{REPLACED}{name}"))
}

/// The SHA-256 sum of some bytes, as hexadecimal digits.
pub fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder of the best checkpoint among the others.
const BEST: &str = "best";

/// A folder of checkpoints, of which the last few are kept.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    keep: usize,
    /// Held between writes too, where a run asked for that.
    lock: Option<Arc<FolderLock>>,
}

impl Checkpoints {
    /// The checkpoints in a folder, which is made when the first is written. Three are kept.
    pub fn new(folder: impl Into<PathBuf>) -> Checkpoints {
        Checkpoints { folder: folder.into(), keep: 3, lock: None }
    }

    /// Keeps the folder for itself until [`Checkpoints::unlock`], or until it and its clones are
    /// dropped. Otherwise each write does so for as long as it takes.
    pub fn lock(&mut self) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(Arc::new(FolderLock::take(&self.folder)?));
        }
        Ok(())
    }

    /// Lets others write to the folder.
    pub fn unlock(&mut self) {
        self.lock = None;
    }

    /// Sets how many are kept, at least one.
    pub fn keep(mut self, keep: usize) -> Checkpoints {
        self.keep = keep.max(1);
        self
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Steps and folders of the checkpoints, the last one first.
    pub fn list(&self) -> Vec<(u64, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let step = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let own = name.strip_prefix(REPLACED).unwrap_or(&name);
            Some((own.strip_prefix("step-")?.parse().ok()?, entry.path()))
        };
        let mut found: Vec<(u64, PathBuf)> = entries.filter_map(step).collect();
        // Of a new one and the one that it replaces, the new one, whose name is the greater.
        found.sort_by(|a, b| b.cmp(a));
        found.dedup_by_key(|(step, _)| *step);
        found
    }

    /// Writes a checkpoint and removes those that are too old. Gives its folder.
    ///
    /// Whole checkpoints of later steps are of a run that this one does not go on from: to remove them
    /// could lose that run, and to keep them would let the next run go on from there. Where there are
    /// some, nothing is written, and the error tells what to do. Later ones that are damaged are removed.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let _lock = self.locked()?;
        let step = checkpoint.progress.step;
        self.check_is_last(step)?;
        let place = self.write(&format!("step-{step:08}"), checkpoint)?;
        let (later, own): (Vec<_>, Vec<_>) =
            self.list().into_iter().partition(|(other, _)| *other > step);
        for (_, old) in later.into_iter().chain(own.into_iter().skip(self.keep)) {
            remove(&old).map_err(|error| wrong(&old, error))?;
        }
        Ok(place)
    }

    /// Refuses where there are whole checkpoints of steps after this one.
    pub(crate) fn check_is_last(&self, step: u64) -> Result<()> {
        let is_later =
            |(other, place): &(u64, PathBuf)| *other > step && Checkpoint::read(place).is_ok();
        let Some((later, _)) = self.list().into_iter().find(is_later) else { return Ok(()) };
        let what = format!("holds a checkpoint of step {later}, and this run is at step {step}");
        let help = "go on from there by Trainer::resume, choose another folder, or remove it";
        Err(wrong(&self.folder, what).help(help))
    }

    /// Writes a checkpoint as the best so far, which is kept beside the last ones. Gives its folder.
    pub fn save_best(&self, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let _lock = self.locked()?;
        self.write(BEST, checkpoint)
    }

    /// The lock that a write needs: two that clear away each other's unfinished files lose both.
    fn locked(&self) -> Result<Arc<FolderLock>> {
        match &self.lock {
            Some(lock) => Ok(lock.clone()),
            None => FolderLock::take(&self.folder).map(Arc::new),
        }
    }

    /// The best checkpoint, if one was kept.
    pub fn load_best(&self) -> Option<Result<Checkpoint>> {
        let place = self.folder.join(BEST);
        let places = [replaced(&place), place];
        places.into_iter().rfind(|place| place.exists()).map(Checkpoint::read)
    }

    /// Writes a checkpoint whole, or nothing.
    fn write(&self, name: &str, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let place = self.folder.join(name);
        let unfinished = unfinished(&place);
        let files = checkpoint.files()?;
        let write = || {
            fs::create_dir_all(&self.folder)?;
            self.recover()?;
            fs::create_dir(&unfinished)?;
            for (name, bytes) in &files {
                write_through(&unfinished.join(name), bytes)?;
            }
            sync_folder(&unfinished)?;
            let old = replaced(&place);
            if place.exists() {
                fs::rename(&place, &old)?;
            }
            fs::rename(&unfinished, &place)?;
            sync_folder(&self.folder)?;
            if old.exists() { fs::remove_dir_all(old) } else { Ok(()) }
        };
        write().map_err(|error| {
            let _ = self.recover();
            wrong(&place, format!("cannot be written: {error}"))
        })?;
        Ok(place)
    }

    /// The last checkpoint that is whole, if there is any, and why later ones are not.
    pub fn load(&self) -> (Option<Checkpoint>, Vec<Error>) {
        let mut damaged = Vec::new();
        for (_, place) in self.list() {
            match Checkpoint::read(&place) {
                Ok(checkpoint) => return (Some(checkpoint), damaged),
                Err(error) => damaged.push(error),
            }
        }
        (None, damaged)
    }

    /// Clears up what an earlier crash has left: removes what was not finished, and gives a checkpoint
    /// that no other has replaced its name again.
    fn recover(&self) -> std::io::Result<()> {
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            match name.strip_prefix(REPLACED).map(|own| self.folder.join(own)) {
                Some(own) if !own.exists() => fs::rename(path, own)?,
                None if !name.starts_with(UNFINISHED) => {}
                _ => fs::remove_dir_all(path)?,
            }
        }
        Ok(())
    }
}
