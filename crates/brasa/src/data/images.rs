//! Image folders: one subfolder per class, decoded on demand.
use super::{Batch, Dataset};
use crate::io::file_error;
use crate::{DType, Error, Result, Tensor};
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageReader};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The images in the subfolders of a folder; each subfolder is a class.
#[derive(Clone)]
pub struct ImageFolder {
    classes: Vec<String>,
    files: Vec<(PathBuf, i64)>,
    size: [usize; 2],
    channels: usize,
}

/// Recognized file extensions.
const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];

impl ImageFolder {
    /// Lists the images. When read, each is resized to `size`, height and width, with 1 channel
    /// (gray) or 3 (RGB).
    pub fn new(folder: impl AsRef<Path>, size: [usize; 2], channels: usize) -> Result<ImageFolder> {
        check_size(size)?;
        let folder = folder.as_ref();
        let (mut classes, mut files) = (Vec::new(), Vec::new());
        for class in sorted(folder)?.into_iter().filter(|path| path.is_dir()) {
            let images = sorted(&class)?.into_iter().filter(|path| is_image(path));
            files.extend(images.map(|path| (path, classes.len() as i64)));
            classes.push(class.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        if files.is_empty() {
            return Err(file_error(folder, "no subfolder contains images (png, jpg)"));
        }
        if channels != 1 && channels != 3 {
            return Err(Error::argument(
                "images",
                format!("expected 1 or 3 channels, got {channels}"),
            ));
        }
        Ok(ImageFolder { classes, files, size, channels })
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| file_error(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn is_image(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending.to_lowercase().as_str())
}

impl Dataset for ImageFolder {
    fn len(&self) -> usize {
        self.files.len()
    }

    /// Images `[n, channels, height, width]`, from 0 to 255, and classes `[n]`.
    fn batch(&self, rows: &[usize]) -> Result<Batch> {
        let [height, width] = self.size;
        let (mut pixels, mut labels) = (Vec::new(), Vec::new());
        for &row in rows {
            let absent = || Error::argument("images", format!("image {row} is out of range"));
            let (path, label) = self.files.get(row).ok_or_else(absent)?;
            pixels.extend(read_pixels(path, self.size, self.channels)?);
            labels.push(*label);
        }
        let shape = [rows.len(), self.channels, height, width];
        Ok(vec![
            Tensor::from_bytes(DType::U8, shape, &pixels)?,
            Tensor::from_vec(labels, rows.len()),
        ])
    }
}

/// Reads an image as `[channels, height, width]`, from 0 to 255, resized to `size`.
pub fn read_image(path: impl AsRef<Path>, size: [usize; 2], channels: usize) -> Result<Tensor> {
    check_size(size)?;
    let pixels = read_pixels(path.as_ref(), size, channels)?;
    Tensor::from_bytes(DType::U8, [channels, size[0], size[1]], &pixels)
}

/// Decoded size that is always allowed, so that small images are read regardless of their
/// compression.
const SMALL: u64 = 1 << 20;
/// Maximum compression ratio of deflate, which png uses; jpeg compresses less.
const MAX_EXPANSION: u64 = 1032;

/// Decodes an image, after checking that the file is large enough for its size.
fn decode(bytes: &[u8]) -> Result<DynamicImage, String> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let decoder = reader.map_err(|error| error.to_string())?.into_decoder();
    let decoder = decoder.map_err(|error| error.to_string())?;
    let most = MAX_EXPANSION.saturating_mul(bytes.len() as u64).saturating_add(SMALL);
    if decoder.total_bytes() > most {
        let ((width, height), len) = (decoder.dimensions(), bytes.len());
        return Err(format!("{width} x {height} pixels do not fit into a file of {len} bytes"));
    }
    DynamicImage::from_decoder(decoder).map_err(|error| error.to_string())
}

/// Maximum number of elements of a resized image.
const LARGEST: usize = 1 << 28;

fn check_size(size: [usize; 2]) -> Result<()> {
    let elements = size[0].max(1).saturating_mul(size[1].max(1)).saturating_mul(3);
    if size.contains(&0) || elements > LARGEST {
        let what = format!("size {size:?} is out of range: 1 to {LARGEST} elements are allowed");
        return Err(Error::argument("images", what));
    }
    Ok(())
}

/// Pixels in channel-first order.
fn read_pixels(path: &Path, [height, width]: [usize; 2], channels: usize) -> Result<Vec<u8>> {
    let bytes = crate::io::read(path)?;
    let image = decode(&bytes).map_err(|what| file_error(path, what))?;
    let image = match (image.height() as usize, image.width() as usize) == (height, width) {
        true => image,
        false => image.resize_exact(width as u32, height as u32, FilterType::Triangle),
    };
    Ok(by_channel(&image, channels))
}

fn by_channel(image: &DynamicImage, channels: usize) -> Vec<u8> {
    if channels == 1 {
        return image.to_luma8().into_raw();
    }
    let pixels = image.to_rgb8().into_raw();
    (0..3).flat_map(|channel| pixels.iter().skip(channel).step_by(3).copied()).collect()
}
