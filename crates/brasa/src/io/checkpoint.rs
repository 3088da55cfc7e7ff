//! Checkpoints: everything needed to resume a run, in one folder each, with checksums. A folder is
//! written under a temporary name and renamed when it is complete, so a crash leaves no partial
//! checkpoint.
use super::atomic::{TEMPORARY, folder_of, sync_folder, temporary_path, write_through};
use super::{FolderLock, Safetensors, file_error, read};
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
/// In the format of `sha256sum --check`.
const CHECKSUMS: &str = "SHA256SUMS";

/// The largest plausible count: exact in every JSON parser, and far from overflow.
const MAX_COUNT: u64 = 1 << 53;

/// Everything needed to resume a run as if it had never stopped.
#[derive(Clone, Default)]
pub struct Checkpoint {
    /// Parameters and buffers, with metadata.
    pub model: Safetensors,
    /// The state of the optimizer.
    pub optimizer: StateDict,
    /// Moving averages of the parameters; empty if there are none.
    pub average: StateDict,
    /// The progress of the run.
    pub progress: Progress,
}

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Number of steps taken.
    pub step: u64,
    /// The current epoch, counted from zero.
    pub epoch: u64,
    /// Number of its batches already used.
    pub batch: u64,
    /// The seed of the random generator.
    pub seed: u64,
    /// Number of draws of the random generator.
    pub draws: u64,
    /// Sum of the losses of this epoch.
    pub loss_sum: f64,
    /// Number of losses in the sum.
    pub loss_steps: u64,
    /// Training time in seconds.
    pub seconds: f64,
    /// The best metric so far, if it was a number, and the number of evaluations since.
    pub best: Option<(Option<f64>, u64)>,
    /// The state of a `ReduceOnPlateau` schedule.
    #[serde(default)]
    pub plateau: Option<PlateauState>,
}

impl Progress {
    /// Checks that the counts are plausible.
    fn check(&self) -> Result<(), String> {
        let Progress { step, epoch, batch, draws, loss_steps, .. } = *self;
        let evaluations =
            [self.best.map(|(_, evaluations)| evaluations), self.plateau.map(|state| state.bad)];
        let [best, plateau] = evaluations.map(Option::unwrap_or_default);
        let counts = [step, epoch, batch, draws, loss_steps, best, plateau];
        match counts.into_iter().find(|&count| count > MAX_COUNT) {
            Some(count) => Err(format!("count {count} exceeds the maximum of {MAX_COUNT}")),
            None => Ok(()),
        }
    }

    /// The state of the random generator.
    pub fn rng(&self) -> RngState {
        RngState { seed: self.seed, draws: self.draws }
    }
}

impl Checkpoint {
    /// Reads a checkpoint and verifies its checksums.
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
                false => Err(file_error(&path, "checksum mismatch: the file is damaged")),
            }
        };
        let tensors = |name: &str| {
            let (path, bytes) = verified(name)?;
            Safetensors::from_bytes(&bytes).map_err(|error| file_error(&path, error))
        };
        let (path, progress) = verified(PROGRESS)?;
        let progress: Progress =
            serde_json::from_slice(&progress).map_err(|error| file_error(&path, error))?;
        progress.check().map_err(|what| file_error(&path, what))?;
        let has_average = sums.lines().any(|line| line.ends_with(AVERAGE));
        Ok(Checkpoint {
            model: tensors(MODEL)?,
            optimizer: tensors(OPTIMIZER)?.tensors,
            average: if has_average { tensors(AVERAGE)?.tensors } else { StateDict::new() },
            progress,
        })
    }

    /// The names and contents of its files.
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

/// Removes a checkpoint atomically: it is renamed first.
fn remove(place: &Path) -> std::io::Result<()> {
    let aside = temporary_path(&place.with_extension("old"));
    fs::rename(place, &aside)?;
    fs::remove_dir_all(aside)
}

/// The prefix of a checkpoint's name while a complete new one takes its place.
const REPLACED: &str = ".replaced-";

/// The name of a checkpoint while another takes its place.
fn replaced_path(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    folder_of(place).join(format!("{REPLACED}{name}"))
}

/// The SHA-256 digest of `bytes` in hexadecimal.
pub fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder name of the best checkpoint.
const BEST: &str = "best";

/// A folder of checkpoints, of which the most recent are kept.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    keep: usize,
    /// Set if the folder is locked for a whole run, not only during writes.
    lock: Option<Arc<FolderLock>>,
}

impl Checkpoints {
    /// The checkpoints in a folder, which is created on the first write. Keeps three by default.
    pub fn new(folder: impl Into<PathBuf>) -> Checkpoints {
        Checkpoints { folder: folder.into(), keep: 3, lock: None }
    }

