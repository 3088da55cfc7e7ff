//! Data: orders, positions, prefetching, and generated data sets.
use brasa::data::*;
use brasa::io::read;
use brasa::{DType, Tensor};
use std::sync::Arc;

fn numbers(len: usize) -> TensorDataset {
    TensorDataset::new([Tensor::from_vec((0..len as i64).collect(), len)]).unwrap()
}

/// The numbers in each remaining batch of an epoch.
fn rest(loader: &mut DataLoader) -> Vec<Vec<i64>> {
    loader.epoch().map(|batch| batch.unwrap()[0].to_vec().unwrap()).collect()
}

#[test]
fn an_epoch_shows_every_example_once_in_a_new_order() {
    let mut loader = DataLoader::new(numbers(10), 3).shuffle(7);
    assert_eq!((loader.batches(), loader.examples()), (4, 10));
    let (first, second) = (rest(&mut loader), rest(&mut loader));
    assert_ne!(first, second);
    for epoch in [&first, &second] {
        assert_eq!(epoch.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3, 1]);
        let mut all = epoch.concat();
        all.sort();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
    }
    assert_eq!(rest(&mut DataLoader::new(numbers(10), 3).shuffle(7)), first);
    assert_ne!(rest(&mut DataLoader::new(numbers(10), 3).shuffle(8)), first);
    let mut plain = DataLoader::new(numbers(10), 4).drop_last();
    assert_eq!((plain.batches(), plain.examples()), (2, 8));
    assert_eq!(rest(&mut plain), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
}

#[test]
fn a_loader_resumes_from_its_cursor() {
    let make = |ahead| {
        let noisy = |mut batch: Batch, rng: &mut Rng| {
            batch[0] = &batch[0] + rng.below(1000) as i64 * 100;
            Ok(batch)
        };
        DataLoader::new(numbers(10), 3).shuffle(7).map(noisy).prefetch(ahead)
    };
    let mut whole = make(0);
    let want = [rest(&mut whole), rest(&mut whole)].concat();
    for ahead in [0, 1, 5] {
        for stop in 0..want.len() {
            let mut first = make(ahead);
            let mut got: Vec<Vec<i64>> = Vec::new();
            while got.len() < stop {
                let left = stop - got.len();
                let batches = first.epoch().take(left);
                got.extend(batches.map(|batch| batch.unwrap()[0].to_vec::<i64>().unwrap()));
            }
            let mut second = make(ahead);
            second.seek(first.cursor());
            while got.len() < want.len() {
                got.extend(rest(&mut second));
            }
            assert_eq!(got[..want.len()], want, "{ahead} ahead, stopped after {stop}");
        }
    }
}

