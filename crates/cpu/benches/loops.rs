//! Milliseconds of fused kernels, and the bytes that they must move in GB/s, with a copy for
//! comparison: `cargo bench --bench loops [name]`. Two threads; `BRASA_LEVEL=avx2` selects a lower
//! SIMD level.
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::{layer_norm, softmax};
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Expr, Id, Number, Recorder, Result, Type};
use std::collections::HashMap;
use std::time::Instant;

type Build = for<'g> fn(&mut Inputs<'g>) -> Result<Vec<Expr<'g>>>;

/// Name, number of floats that must be read and written, and graph.
const ROWS: &[(&str, usize, Build)] = &[
    ("copy 4 Mi", 8 << 20, |x| Ok(vec![x.of(&[4 << 20]) * 2.0])),
    ("gelu chain 4 Mi", 20 << 20, |x| {
        let [a, b, c, d] = [0; 4].map(|_| x.of(&[4 << 20]));
        Ok(vec![(a * b + c).gelu_tanh() * d])
    }),
    ("row sums 4096 x 4096", 16 << 20, |x| Ok(vec![x.of(&[4096, 4096]).sum(&[1])])),
    ("softmax 4096 x 1024", 8 << 20, |x| Ok(vec![softmax(x.g, x.of(&[4096, 1024]), -1, None)?])),
    ("softmax 8192 x 128", 2 << 20, |x| Ok(vec![softmax(x.g, x.of(&[8192, 128]), -1, None)?])),
    ("layer norm 4096 x 512", 4 << 20, |x| Ok(vec![norm(x, 4096, 512)?.0])),
    ("layer norm, gradients", 6 << 20, |x| gradients(x, 4096, 512)),
    ("the same 2048 x 128", 3 << 18, |x| gradients(x, 2048, 128)),
    ("adam 1 Mi", 7 << 20, adam),
];

fn main() {
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    for (name, floats, build) in ROWS {
        if wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str())) {
            let ms = time(*build);
            println!("{name:<24}{ms:>8.3} ms{:>8.1} GB/s", *floats as f64 * 4e-6 / ms);
        }
    }
}

struct Inputs<'g> {
    g: &'g Recorder,
    values: HashMap<Id, Array>,
}

impl<'g> Inputs<'g> {
    fn of(&mut self, shape: &[usize]) -> Expr<'g> {
        let x = self.g.input("x", Role::Data, Type::new(DType::F32, shape));
        let number = |i: usize| (i * 7919 % 1000) as f64 * 0.004 - 2.0;
        let value = Array::from_f64(&x.ty(), (0..x.elements()).map(number));
        self.values.insert(x.id(), value);
        x
    }
}

fn norm<'g>(x: &mut Inputs<'g>, rows: usize, width: usize) -> Result<(Expr<'g>, [Expr<'g>; 3])> {
    let inputs = [x.of(&[rows, width]), x.of(&[width]), x.of(&[width])];
    let [of, gain, shift] = inputs;
    Ok((layer_norm(x.g, of, [width].into(), Some(gain), Some(shift), 1e-5)?, inputs))
}

fn gradients<'g>(x: &mut Inputs<'g>, rows: usize, width: usize) -> Result<Vec<Expr<'g>>> {
    let (y, inputs) = norm(x, rows, width)?;
    let dy = x.of(&[rows, width]);
    Ok(grad(x.g, &[y], &[Some(dy)], &inputs)?.into_iter().flatten().collect())
}

fn adam<'g>(x: &mut Inputs<'g>) -> Result<Vec<Expr<'g>>> {
    let [weight, gradient, mean, square] = [0; 4].map(|_| x.of(&[1 << 20]));
    let mean = mean * 0.9 + gradient * 0.1;
    let square = square * 0.999 + gradient * gradient * 0.001;
    Ok(vec![weight - mean * 0.01 / (square.abs().sqrt() + 1e-8), mean, square])
}

fn time(build: Build) -> f64 {
    let g = Recorder::default();
    let mut inputs = Inputs { g: &g, values: HashMap::new() };
    let wanted: Vec<Id> = build(&mut inputs).expect("records").iter().map(|x| x.id()).collect();
    let program = g.read(|graph| compile(graph, &wanted));
    let slots: Vec<Number> = g.read(|graph| graph.slots().to_vec());
    let mut buffers: Vec<Buffer> =
        program.inputs.iter().map(|input| Buffer::from(&inputs.values[&input.node])).collect();
    let mut executable = Executable::new(program);
    let pool = Pool::new(2);
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        executable.run(&pool, &mut buffers, &slots).expect("runs");
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    best
}