    /// Locks the folder until [`Checkpoints::unlock`], or until this value and its clones are
    /// dropped. Otherwise it is locked during each write only.
    pub fn lock(&mut self) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(Arc::new(FolderLock::take(&self.folder)?));
        }
        Ok(())
    }

    /// Releases the lock.
    pub fn unlock(&mut self) {
        self.lock = None;
    }

    /// Sets how many checkpoints are kept, at least one.
    pub fn keep(mut self, keep: usize) -> Checkpoints {
        self.keep = keep.max(1);
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Steps and folders of the checkpoints, most recent first.
    pub fn list(&self) -> Vec<(u64, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let step = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let own = name.strip_prefix(REPLACED).unwrap_or(&name);
            Some((own.strip_prefix("step-")?.parse().ok()?, entry.path()))
        };
        let mut found: Vec<(u64, PathBuf)> = entries.filter_map(step).collect();
        // While a checkpoint is being replaced, the new one wins: its name sorts higher.
        found.sort_by(|a, b| b.cmp(a));
        found.dedup_by_key(|(step, _)| *step);
        found
    }

    /// Writes a checkpoint, removes old ones, and returns the new folder.
    ///
    /// Intact checkpoints of later steps belong to a run that this one does not continue: removing
    /// them could lose that run, and keeping them would make the next run resume from them. If
    /// there are any, nothing is written, and the error says what to do. Damaged later checkpoints
    /// are removed.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let _lock = self.acquire_lock()?;
        let step = checkpoint.progress.step;
        self.check_is_last(step)?;
        let place = self.write(&format!("step-{step:08}"), checkpoint)?;
        let (later, own): (Vec<_>, Vec<_>) =
            self.list().into_iter().partition(|(other, _)| *other > step);
        for (_, old) in later.into_iter().chain(own.into_iter().skip(self.keep)) {
            remove(&old).map_err(|error| file_error(&old, error))?;
        }
        Ok(place)
    }

    /// Fails if there are intact checkpoints of later steps.
    pub(crate) fn check_is_last(&self, step: u64) -> Result<()> {
        let is_later =
            |(other, place): &(u64, PathBuf)| *other > step && Checkpoint::read(place).is_ok();
        let Some((later, _)) = self.list().into_iter().find(is_later) else { return Ok(()) };
        let what = format!("contains a checkpoint of step {later}, but this run is at step {step}");
        let help = "resume from it with Trainer::resume, use another folder, or remove it";
        Err(file_error(&self.folder, what).help(help))
    }

    /// Writes the best checkpoint, which is kept in addition to the recent ones. Returns its
    /// folder.
    pub fn save_best(&self, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let _lock = self.acquire_lock()?;
        self.write(BEST, checkpoint)
    }

    /// The lock for a write: without it, two runs would delete each other's temporary files.
    fn acquire_lock(&self) -> Result<Arc<FolderLock>> {
        match &self.lock {
            Some(lock) => Ok(lock.clone()),
            None => FolderLock::take(&self.folder).map(Arc::new),
        }
    }

    /// The best checkpoint, if there is one.
    pub fn load_best(&self) -> Option<Result<Checkpoint>> {
        let place = self.folder.join(BEST);
        let places = [replaced_path(&place), place];
        places.into_iter().rfind(|place| place.exists()).map(Checkpoint::read)
    }

    /// Writes a checkpoint atomically.
    fn write(&self, name: &str, checkpoint: &Checkpoint) -> Result<PathBuf> {
        let place = self.folder.join(name);
        let unfinished = temporary_path(&place);
        let files = checkpoint.files()?;
        let write = || {
            fs::create_dir_all(&self.folder)?;
            self.recover()?;
            fs::create_dir(&unfinished)?;
            for (name, bytes) in &files {
                write_through(&unfinished.join(name), bytes)?;
            }
            sync_folder(&unfinished)?;
            let old = replaced_path(&place);
            if place.exists() {
                fs::rename(&place, &old)?;
            }
            fs::rename(&unfinished, &place)?;
            sync_folder(&self.folder)?;
            if old.exists() { fs::remove_dir_all(old) } else { Ok(()) }
        };
        write().map_err(|error| {
            let _ = self.recover();
            file_error(&place, format!("cannot be written: {error}"))
        })?;
        Ok(place)
    }

    /// The last intact checkpoint, if any, and the errors of damaged later ones.
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

    /// Cleans up after a crash: removes temporary files, and restores a checkpoint whose
    /// replacement was not completed.
    fn recover(&self) -> std::io::Result<()> {
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            match name.strip_prefix(REPLACED).map(|own| self.folder.join(own)) {
                Some(own) if !own.exists() => fs::rename(path, own)?,
                None if !name.starts_with(TEMPORARY) => {}
                _ => fs::remove_dir_all(path)?,
            }
        }
        Ok(())
    }
}
