//! Digits drawn with randomly distorted strokes: a data set like MNIST that needs no file.
use super::{Rng, TensorDataset};
use crate::{DType, Result, Tensor};

type Point = (f32, f32);

/// The shapes of each digit: strokes through points of a box with corners (0, 0), top left, and (1,
/// 1). A digit has one or two variants.
const WAYS: [&[&[&[Point]]]; 10] = [
    &[&[&[
        (0.5, 0.0),
        (0.2, 0.12),
        (0.08, 0.5),
        (0.2, 0.88),
        (0.5, 1.0),
        (0.8, 0.88),
        (0.92, 0.5),
        (0.8, 0.12),
        (0.5, 0.0),
    ]]],
    &[&[&[(0.25, 0.22), (0.55, 0.0), (0.55, 1.0)]], &[&[(0.5, 0.0), (0.5, 1.0)]]],
    &[&[&[
        (0.12, 0.25),
        (0.25, 0.05),
        (0.55, 0.0),
        (0.85, 0.12),
        (0.85, 0.35),
        (0.6, 0.62),
        (0.1, 1.0),
        (0.92, 1.0),
    ]]],
    &[&[&[
        (0.12, 0.1),
        (0.5, 0.0),
        (0.85, 0.15),
        (0.8, 0.38),
        (0.42, 0.48),
        (0.85, 0.6),
        (0.9, 0.82),
        (0.55, 1.0),
        (0.1, 0.9),
    ]]],
    &[
        &[&[(0.65, 1.0), (0.65, 0.0), (0.08, 0.65), (0.95, 0.65)]],
        &[&[(0.15, 0.0), (0.12, 0.5), (0.85, 0.5)], &[(0.82, 0.0), (0.78, 1.0)]],
    ],
    &[&[&[
        (0.85, 0.0),
        (0.22, 0.0),
        (0.15, 0.45),
        (0.55, 0.38),
        (0.88, 0.55),
        (0.85, 0.85),
        (0.5, 1.0),
        (0.1, 0.9),
    ]]],
    &[&[&[
        (0.75, 0.0),
        (0.35, 0.2),
        (0.12, 0.6),
        (0.2, 0.92),
        (0.5, 1.0),
        (0.82, 0.88),
        (0.85, 0.62),
        (0.55, 0.5),
        (0.18, 0.68),
    ]]],
    &[
        &[&[(0.08, 0.0), (0.9, 0.0), (0.4, 1.0)]],
        &[&[(0.08, 0.0), (0.9, 0.0), (0.4, 1.0)], &[(0.3, 0.5), (0.8, 0.5)]],
    ],
    &[&[&[
        (0.5, 0.47),
        (0.18, 0.3),
        (0.22, 0.06),
        (0.5, 0.0),
        (0.8, 0.08),
        (0.8, 0.3),
        (0.5, 0.47),
        (0.12, 0.7),
        (0.2, 0.94),
        (0.5, 1.0),
        (0.82, 0.93),
        (0.88, 0.7),
        (0.5, 0.47),
    ]]],
    &[&[&[
        (0.82, 0.35),
        (0.5, 0.5),
        (0.15, 0.38),
        (0.18, 0.1),
        (0.5, 0.0),
        (0.8, 0.1),
        (0.82, 0.35),
        (0.72, 0.75),
        (0.5, 1.0),
    ]]],
];

const SIDE: usize = 28;

/// Images `[n, 28, 28]`, from 0 to 255, of digits that are rotated, slanted, stretched, shifted and
/// noisy, and the labels `[n]`.
pub fn digits(count: usize, seed: u64) -> Result<TensorDataset> {
    let mut rng = Rng::new(seed);
    let mut images = Vec::with_capacity(count * SIDE * SIDE);
    let mut labels = Vec::with_capacity(count);
    for _ in 0..count {
        let digit = rng.below(10);
        draw(digit, &mut rng, &mut images);
        labels.push(digit as i64);
    }
    let images = Tensor::from_bytes(DType::U8, [count, SIDE, SIDE], &images)?;
    TensorDataset::new([images, Tensor::from_vec(labels, count)])
}

/// Appends the pixels of one digit.
fn draw(digit: usize, rng: &mut Rng, pixels: &mut Vec<u8>) {
    let way = *rng.choose(WAYS[digit]);
    let (sin, cos) = rng.uniform(-0.25, 0.25).sin_cos();
    let slant = rng.uniform(-0.25, 0.25);
    let (width, height) = (rng.uniform(9.0, 14.0), rng.uniform(16.0, 20.0));
    let (dx, dy) = (rng.uniform(-2.0, 2.0), rng.uniform(-2.0, 2.0));
    let pen = rng.uniform(0.9, 1.7);
    let mut place = |&(x, y): &Point| {
        let x = (x - 0.5 + 0.03 * rng.normal()) * width;
        let y = (y - 0.5 + 0.03 * rng.normal()) * height;
        let x = x - slant * y;
        let middle = SIDE as f32 / 2.0;
        (x * cos - y * sin + middle + dx, x * sin + y * cos + middle + dy)
    };
    let strokes: Vec<Vec<Point>> =
        way.iter().map(|stroke| stroke.iter().map(&mut place).collect()).collect();
    for row in 0..SIDE {
        for column in 0..SIDE {
            let pixel = (column as f32 + 0.5, row as f32 + 0.5);
            let lines = strokes.iter().flat_map(|stroke| stroke.windows(2));
            let far = lines.map(|line| distance(pixel, line[0], line[1])).fold(9.0, f32::min);
            // Antialiasing: ink fades over one pixel at the edge of the pen.
            let ink = (pen + 0.5 - far).clamp(0.0, 1.0);
            let noisy = 255.0 * ink * rng.uniform(0.85, 1.0) + 12.0 * rng.normal().max(0.0);
            pixels.push(noisy.clamp(0.0, 255.0) as u8);
        }
    }
}

/// Distance from a point to a line segment.
fn distance(p: Point, a: Point, b: Point) -> f32 {
    let (abx, aby, apx, apy) = (b.0 - a.0, b.1 - a.1, p.0 - a.0, p.1 - a.1);
    let along = (apx * abx + apy * aby) / (abx * abx + aby * aby).max(1e-6);
    let along = along.clamp(0.0, 1.0);
    ((apx - along * abx).powi(2) + (apy - along * aby).powi(2)).sqrt()
}
