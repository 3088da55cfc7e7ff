//! Checkpoints and the training loop: checkpoints are complete, resumed runs equal uninterrupted
//! ones, and errors are specific.
use brasa::data::{DataLoader, spiral};
use brasa::io::{Checkpoint, Checkpoints, LOCK_FILE, Safetensors};
use brasa::nn::{BatchNorm1d, Dropout, Linear, Module, Sequential, Tanh};
use brasa::optim::AdamW;
use brasa::optim::schedule::{Goal, ReduceOnPlateau, Schedule};
use brasa::train::{Ended, Event, EventLog, Next, StopFlag, Trainer, read_events};
use brasa::{Tensor, manual_seed, ops};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The random generator is shared by all threads, so only one test runs at a time.
static SERIAL: Mutex<()> = Mutex::new(());

fn serial() -> std::sync::MutexGuard<'static, ()> {
    SERIAL.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkpoints").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A model with dropout and buffers, so that all kinds of state are covered.
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

/// Trains for three epochs of seven steps, in as many runs as there are ends. Returns weights and
/// losses.
fn train_in_runs(name: &str, ends: &[u64]) -> (Vec<u8>, Vec<f64>) {
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
            Ok(Next::Continue)
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
fn a_resumed_run_equals_an_uninterrupted_one() {
    let _serial = serial();
    let want = train_in_runs("whole", &[100]);
    assert_eq!(want.1.len(), 21 + 3);
    // In the middle of an epoch, at its very end, and just after it.
    for (name, ends) in
        [("middle", &[5, 100][..]), ("end", &[7, 14, 100]), ("after", &[8, 20, 100])]
    {
        let got = train_in_runs(name, ends);
        assert_eq!(got.1, want.1, "{name}");
        assert!(got.0 == want.0, "{name}: different weights");
    }
}

fn checkpoint(step: u64) -> Checkpoint {
    let tensors = || [("w".to_string(), Tensor::full([100], step as f64))].into();
    let mut all = Checkpoint { model: Safetensors::new(tensors()), ..Checkpoint::default() };
    (all.optimizer, all.progress.step) = (tensors(), step);
    all
}

#[test]
fn old_checkpoints_are_removed_and_damaged_ones_skipped() {
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
    let left = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name());
    let left = left.filter(|name| name != LOCK_FILE).count();
    assert_eq!(left, 3, "temporary folders are left");

    // Damage one byte of the last weights, and remove a file of the previous checkpoint.
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
fn a_failed_write_leaves_no_files() {
    let folder = folder("blocked");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(&folder, "a file where a folder should be").unwrap();
    let error = Checkpoints::new(&folder).save(&checkpoint(1)).unwrap_err().to_string();
    assert!(error.contains("cannot be written"), "{error}");
    assert_eq!(fs::read_to_string(&folder).unwrap(), "a file where a folder should be");
    fs::remove_file(&folder).unwrap();
}

#[test]
fn a_run_ends_early_without_improvement_or_by_a_callback() {
    let _serial = serial();
    let model = net();
    let falling = [3.0, 2.0, 2.5, 2.1, 1.0, 5.0];
    let run = |values: [f64; 6], goal: Goal, evaluations: Option<u64>, last: u64| {
        let optimizer = AdamW::new(0.01).build(model.parameters());
        let mut trainer = Trainer::new(&model, loss(&model), optimizer);
        let mut values = values.into_iter();
        trainer.epochs(6);
        trainer.measure(move || Ok([("loss".to_string(), values.next().unwrap())].into()));
        if let Some(evaluations) = evaluations {
            trainer.monitor("loss", goal).patience(evaluations);
        }
        trainer.on(move |event| match event {
            Event::Step { step, .. } if *step >= last => Ok(Next::Stop),
            _ => Ok(Next::Continue),
        });
        let outcome = trainer.fit(&mut loader()).unwrap();
        (outcome.ended, outcome.step)
    };
    assert_eq!(run(falling, Goal::Min, Some(1), 1000), (Ended::Early, 28));
    assert_eq!(run(falling, Goal::Min, Some(2), 1000), (Ended::Done, 42));
    assert_eq!(run(falling, Goal::Max, Some(1), 1000), (Ended::Early, 21));
    assert_eq!(run(falling, Goal::Min, None, 9), (Ended::Stopped, 9));
    // NaN and infinities are never better, not even than no value.
    let broken = [f64::NAN, f64::NAN, f64::INFINITY, 1.0, f64::NAN, f64::NEG_INFINITY];
    assert_eq!(run(broken, Goal::Min, Some(1), 1000), (Ended::Early, 14));
    assert_eq!(run(broken, Goal::Min, Some(3), 1000), (Ended::Done, 42));
}

/// Trains for epochs of seven steps with these metrics, and returns the learning rate of each
/// epoch.
fn train_with_metrics(folder: &Path, measures: &[f64]) -> Vec<f64> {
    let (model, rates) = (net(), RefCell::new(Vec::new()));
    let mut loader = loader();
    let mut values = measures.iter().copied();
    let mut trainer =
        Trainer::new(&model, loss(&model), AdamW::new(0.01).build(model.parameters()));
    trainer.measure(move || Ok([("score".to_string(), values.next().unwrap())].into()));
    trainer.monitor("score", Goal::Max).keep_best();
    trainer.reduce_on_plateau(ReduceOnPlateau::new(0.01, 0.5, 0).goal(Goal::Max));
    trainer.checkpoints(Checkpoints::new(folder), 0).ema(0.5);
    let before = trainer.resume(&mut loader).unwrap().0.unwrap_or(0) / 7;
    trainer.epochs(before + measures.len() as u64).on(|event| {
        if let Event::Step { step, lr, .. } = event
            && (step - 1) % 7 == 0
        {
            rates.borrow_mut().push(*lr);
        }
        Ok(Next::Continue)
    });
    trainer.fit(&mut loader).unwrap();
    drop(trainer);
    rates.into_inner()
}

#[test]
fn the_best_checkpoint_and_plateau_state_survive_a_resume() {
    let _serial = serial();
    let folder = folder("judged");
    let nan = f64::NAN;
    assert_eq!(train_with_metrics(&folder, &[nan, 0.5, 0.7]), [0.01, 0.005, 0.005]);
    let best = |folder: &Path| Checkpoints::new(folder).load_best().unwrap().unwrap().progress;
    assert_eq!((best(&folder).step, best(&folder).best), (21, Some((Some(0.7), 0))));
    // The second run continues with the best metric and the rate of the first.
    assert_eq!(
        train_with_metrics(&folder, &[0.6, nan, 0.8, 0.1]),
        [0.005, 0.0025, 0.00125, 0.00125]
    );
    assert_eq!(best(&folder).step, 42);
    let (last, damaged) = Checkpoints::new(&folder).load();
    assert!(damaged.is_empty(), "{damaged:?}");
    let last = last.unwrap();
    assert_eq!((last.progress.step, last.progress.best), (49, Some((Some(0.8), 1))));
    assert_eq!(last.average.len(), 6, "averages are missing");
    assert_ne!(
        last.average["0"].to_vec::<f32>().unwrap(),
        last.model.tensors["0.weight"].to_vec::<f32>().unwrap()
    );
}

#[test]
fn layers_in_evaluation_mode_stay_in_it_during_training() {
    let _serial = serial();
    #[derive(Module)]
    struct Net {
        frozen: BatchNorm1d,
        head: Linear,
        dropout: Dropout,
    }
    let model =
        Net { frozen: BatchNorm1d::new(2), head: Linear::new(2, 3), dropout: Dropout::new(0.1) };
    let loss = |x: &[Tensor]| {
        let h = model.head.forward(&model.frozen.forward(&x[0]));
        ops::cross_entropy(&model.dropout.forward(&h), &x[1])
    };
    let seen = || model.frozen.num_batches_tracked.item::<i64>().unwrap();
    let fit = || {
        let optimizer = AdamW::new(0.01).build(model.parameters());
        let mut trainer = Trainer::new(&model, loss, optimizer);
        trainer.epochs(2).measure(|| Ok([("zero".to_string(), 0.0)].into()));
        trainer.fit(&mut loader()).unwrap();
    };
    model.frozen.eval();
    fit();
    assert_eq!(seen(), 0, "the statistics of the frozen layer have changed");
    // A model whose layers are all in evaluation mode is switched to training as a whole.
    model.eval();
    fit();
    assert_eq!(seen(), 14);
}

#[test]
fn the_op_behind_a_nan_is_named() {
    let _serial = serial();
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

    // The loss is finite, but the gradient of a square root at zero is NaN.
    let line = line!() + 1;
    let root = |x: &[Tensor]| (model.forward(&x[0]) * 0.0).sqrt().sum(..);
    let mut trainer = Trainer::new(&model, root, optimizer());
    trainer.watch_nan();
    let error = trainer.fit(&mut loader()).unwrap_err().to_string();
    assert!(error.contains("at step 2"), "{error}");
    assert!(error.contains(&format!("checkpoints.rs:{line}:")), "{error}");
}

#[test]
fn gradients_are_reported_without_a_viewer_and_steps_with_time_and_memory() {
    let _serial = serial();
    let (norms, memory) = (RefCell::new(Vec::new()), RefCell::new(None));
    let model = Sequential::new().add(Linear::new(2, 8)).add(Tanh).add(Linear::new(8, 3));
    let optimizer = AdamW::new(0.01).build(model.parameters());
    let mut trainer = Trainer::new(&model, loss(&model), optimizer);
    trainer.epochs(u64::MAX >> 16).report_gradients(|| false).on(|event| {
        match event {
            Event::Start { device, .. } => assert_eq!(device, "cpu"),
            Event::Step { took, seconds, memory: weighed, .. } => {
                assert!(*took > 0.0 && took <= seconds, "{took} s of {seconds} s");
                let mut memory = memory.borrow_mut();
                *memory = memory.or(*weighed);
            }
            Event::Gradients { norms: reported, .. } => norms.borrow_mut().clone_from(reported),
            _ => {}
        }
        Ok(if norms.borrow().is_empty() { Next::Continue } else { Next::Stop })
    });
    assert_eq!(trainer.fit(&mut loader()).unwrap().ended, Ended::Stopped);
    drop(trainer);
    let names: Vec<String> = norms.borrow().iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, ["0.weight", "0.bias", "2.weight", "2.bias"]);
    assert!(norms.borrow().iter().all(|(_, norm)| *norm > 0.0));
    assert!(!cfg!(target_os = "linux") || memory.borrow().is_some_and(|bytes| bytes > 1 << 20));
}

