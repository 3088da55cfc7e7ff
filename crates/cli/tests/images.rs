//! Folders of images as a data set, which the library reads with the feature that this crate asks for.
use brasa::data::{Dataset, ImageFolder};
use std::fs;
use std::path::Path;

/// A png of one white pixel.
const DOT: &[u8] = include_bytes!("dot.png");

#[test]
fn folders_are_classes_and_files_examples() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image-folder");
    let _ = fs::remove_dir_all(&folder);
    for (name, bytes) in [
        ("cats/1.png", DOT),
        ("cats/2.PNG", DOT),
        ("dogs/1.png", DOT),
        ("dogs/notes.txt", b"no image"),
        ("dogs/torn.png", b"no image"),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let images = ImageFolder::new(&folder, [2, 3], 3).unwrap();
    assert_eq!((images.classes(), images.len()), (&["cats", "dogs"].map(String::from)[..], 4));
    let batch = images.batch(&[2, 0]).unwrap();
    assert_eq!(batch[0].shape(), [2, 3, 2, 3]);
    assert_eq!(batch[0].to_vec::<u8>().unwrap(), [255; 36]);
    assert_eq!(batch[1].to_vec::<i64>().unwrap(), [1, 0]);

    let rows = [
        (images.batch(&[3]).err(), "torn.png"),
        (images.batch(&[9]).err(), "there is no image 9"),
        (ImageFolder::new(folder.join("cats"), [2, 2], 1).err(), "has no folder with images"),
        (ImageFolder::new(&folder, [2, 2], 2).err(), "only 1 or 3"),
        (ImageFolder::new(folder.join("nowhere"), [2, 2], 1).err(), "nowhere"),
    ];
    for (error, words) in rows {
        let error = error.expect(words).to_string();
        assert!(error.contains(words), "{words} in {error}");
    }
}
