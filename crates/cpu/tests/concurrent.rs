//! Independent kernels that run concurrently: results have the same bits as in sequential runs.
use brasa_compile::{Options, Program, Target, compile_with};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{Array, DType, Expr, Recorder, Result, Type};
use common::Model;

mod common;

/// Independent models whose losses are added.
fn towers<'g>(model: &mut Model<'g>, count: usize) -> Result<Expr<'g>> {
    let losses = (0..count).map(|_| common::mlp(model, 8, 12, 1)).collect::<Result<Vec<_>>>()?;
    Ok(losses.into_iter().reduce(|a, b| a + b).expect("there are towers"))
}

fn programs(model: &Model, min_concurrent: [usize; 3]) -> [Program; 3] {
    min_concurrent.map(|min_concurrent| {
        let options = Options::new(Target { min_concurrent, ..Target::default() });
        model.g.read(|graph| compile_with(graph, &model.wanted, &options)).expect("compiles")
    })
}

fn concurrent(program: &Program) -> usize {
    program.launches.iter().filter(|launch| launch.kernel.is_concurrent).count()
}

#[test]
fn towers_of_a_model_run_concurrently() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = towers(&mut model, 4).expect("records");
    model.train(loss).expect("records");
    let [sequential, default, all] = programs(&model, [0, Target::default().min_concurrent, 2]);
    assert_eq!(concurrent(&sequential), 0);
    assert!(concurrent(&default) >= 3 * (default.launches.len() / 8), "{default}");
    assert!(concurrent(&all) >= concurrent(&default));
    assert!(default.to_string().contains("; concurrent with the previous kernel\n"));
    let bits = model.run(&sequential, 3);
    for program in [default, all] {
        assert!(model.run(&program, 3) == bits);
        let bytes = program.to_bytes().expect("serializes");
        assert_eq!(Program::from_bytes(&bytes).expect("deserializes"), program);
    }
}

#[test]
fn a_single_model_runs_sequentially() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = common::gpt(&mut model, 2, 8, 16).expect("records");
    model.train(loss).expect("records");
    let [_, default, _] = programs(&model, [0, Target::default().min_concurrent, 2]);
    assert_eq!(concurrent(&default), 0, "{default}");
}

/// A kernel must not read memory that a concurrent kernel overwrites in place.
#[test]
fn concurrent_kernels_that_share_memory_are_rejected() {
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [64, 64]);
    let [a, b] = ["a", "b"].map(|name| g.input(name, Role::State, ty.clone()));
    let product = a.contract(b);
    g.push(Write {}, &[a, product.tanh()]).expect("records");
    let wanted = [product.contract(product).id()];
    let options = Options::new(Target { min_concurrent: 2, ..Target::default() });
    let compiled = g.read(|graph| compile_with(graph, &wanted, &options)).expect("compiles");
    assert_eq!(concurrent(&compiled), 0, "each needs the previous one");
    let mut wrong = compiled.clone();
    wrong.launches[1].kernel.is_concurrent = true;
    let bytes = wrong.to_bytes().expect("serializes");
    let error = Program::from_bytes(&bytes).expect_err("is rejected").to_string();
    assert!(error.ends_with("launch 1 conflicts with a concurrent launch"), "{error}");
    let mut wrong = compiled;
    wrong.launches[0].kernel.is_concurrent = true;
    let bytes = wrong.to_bytes().expect("serializes");
    let error = Program::from_bytes(&bytes).expect_err("is rejected").to_string();
    assert!(error.ends_with("the first launch is marked concurrent"), "{error}");
}

/// If several concurrent kernels fail, the error of the first one is reported, for any number of
/// threads.
#[test]
fn the_first_error_is_reported() {
    let g = Recorder::default();
    let table = g.input("table", Role::Param, Type::new(DType::F32, [10]));
    let index = |name: &str| g.input(name, Role::Data, Type::new(DType::I64, [4]));
    let picked: Vec<Expr> = ["a", "b", "c", "d"].map(|n| table.gather(0, index(n))).into();
    let wanted: Vec<_> = picked.iter().map(|x| x.id()).collect();
    let program = g.read(|graph| compile_with(graph, &wanted, &Options::default()));
    let program = program.expect("compiles");
    assert_eq!(concurrent(&program), 3, "{program}");
    let good = Array::from_i64(&Type::new(DType::I64, [4]), [0, 1, 2, 3]);
    let bad = |n: i64| Array::from_i64(&Type::new(DType::I64, [4]), [0, 10 + n, 2, 3]);
    for threads in [1, 3] {
        let pool = Pool::new(threads);
        for first in 0..4 {
            let value = |n: i64| if n < first { good.clone() } else { bad(n) };
            let given = (0..4).map(value);
            let table = Array::full(&Type::new(DType::F32, [10]), 1.0.into());
            let values: Vec<Array> = [table].into_iter().chain(given).collect();
            let mut buffers: Vec<Buffer> = values.iter().map(Buffer::from).collect();
            let mut executable = Executable::new(program.clone());
            let error = executable.run(&pool, &mut buffers, &[]).expect_err("is rejected");
            let message = error.to_string();
            assert!(message.contains(&(10 + first).to_string()), "{threads} threads: {message}");
        }
    }
}