#[test]
fn a_checkpoint_folder_is_locked_by_one_run() {
    let _serial = serial();
    let (folder, events_seen) = (folder("locked"), RefCell::new(0));
    let model = Linear::new(2, 3);
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let trainer = || {
        let mut trainer = Trainer::new(&model, loss, AdamW::new(0.01).build(model.parameters()));
        trainer.checkpoints(Checkpoints::new(&folder), 1).steps(3);
        trainer
    };
    let (mut first, mut second) = (trainer(), trainer());
    first.resume(&mut loader()).unwrap();
    second.on(|_| {
        *events_seen.borrow_mut() += 1;
        Ok(Next::Continue)
    });
    let refusals = [
        second.resume(&mut loader()).map(drop),
        second.fit(&mut loader()).map(drop),
        Checkpoints::new(&folder).save(&checkpoint(9)).map(drop),
        Checkpoints::new(&folder).save_best(&checkpoint(9)).map(drop),
    ];
    let (place, whose) = (folder.display().to_string(), format!("process {} ", std::process::id()));
    for refusal in refusals {
        let error = refusal.unwrap_err().to_string();
        let wants = [place.as_str(), &whose, "help: use another folder"];
        assert!(wants.iter().all(|want| error.contains(want)), "{error}");
    }
    // Nothing was written to the log of the first run, and none of its data is lost.
    assert_eq!(*events_seen.borrow(), 0);
    assert_eq!(first.fit(&mut loader()).unwrap().step, 3);
    let steps: Vec<u64> = Checkpoints::new(&folder).list().iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, [3, 2, 1]);
    // The folder is unlocked when the run ends, not when its trainer is dropped.
    assert_eq!(second.resume(&mut loader()).unwrap().0, Some(3));
    drop(second);
    Checkpoints::new(&folder).save(&checkpoint(9)).unwrap();
}

