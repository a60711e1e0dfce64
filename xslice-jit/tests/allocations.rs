//! `Kernel::run` allocates nothing once it is warm, whatever the engine, and neither does `Jit::compile` of what is known. Alone in a
//! process: it counts, for each thread, in the global allocator.

mod common;

use common::{ids64, signature, slice, tensor};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use xslice_core::{ElementType, Gather, Input, Program, Signature, Tensor};
use xslice_jit::{Jit, Strategy};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[test]
fn a_run_allocates_nothing() {
    let mut chained = Program::chain("x");
    let mut tensors = vec![tensor(ElementType::F32, &[6, 5])];
    for table in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
        chained = chained.then(Gather::onnx(13).indices(table));
        tensors.push(ids64(&[6], &[0, -1, 2, 3, -6, 5]));
    }
    let sliced = Program::chain("x").then(slice([0, -1], [9, -99], [2, -1]));
    // Columns, whose tables are made on the second call with the same indices.
    let columns = [
        tensor(ElementType::U8, &[2000, 8]),
        ids64(&[3], &[5, 0, -1]),
    ];
    let picked = Program::chain("x").then(Gather::onnx(13).axis(1).indices("ids"));
    let chains = [
        (sliced, &tensors[..1]),
        (chained, &tensors[..]),
        (picked, &columns[..]),
    ];
    for (chain, tensors) in chains {
        let program = chain.build().unwrap();
        for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
            let kernel = Jit::with_strategy(strategy)
                .compile(&program, &signature(tensors))
                .unwrap();
            let inputs: Vec<Input<'_>> = tensors.iter().map(Tensor::as_input).collect();
            let (ty, shape) = (kernel.plan().element_type(), kernel.plan().shape());
            let mut output = Tensor::zeros(ty, shape).unwrap();
            // Temporaries of a thread grow on its first call.
            for _ in 0..2 {
                kernel.run(&inputs, output.as_output()).unwrap();
            }
            let before = COUNT.get();
            for _ in 0..10 {
                kernel.run(&inputs, output.as_output()).unwrap();
            }
            assert_eq!(COUNT.get(), before, "{:?}", kernel.engine());
        }
    }
}

#[test]
fn to_ask_again_with_another_shape_allocates_nothing() {
    let program = Program::parse("cache[:, -8:]").unwrap();
    let jit = Jit::with_strategy(Strategy::Runner);
    let mut signature = Signature::new().operand(ElementType::F32, &[4, 1, 16]);
    let mut compile_all = || {
        for length in 1..=24 {
            signature.set_shape(0, &[4, length, 16]).unwrap();
            jit.compile(&program, &signature).unwrap();
        }
    };
    compile_all();
    let before = COUNT.get();
    compile_all();
    assert_eq!(COUNT.get(), before);
}
