//! Checkpoints and the training loop: what is written is whole, runs go on as if they had never
//! stopped, and what goes wrong is named.
use brasa::data::{DataLoader, spiral};
use brasa::io::{Checkpoint, Checkpoints, Safetensors};
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Sequential, Tanh};
use brasa::optim::{AdamW, schedule::Schedule};
use brasa::train::{Ended, Event, EventLog, Next, StopFlag, Trainer};
use brasa::{Tensor, manual_seed, ops};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The random generator belongs to all threads: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkpoints").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Has draws and buffers, so that all kinds of state matter.
fn net() -> Sequential {
    let net = Sequential::new().add(Linear::new(2, 16)).add(BatchNorm1d::new(16)).add(Tanh);
    net.add(Dropout::new(0.2)).add(Linear::new(16, 3))
}

fn loss(model: &Sequential) -> impl Fn(&[Tensor]) -> Tensor {
    move |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1])
}

fn loader() -> DataLoader {
    DataLoader::new(spiral(100, 3, 1).unwrap(), 16).shuffle(5).prefetch(1)
}

/// Trains for three epochs of seven steps, in as many pieces as there are ends. Gives weights and
/// losses.
fn trained(name: &str, ends: &[u64]) -> (Vec<u8>, Vec<f64>) {
    let (folder, losses) = (folder(name), RefCell::new(Vec::new()));
    let mut weights = Vec::new();
    for &end in ends {
        manual_seed(3);
        let model = net();
        let stop = StopFlag::default();
        let mut loader = loader();
        let optimizer = AdamW::new(0.01).build(model.parameters());
        let mut trainer = Trainer::new(&model, loss(&model), optimizer);
        trainer.epochs(3).schedule(Schedule::cosine(0.01, 0.0, 21)).stop_by(&stop);
        trainer.checkpoints(Checkpoints::new(&folder).keep(2), 4);
        trainer.measure(|| Ok([("zero".to_string(), 0.0)].into()));
        let flag = stop.clone();
        let (seen, noted) = (&losses, RefCell::new(0));
        trainer.on(move |event| {
            if let Event::Step { step, loss, .. } = event {
                seen.borrow_mut().push(*loss);
                if *step == end {
                    flag.stop();
                }
            }
            if let Event::Epoch { loss, .. } = event {
                seen.borrow_mut().push(*loss);
            }
            *noted.borrow_mut() += 1;
            Ok(Next::GoOn)
        });
        trainer.resume(&mut loader).unwrap();
        let outcome = trainer.fit(&mut loader).unwrap();
        let is_last = end >= 21;
        assert_eq!(outcome.ended, if is_last { Ended::Done } else { Ended::Interrupted });
        assert_eq!((outcome.step, outcome.epochs), if is_last { (21, 3) } else { (end, end / 7) });
        drop(trainer);
        weights = Safetensors::new(model.state_dict()).to_bytes().unwrap();
    }
    (weights, losses.into_inner())
}

#[test]
fn a_run_in_pieces_equals_one_that_was_never_stopped() {
    let _alone = alone();
    let want = trained("whole", &[100]);
    assert_eq!(want.1.len(), 21 + 3);
    // In the middle of an epoch, at its very end, and just after it.
    for (name, ends) in
        [("middle", &[5, 100][..]), ("end", &[7, 14, 100]), ("after", &[8, 20, 100])]
    {
        let got = trained(name, ends);
        assert_eq!(got.1, want.1, "{name}");
        assert!(got.0 == want.0, "{name}: other weights");
    }
}

fn checkpoint(step: u64) -> Checkpoint {
    let tensors = || [("w".to_string(), Tensor::full([100], step as f64))].into();
    let mut all = Checkpoint { model: Safetensors::new(tensors()), ..Checkpoint::default() };
    (all.optimizer, all.progress.step) = (tensors(), step);
    all
}

