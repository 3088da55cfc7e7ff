//! Kernels side by side: those that need nothing of each other, with the bits of one after the other.
use brasa_compile::{Options, Program, compile_with};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{Array, DType, Expr, Recorder, Result, Type};
use common::Model;

mod common;

/// Models of their own, whose losses are added.
fn towers<'g>(model: &mut Model<'g>, count: usize) -> Result<Expr<'g>> {
    let losses = (0..count).map(|_| common::mlp(model, 8, 12, 1)).collect::<Result<Vec<_>>>()?;
    Ok(losses.into_iter().reduce(|a, b| a + b).expect("there are towers"))
}

fn programs(model: &Model, fewest: [usize; 3]) -> [Program; 3] {
    fewest.map(|fewest_beside| {
        let options = Options { fewest_beside, ..Options::default() };
        model.g.read(|graph| compile_with(graph, &model.wanted, &options)).expect("compiles")
    })
}

fn beside(program: &Program) -> usize {
    program.launches.iter().filter(|launch| launch.kernel.is_beside).count()
}

#[test]
fn towers_of_a_model_run_side_by_side() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = towers(&mut model, 4).expect("records");
    model.train(loss).expect("records");
    let [apart, usual, all] = programs(&model, [0, Options::default().fewest_beside, 2]);
    assert_eq!(beside(&apart), 0);
    assert!(beside(&usual) >= 3 * (usual.launches.len() / 8), "{usual}");
    assert!(beside(&all) >= beside(&usual));
    assert!(usual.to_string().contains("; beside the one before it\n"));
    let bits = model.run(&apart, 3);
    for program in [usual, all] {
        assert!(model.run(&program, 3) == bits);
        let bytes = program.to_bytes().expect("has a form");
        assert_eq!(Program::from_bytes(&bytes).expect("can be read"), program);
    }
}

#[test]
fn one_model_runs_as_before() {
    let g = Recorder::default();
    let mut model = Model::new(&g);
    let loss = common::gpt(&mut model, 2, 8, 16).expect("records");
    model.train(loss).expect("records");
    let [_, usual, _] = programs(&model, [0, Options::default().fewest_beside, 2]);
    assert_eq!(beside(&usual), 0, "{usual}");
}

/// What one kernel writes in place, its neighbours may not read any more.
#[test]
fn kernels_that_meet_are_refused() {
    let g = Recorder::default();
    let ty = Type::new(DType::F32, [64, 64]);
    let [a, b] = ["a", "b"].map(|name| g.input(name, Role::State, ty.clone()));
    let product = a.contract(b);
    g.push(Write {}, &[a, product.tanh()]).expect("records");
    let wanted = [product.contract(product).id()];
    let options = Options { fewest_beside: 2, ..Options::default() };
    let compiled = g.read(|graph| compile_with(graph, &wanted, &options)).expect("compiles");
    assert_eq!(beside(&compiled), 0, "each needs the one before it");
    let mut wrong = compiled.clone();
    wrong.launches[1].kernel.is_beside = true;
    let bytes = wrong.to_bytes().expect("has a form");
    let error = Program::from_bytes(&bytes).expect_err("is refused").to_string();
    assert!(error.ends_with("launch 1 meets what runs beside it"), "{error}");
    let mut wrong = compiled;
    wrong.launches[0].kernel.is_beside = true;
    let bytes = wrong.to_bytes().expect("has a form");
    let error = Program::from_bytes(&bytes).expect_err("is refused").to_string();
    assert!(error.ends_with("the first launch runs beside nothing"), "{error}");
}

/// Of several kernels that fail at once, the first is told of, on any number of threads.
#[test]
fn the_first_error_is_told() {
    let g = Recorder::default();
    let table = g.input("table", Role::Param, Type::new(DType::F32, [10]));
    let index = |name: &str| g.input(name, Role::Data, Type::new(DType::I64, [4]));
    let picked: Vec<Expr> = ["a", "b", "c", "d"].map(|n| table.gather(0, index(n))).into();
    let wanted: Vec<_> = picked.iter().map(|x| x.id()).collect();
    let program = g.read(|graph| compile_with(graph, &wanted, &Options::default()));
    let program = program.expect("compiles");
    assert_eq!(beside(&program), 3, "{program}");
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
            let error = executable.run(&pool, &mut buffers, &[]).expect_err("is refused");
            let message = error.to_string();
            assert!(message.contains(&(10 + first).to_string()), "{threads} threads: {message}");
        }
    }
}
