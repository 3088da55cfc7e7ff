//! Folders of images: one folder for each class, pictures read when they are needed.
use super::{Batch, Dataset};
use crate::io::wrong;
use crate::{DType, Error, Result, Tensor};
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageReader};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The images below a folder, whose folders are the classes.
#[derive(Clone)]
pub struct ImageFolder {
    classes: Vec<String>,
    files: Vec<(PathBuf, i64)>,
    size: [usize; 2],
    channels: usize,
}

/// Endings of files that are taken for images.
const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];

impl ImageFolder {
    /// Lists the images; each is stretched to `size`, height and width, when it is read, and has 1
    /// channel (grey) or 3 (red, green, blue).
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
            return Err(wrong(folder, "has no folder with images (png, jpg) in it"));
        }
        if channels != 1 && channels != 3 {
            return Err(Error::argument("images", format!("{channels} channels: only 1 or 3")));
        }
        Ok(ImageFolder { classes, files, size, channels })
    }

    /// What the classes are called.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| wrong(folder, error))?;
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
            let absent = || Error::argument("images", format!("there is no image {row}"));
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

/// Reads an image as `[channels, height, width]`, from 0 to 255, stretched to `size`.
pub fn read_image(path: impl AsRef<Path>, size: [usize; 2], channels: usize) -> Result<Tensor> {
    check_size(size)?;
    let pixels = read_pixels(path.as_ref(), size, channels)?;
    Tensor::from_bytes(DType::U8, [channels, size[0], size[1]], &pixels)
}

/// Decoded size that is allowed whatever the length of the file, so that small pictures are always read.
const SMALL: u64 = 1 << 20;
/// Deflate, which is inside of png, repeats no more often; jpeg does less.
const MOST_PER_BYTE: u64 = 1032;

/// Decodes an image whose size the file can account for.
fn decode(bytes: &[u8]) -> Result<DynamicImage, String> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let decoder = reader.map_err(|error| error.to_string())?.into_decoder();
    let decoder = decoder.map_err(|error| error.to_string())?;
    let most = MOST_PER_BYTE.saturating_mul(bytes.len() as u64).saturating_add(SMALL);
    if decoder.total_bytes() > most {
        let ((width, height), len) = (decoder.dimensions(), bytes.len());
        return Err(format!("{width} · {height} pixels are more than its {len} bytes can hold"));
    }
    DynamicImage::from_decoder(decoder).map_err(|error| error.to_string())
}

/// The most elements of an image that files are stretched to.
const LARGEST: usize = 1 << 28;

fn check_size(size: [usize; 2]) -> Result<()> {
    let elements = size[0].max(1).saturating_mul(size[1].max(1)).saturating_mul(3);
    if size.contains(&0) || elements > LARGEST {
        let what = format!("images of {size:?} pixels: from 1 to {LARGEST} numbers are read");
        return Err(Error::argument("images", what));
    }
    Ok(())
}

/// Pixels by channel.
fn read_pixels(path: &Path, [height, width]: [usize; 2], channels: usize) -> Result<Vec<u8>> {
    let bytes = crate::io::read(path)?;
    let image = decode(&bytes).map_err(|what| wrong(path, what))?;
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