#[test]
fn a_truncated_log_yields_its_effective_events() {
    let path = folder("cut").join("events.jsonl");
    let step = |step: u64, loss: f64| {
        let (epoch, lr, examples, seconds, took, memory) = (1, 0.1, 8, step as f64, 0.5, None);
        Event::Step { step, epoch, loss, lr, examples, seconds, took, memory }
    };
    let start = |step: u64| Event::Start {
        step,
        steps: 9,
        steps_per_epoch: 9,
        parameters: 6,
        device: "cpu".into(),
    };
    let saved = |step: u64| Event::Checkpoint { step, path: "somewhere".into() };
    let add = |events: &[Event]| {
        let mut log = EventLog::append(&path).unwrap();
        events.iter().for_each(|event| log.add(event).unwrap());
    };
    let cut = |bytes: u64| {
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(file.metadata().unwrap().len() - bytes).unwrap();
    };
    // Killed in the middle of a line, after the checkpoint of step 2.
    add(&[start(0), step(1, 1.0), step(2, 0.9), saved(2), step(3, 0.8), step(4, 0.7)]);
    cut(7);
    // Step 3 is taken again. Only the line break is missing this time; steps 5 and 6, which are in
    // a checkpoint, were lost before they were written.
    add(&[start(2), step(3, 0.5), step(4, 0.4)]);
    cut(1);
    add(&[start(6), step(7, 0.3)]);
    // The start of the next run was lost too.
    add(&[step(7, 0.2), step(8, f64::NAN)]);
    let (events, left_out) = read_events(&path).unwrap();
    let want =
        [start(0), step(1, 1.0), step(2, 0.9), saved(2), start(2), step(3, 0.5), step(4, 0.4)];
    let (same, rest) = events.split_at(want.len());
    assert_eq!(same, want);
    assert_eq!(rest[..2], [start(6), step(7, 0.2)]);
    let is_nan = matches!(rest[2], Event::Step { step: 8, loss, .. } if loss.is_nan());
    assert!(is_nan && rest.len() == 3, "{rest:?}");
    // One truncated line, and the first lines of steps 3 and 7.
    assert_eq!(left_out, 3);
    // Other lines, of a later version or invalid.
    let mut text = fs::read(&path).unwrap();
    text.extend(b"\xff\xfe\n\n[1]\nnull\n{\"event\":\"new\",\"step\":1}\n{\"time\":0,\"eve");
    fs::write(&path, text).unwrap();
    let (again, left_out) = read_events(&path).unwrap();
    assert_eq!((again.len(), left_out), (events.len(), 3 + 6));
}

