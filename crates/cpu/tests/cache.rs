//! The cache of executables: a step is compiled once, whatever its scalar arguments.
use brasa_compile::Options;
use brasa_cpu::{Buffer, Cache, Pool};
use brasa_ir::ops::{Role, Write};
use brasa_ir::{DType, Id, Number, Recorder, Type};

/// Records `w ← w + x · rate` on vectors of length `len`; returns the new value.
fn record(g: &Recorder, len: usize, rate: f64) -> Id {
    let tensor = |name, role| g.input(name, role, Type::new(DType::F32, [len]));
    let (w, x) = (tensor("w", Role::Param), tensor("x", Role::Data));
    let rate = g.number(Number::Float(rate), DType::F32).expand(&[len]);
    let new = w + x * rate;
    g.push(Write {}, &[w, new]).expect("records").id()
}

#[test]
fn a_step_is_compiled_once() {
    let mut cache = Cache::default();
    let ones: Vec<u8> = [1f32; 4].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut buffers: Vec<Buffer> = (0..2).map(|_| Buffer::new(16)).collect();
    buffers[1].bytes_mut().copy_from_slice(&ones);
    let mut first = None;
    for rate in [0.5, 0.25, 2.0] {
        let g = Recorder::default();
        let wanted = [record(&g, 4, rate)];
        g.read(|graph| {
            let executable = cache.get(graph, &wanted, &Options::default()).expect("compiles");
            executable.run(Pool::global(), &mut buffers, graph.slots()).expect("runs");
            let place = std::ptr::from_ref(executable) as usize;
            assert_eq!(
                *first.get_or_insert(place),
                place,
                "the cache returns the first executable"
            );
        });
    }
    assert_eq!(cache.len(), 1);
    assert_eq!(buffers[0].bytes()[..4], 2.75f32.to_le_bytes());
}

#[test]
fn shapes_outputs_and_options_are_part_of_the_key() {
    let mut cache = Cache::default();
    let g = Recorder::default();
    let new = record(&g, 4, 0.5);
    let options = Options { budget: Some(1 << 20), ..Options::default() };
    g.read(|graph| {
        cache.get(graph, &[new], &Options::default()).expect("compiles");
        cache.get(graph, &[], &Options::default()).expect("compiles");
        cache.get(graph, &[new], &options).expect("compiles");
        cache.get(graph, &[new], &Options::default()).expect("is found");
    });
    assert_eq!(cache.len(), 3);
    let g = Recorder::default();
    let new = record(&g, 5, 0.5);
    g.read(|graph| cache.get(graph, &[new], &options).map(drop)).expect("compiles");
    assert_eq!(cache.len(), 4);
}

#[test]
fn the_least_recently_used_is_evicted_first() {
    let compile = |cache: &mut Cache, len: usize| {
        let g = Recorder::default();
        let x = g.input("x", Role::Data, Type::new(DType::F32, [len]));
        let y = x.exp();
        g.read(|graph| {
            let executable = cache.get(graph, &[y.id()], &Options::default()).expect("compiles");
            std::ptr::from_ref(executable) as usize
        })
    };
    let mut cache = Cache::new(2, usize::MAX);
    let first = compile(&mut cache, 16);
    compile(&mut cache, 32);
    assert_eq!(compile(&mut cache, 16), first);
    compile(&mut cache, 48);
    assert_eq!(compile(&mut cache, 16), first, "32 was used less recently");
    assert_eq!(cache.len(), 2);

    let mut cache = Cache::new(100, 1000);
    for len in [64, 80, 96, 112] {
        compile(&mut cache, len);
    }
    assert_eq!((cache.len(), cache.bytes()), (2, 4 * (96 + 112)));
    compile(&mut cache, 5000);
    assert_eq!(cache.len(), 1, "the last one is kept whatever its size");
}