#[test]
fn old_checkpoints_go_and_damaged_ones_are_passed_over() {
    let folder = folder("rotated");
    let checkpoints = Checkpoints::new(&folder).keep(3);
    assert!(checkpoints.load().0.is_none());
    fs::create_dir_all(folder.join(".unfinished-1-step-00000009")).unwrap();
    for step in [10, 20, 30, 40, 50] {
        let place = checkpoints.save(&checkpoint(step)).unwrap();
        assert_eq!(Checkpoint::read(&place).unwrap().progress.step, step);
    }
    let names: Vec<String> = checkpoints
        .list()
        .iter()
        .map(|(_, path)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["step-00000050", "step-00000040", "step-00000030"]);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing unfinished is left");

    // One byte of the weights of the last, a file of the one before.
    let weights = folder.join("step-00000050/model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    fs::remove_file(folder.join("step-00000040/optimizer.safetensors")).unwrap();
    let (found, damaged) = checkpoints.load();
    assert_eq!(found.unwrap().progress.step, 30);
    let damaged: Vec<String> = damaged.iter().map(ToString::to_string).collect();
    assert!(damaged[0].contains("step-00000050") && damaged[0].contains("checksum"), "{damaged:?}");
    assert!(damaged[1].contains("optimizer.safetensors"), "{damaged:?}");

    // Writing a step again replaces it.
    checkpoints.save(&checkpoint(50)).unwrap();
    assert_eq!(checkpoints.load().0.unwrap().progress.step, 50);
}

#[test]
fn a_checkpoint_that_cannot_be_written_leaves_nothing() {
    let folder = folder("blocked");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(&folder, "a file where a folder should be").unwrap();
    let error = Checkpoints::new(&folder).save(&checkpoint(1)).unwrap_err().to_string();
    assert!(error.contains("cannot be written"), "{error}");
    assert_eq!(fs::read_to_string(&folder).unwrap(), "a file where a folder should be");
    fs::remove_file(&folder).unwrap();
}

#[test]
fn a_run_ends_when_it_gets_no_better_or_somebody_says_so() {
    let _alone = alone();
    let model = net();
    let run = |looks: Option<u64>, last: u64| {
        let optimizer = AdamW::new(0.01).build(model.parameters());
        let mut trainer = Trainer::new(&model, loss(&model), optimizer);
        let mut values = [3.0, 2.0, 2.5, 2.1, 1.0, 5.0].into_iter();
        trainer.epochs(6);
        trainer.measure(move || Ok([("loss".to_string(), values.next().unwrap())].into()));
        if let Some(looks) = looks {
            trainer.patience("loss", looks);
        }
        trainer.on(move |event| match event {
            Event::Step { step, .. } if *step >= last => Ok(Next::Stop),
            _ => Ok(Next::GoOn),
        });
        let outcome = trainer.fit(&mut loader()).unwrap();
        (outcome.ended, outcome.step)
    };
    assert_eq!(run(Some(1), 1000), (Ended::Early, 28));
    assert_eq!(run(Some(2), 1000), (Ended::Done, 42));
    assert_eq!(run(None, 9), (Ended::Stopped, 9));
}

#[test]
fn the_op_behind_a_nan_is_named() {
    let _alone = alone();
    let model = Linear::new(2, 1);
    let line = line!() + 1;
    let bad = |x: &[Tensor]| (model.forward(&x[0]) - 100.0).log().mean(..);
    let optimizer = || AdamW::new(0.01).build(model.parameters());
    let mut trainer = Trainer::new(&model, bad, optimizer());
    trainer.watch_nan();
    let error = trainer.fit(&mut loader()).unwrap_err().to_string();
    let place = format!("checkpoints.rs:{line}:");
    for part in ["the loss is NaN at step 1", "first produced by log", &place] {
        assert!(error.contains(part), "{part} in {error}");
    }

    // The loss is still a number when the gradient of a root at zero is none.
    let line = line!() + 1;
    let root = |x: &[Tensor]| (model.forward(&x[0]) * 0.0).sqrt().sum(..);
    let mut trainer = Trainer::new(&model, root, optimizer());
    trainer.watch_nan();
    let error = trainer.fit(&mut loader()).unwrap_err().to_string();
    assert!(error.contains("at step 2"), "{error}");
    assert!(error.contains(&format!("checkpoints.rs:{line}:")), "{error}");
}

#[test]
fn events_are_lines_of_json() {
    let path = folder("events").join("events.jsonl");
    let mut log = EventLog::append(&path).unwrap();
    let step = Event::Step { step: 3, epoch: 1, loss: 0.5, lr: 0.1, examples: 8, seconds: 2.0 };
    log.add(&step).unwrap();
    log.add(&Event::End { ended: Ended::Done, step: 3, seconds: 2.0 }).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["event"], &lines[0]["loss"]), (&"step".into(), &0.5.into()));
    assert_eq!((&lines[1]["event"], &lines[1]["ended"]), (&"end".into(), &"done".into()));
    assert!(lines[0]["time"].as_f64().unwrap() > 1.7e9);
}
