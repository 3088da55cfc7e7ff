//! Whether something has to be built again: a number made of all files it is built from.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A number that changes with the names and contents of all files below these paths.
pub(crate) fn of(root: &Path, paths: &[&str]) -> Result<u64, String> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        add(&root.join(path), &mut hasher)?;
    }
    Ok(hasher.finish())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> Result<(), String> {
    let problem = |error| format!("{} cannot be read: {error}", path.display());
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(problem)?;
        let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(problem)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries.iter().try_for_each(|entry| add(&entry.path(), hasher));
    }
    path.file_name().hash(hasher);
    fs::read(path).map_err(problem)?.hash(hasher);
    Ok(())
}

/// Whether `mark` was left by a build from the same files.
pub(crate) fn is_current(mark: &Path, stamp: impl ToString) -> bool {
    fs::read_to_string(mark).is_ok_and(|text| text == stamp.to_string())
}

pub(crate) fn leave(mark: &Path, stamp: impl ToString) -> Result<(), String> {
    let problem = |error| format!("{} cannot be written: {error}", mark.display());
    fs::write(mark, stamp.to_string()).map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_changes_the_stamp() {
        let folder = std::env::temp_dir().join(format!("brasa-stamp-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).expect("a folder can be made");
        fs::write(folder.join("a/one"), "1").expect("a file can be written");
        let before = of(&folder, &["a"]).expect("it can be read");
        assert_eq!(of(&folder, &["a"]), Ok(before));
        fs::write(folder.join("a/one"), "2").expect("a file can be written");
        assert_ne!(of(&folder, &["a"]), Ok(before));
        leave(&folder.join("mark"), before).expect("a mark can be left");
        assert!(is_current(&folder.join("mark"), before));
        assert!(!is_current(&folder.join("mark"), before + 1));
        assert!(of(&folder, &["no such file"]).is_err());
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