#[test]
fn dropping_an_epoch_ends_its_prefetch_thread() {
    struct Counted {
        _held: Arc<()>,
    }
    impl Dataset for Counted {
        fn len(&self) -> usize {
            1000
        }
        fn batch(&self, rows: &[usize]) -> brasa::Result<Batch> {
            Ok(vec![Tensor::zeros([rows.len()])])
        }
    }
    let count = Arc::new(());
    let mut loader = DataLoader::new(Counted { _held: count.clone() }, 1).prefetch(3);
    assert!(loader.epoch().next().is_some());
    assert_eq!(loader.cursor(), Cursor { epoch: 0, batch: 1 });
    drop(loader);
    // Only the test itself still owns the data set.
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn a_split_covers_the_set() {
    let (train, test) = split(numbers(50), 0.8, 3);
    assert_eq!((train.len(), test.len()), (40, 10));
    let all = |data: &dyn Dataset| -> Vec<i64> {
        data.batch(&(0..data.len()).collect::<Vec<_>>()).unwrap()[0].to_vec().unwrap()
    };
    let mut both = [all(&train), all(&test)].concat();
    assert!(!both.is_sorted());
    both.sort();
    assert_eq!(both, (0..50).collect::<Vec<_>>());
    assert!(test.batch(&[10]).is_err());
    assert!(numbers(3).batch(&[3]).is_err());
    let uneven = TensorDataset::new([Tensor::zeros([3]), Tensor::zeros([4])]);
    assert!(uneven.err().unwrap().to_string().contains("4 rows"));
}

#[test]
fn texts_become_windows() {
    let vocabulary = Vocabulary::of("hello");
    assert_eq!(vocabulary.chars(), "ehlo");
    let ids = vocabulary.encode("hello").unwrap();
    assert_eq!(vocabulary.decode(&ids), "hello");
    assert!(vocabulary.encode("help").unwrap_err().to_string().contains("'p'"));
    let windows = TextWindows::new(ids.clone(), 3).unwrap();
    assert_eq!(windows.len(), 2);
    let batch = windows.batch(&[1, 0]).unwrap();
    let text = |x: &Tensor| vocabulary.decode(&x.to_vec::<i64>().unwrap());
    assert_eq!((text(&batch[0]), text(&batch[1])), ("ellhel".to_string(), "lloell".to_string()));
    assert!(TextWindows::new(ids, 5).is_err());
}

#[test]
fn generated_data_sets_are_deterministic_and_plausible() {
    let names: Vec<&str> = names().lines().collect();
    assert!(names.len() > 250 && names.is_sorted(), "{} names", names.len());
    assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase())));
    let text = tale(5000, 1);
    assert!(text.len() >= 5000 && text == tale(5000, 1) && text != tale(5000, 2));
    let batch = spiral(30, 3, 1).unwrap().batch(&[0, 1, 2]).unwrap();
    assert_eq!(batch[1].to_vec::<i64>().unwrap(), [0, 1, 2]);

    // Digits of a class look alike: the nearest mean is correct for most.
    let (train, test) = (digits(1000, 1).unwrap(), digits(200, 2).unwrap());
    let all = |data: &TensorDataset| data.batch(&(0..data.len()).collect::<Vec<_>>()).unwrap();
    let pixels =
        |batch: &Batch| batch[0].to(DType::F32).reshape([-1, 784]).to_vec::<f32>().unwrap();
    let (batch, others) = (all(&train), all(&test));
    let labels = |batch: &Batch| batch[1].to_vec::<i64>().unwrap();
    let (mut means, mut counts) = (vec![0.0; 7840], [0.0; 10]);
    for (image, label) in pixels(&batch).chunks(784).zip(labels(&batch)) {
        counts[label as usize] += 1.0;
        let mean = &mut means[label as usize * 784..][..784];
        mean.iter_mut().zip(image).for_each(|(mean, pixel)| *mean += pixel);
    }
    let images = pixels(&others);
    let right = images.chunks(784).zip(labels(&others)).filter(|(image, label)| {
        let far = |digit: usize| -> f32 {
            let mean = means[digit * 784..][..784].iter().map(|sum| sum / counts[digit]);
            mean.zip(*image).map(|(mean, pixel)| (mean - pixel).powi(2)).sum()
        };
        let guess = (0..10).min_by(|&a, &b| far(a).total_cmp(&far(b)));
        guess == Some(*label as usize)
    });
    let right = right.count();
    assert!((100..200).contains(&right), "{right} of 200");
}

#[test]
fn tables_of_numbers_are_read() {
    let table = from_csv("a,\"b,c\",d\n1,2,3\n\n4,,\"6\"\n", ',').unwrap();
    assert_eq!(table.names, ["a", "b,c", "d"]);
    let values = table.values.to_vec::<f32>().unwrap();
    assert_eq!(table.values.shape(), [2, 3]);
    assert!(values[4].is_nan() && values[5] == 6.0);
    assert_eq!(from_csv("1;2\n3;4", ';').unwrap().values.shape(), [2, 2]);
    assert_eq!(from_csv("", ',').unwrap().values.shape(), [0, 0]);
    for (text, want) in [
        ("1,2\n3", "line 2: 1 fields, expected 2"),
        ("1,2\n3,x", "line 2: 'x' is not a number"),
        ("1,\"2", "line 1: unclosed quote"),
    ] {
        let error = from_csv(text, ',').err().unwrap().to_string();
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn missing_files_are_named() {
    let error = read("no-such-file.bin").unwrap_err().to_string();
    assert!(error.starts_with("no-such-file.bin: "), "{error}");
    let error = ImageSet::read("no-such-folder", "train").err().unwrap().to_string();
    assert!(error.contains("train-images-idx3-ubyte"), "{error}");
}

#[test]
fn an_epoch_left_early_is_resumed() {
    let mut loader = DataLoader::new(spiral(10, 2, 1).unwrap(), 4);
    let per_epoch = loader.batches();
    let left_after = |loader: &mut DataLoader, batches: u64| {
        let taken = loader.epoch().take(batches as usize).count() as u64;
        (taken, loader.cursor())
    };
    let at = |epoch, batch| Cursor { epoch, batch };
    assert_eq!(left_after(&mut loader, 2), (2, at(0, 2)));
    assert_eq!(left_after(&mut loader, 100), (per_epoch - 2, at(1, 0)), "the rest");
    // An epoch ends with its last batch, so that the next one is not empty.
    assert_eq!(left_after(&mut loader, per_epoch), (per_epoch, at(2, 0)));
    assert_eq!(left_after(&mut loader, 1), (1, at(2, 1)));
    loader.next_epoch();
    loader.next_epoch();
    assert_eq!(left_after(&mut loader, 100), (per_epoch, at(4, 0)));
}