#[test]
fn events_are_lines_of_json() {
    let path = folder("events").join("events.jsonl");
    let mut log = EventLog::append(&path).unwrap();
    let (loss, lr, memory) = (0.5, 0.1, None);
    let step =
        Event::Step { step: 3, epoch: 1, loss, lr, examples: 8, seconds: 2.0, took: 0.01, memory };
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

/// The weight that identifies a checkpoint.
fn weight(checkpoint: &Checkpoint) -> f32 {
    checkpoint.model.tensors["w"].to_vec::<f32>().unwrap()[0]
}

/// A checkpoint with a weight that differs from its step.
fn other(step: u64, weight: f32) -> Checkpoint {
    let mut all = checkpoint(step);
    all.model.tensors.insert("w".into(), Tensor::full([100], weight));
    all
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn saving_an_earlier_step_never_removes_intact_checkpoints() {
    let folder = folder("later");
    let checkpoints = Checkpoints::new(&folder).keep(2);
    for step in [80, 90, 100] {
        checkpoints.save(&checkpoint(step)).unwrap();
    }
    let error = checkpoints.save(&checkpoint(5)).unwrap_err().to_string();
    for part in [&*folder.display().to_string(), "step 100", "step 5", "resume", "another folder"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    let steps = || checkpoints.list().iter().map(|(step, _)| *step).collect::<Vec<u64>>();
    assert_eq!(steps(), [100, 90], "a checkpoint is lost");
    // Damaged later checkpoints are ignored.
    for (_, place) in checkpoints.list() {
        fs::write(place.join("progress.json"), "{").unwrap();
    }
    let place = checkpoints.save(&checkpoint(5)).unwrap();
    assert_eq!(Checkpoint::read(place).unwrap().progress.step, 5);
    assert_eq!(steps(), [5]);
    let one = Checkpoints::new(&folder).keep(1);
    one.save(&checkpoint(6)).unwrap();
    assert_eq!(steps(), [6]);
}

#[test]
fn a_new_run_rejects_a_folder_with_checkpoints() {
    let _serial = serial();
    let folder = folder("new");
    let model = Linear::new(2, 3);
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let trainer = |steps: u64| {
        let mut trainer = Trainer::new(&model, loss, AdamW::new(0.01).build(model.parameters()));
        trainer.checkpoints(Checkpoints::new(&folder), 1).steps(steps);
        trainer
    };
    let mut first = trainer(5);
    first.fit(&mut loader()).unwrap();
    // The same trainer may continue.
    first.steps(6).fit(&mut loader()).unwrap();
    drop(first);
    let before = model.weight.to_vec::<f32>().unwrap();
    let error = trainer(3).fit(&mut loader()).map(drop).unwrap_err().to_string();
    assert!(error.contains("step 6") && error.contains("resume"), "{error}");
    assert_eq!(model.weight.to_vec::<f32>().unwrap(), before, "a step was taken");
    let mut next = trainer(8);
    assert_eq!(next.resume(&mut loader()).unwrap().0, Some(6));
    assert_eq!(next.fit(&mut loader()).unwrap().step, 8);
    assert_eq!(Checkpoints::new(&folder).list()[0].0, 8);
}

/// A folder's name, the folder it is a copy of, and whether it is complete.
type Folder<'a> = (&'a str, &'a Path, bool);

/// Tests every state in which a kill can leave the folder while a checkpoint is replaced.
#[test]
fn replacing_a_checkpoint_is_atomic() {
    for name in ["best", "step-00000007"] {
        let folder = folder(&format!("replaced-{name}"));
        let checkpoints = Checkpoints::new(&folder);
        let save = |weight: f32| match name {
            "best" => checkpoints.save_best(&other(7, weight)).unwrap(),
            _ => checkpoints.save(&other(7, weight)).unwrap(),
        };
        let found = || match name {
            "best" => weight(&checkpoints.load_best().unwrap().unwrap()),
            _ => weight(&checkpoints.load().0.unwrap()),
        };
        let [old, new] =
            ["old", "new"].map(|kind| self::folder(&format!("replaced-{name}-{kind}")));
        fs::rename(save(1.0), &old).unwrap();
        fs::rename(save(2.0), &new).unwrap();
        let unfinished = format!(".unfinished-1-{name}");
        let aside = format!(".replaced-{name}");
        // The folders and whether each is complete, after each change; the weight that is found.
        let moments: [(&[Folder], f32); 6] = [
            (&[(name, &old, true)], 1.0),
            (&[(name, &old, true), (&unfinished, &new, false)], 1.0),
            (&[(name, &old, true), (&unfinished, &new, true)], 1.0),
            (&[(&aside, &old, true), (&unfinished, &new, true)], 1.0),
            (&[(&aside, &old, true), (name, &new, true)], 2.0),
            (&[(&aside, &old, false), (name, &new, true)], 2.0),
        ];
        for (n, (moment, want)) in moments.into_iter().enumerate() {
            let _ = fs::remove_dir_all(&folder);
            for (place, from, is_whole) in moment {
                copy(from, &folder.join(place));
                if !is_whole {
                    fs::remove_file(folder.join(place).join("model.safetensors")).unwrap();
                }
            }
            assert_eq!(found(), want, "{name}, moment {n}");
            // The next write of another checkpoint cleans up and loses nothing.
            match name {
                "best" => checkpoints.save(&checkpoint(9)).unwrap(),
                _ => checkpoints.save_best(&checkpoint(9)).unwrap(),
            };
            assert_eq!(found(), want, "{name}, moment {n}, after another");
            save(3.0);
            assert_eq!(found(), 3.0, "{name}, moment {n}, replaced again");
            let left = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name());
            let left = left.filter(|name| name.to_string_lossy().starts_with('.'));
            assert_eq!(left.collect::<Vec<_>>(), [LOCK_FILE], "{name}, moment {n}");
        }
    }
}
