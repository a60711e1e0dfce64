//! No page is writable and executable at once, at any time, and code is on pages that are executable. Alone in its process, whose pages are
//! looked at from another thread while kernels are compiled, run and dropped.
#![cfg(target_os = "linux")]

mod common;

use common::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use xslice_core::{ElementType, Input, Program, Signature};
use xslice_jit::{Engine, Jit, Strategy};

/// Executable pages of no file: those of machine code made here.
fn code_pages() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the pages of this process");
    let mut executable = 0;
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let rights = words.nth(1).unwrap_or_default();
        assert!(!(rights.contains('w') && rights.contains('x')), "{line}");
        // Offset, device, inode, then the file if there is one.
        executable += usize::from(rights.contains('x') && words.nth(3).is_none());
    }
    executable
}

#[test]
fn no_page_is_writable_and_executable_at_once() {
    let program = Program::chain("x")
        .then(slice([0, 0], [i64::MAX; 2], [1, 7]))
        .build()
        .expect("a legal slice");
    let (done, looks, most) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(code_pages(), Ordering::Relaxed);
                looks.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut kept = Vec::new();
        for rows in 1..400 {
            let jit = Jit::with_strategy([Strategy::Keyed, Strategy::Baked][rows % 2]);
            let signature = Signature::new().operand(ElementType::F32, &[rows, 29]);
            let kernel = jit.compile(&program, &signature).expect("a legal shape");
            assert_ne!(kernel.engine(), Engine::Runner);
            let x: Vec<f32> = (0..rows * 29).map(|at| at as f32).collect();
            let y: Vec<f32> = kernel.collect(&[Input::from(&x)]).expect("a legal call");
            assert_eq!(y.last(), Some(&((rows * 29 - 1) as f32)));
            kept.push(kernel);
            kept.drain(..kept.len().saturating_sub(20));
        }
        done.store(true, Ordering::Relaxed);
    });
    let (looks, most) = (looks.into_inner(), most.into_inner());
    println!("{looks} looks, at most {most} mappings of code");
    assert!(looks > 20 && most > 0, "{looks} looks, {most} mappings");
}
