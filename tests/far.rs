//! Beyond 2^31 and 2^32: offsets, strides and indices that no 32-bit number holds.
//!
//! Operands are sparse mappings of more than 2^32 elements, of which only the pages of a case are touched. Where the elements of a
//! result lie in the source is written down here as sums and products, read directly, and compared with what every engine
//! and every level gives.

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[path = "suite/mod.rs"]
mod suite;

use suite::ENGINES;
use xslice::{Element, ElementType, Input, Level, Output, Program, Scratch, Signature, Tensor};

const G: usize = 1 << 30;

/// More than 2^32 elements, by a little more than 2^31.
const LEN: usize = 6 * G + 12_345;

/// Zeros that take no memory before they are written.
struct Sparse<T> {
    start: *mut T,
    len: usize,
}

impl<T: Element> Sparse<T> {
    /// `None`, said aloud, where the system refuses that much address space.
    fn new(len: usize) -> Option<Self> {
        let bytes = len * size_of::<T>();
        // SAFETY: a fresh anonymous mapping, of memory that nobody else knows.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            eprintln!("SKIPPED: the system maps no {bytes} bytes");
            return None;
        }
        let start = start.cast();
        Some(Self { start, len })
    }

    fn elements(&mut self) -> &mut [T] {
        // SAFETY: the mapping holds `len` elements, zero at first, which is a value of every integer; it lives as long as `self`,
        // which is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl<T> Drop for Sparse<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length and nobody borrows it any more.
        unsafe { libc::munmap(self.start.cast(), self.len * size_of::<T>()) };
    }
}

/// An unsigned integer that tells positions apart.
trait Mark: Element + Copy + PartialEq + std::fmt::Debug {
    fn of(position: usize) -> Self;
}

impl Mark for u8 {
    fn of(position: usize) -> Self {
        (position.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8 | 1
    }
}

impl Mark for u32 {
    fn of(position: usize) -> Self {
        (position.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32 | 1
    }
}

/// Calls with every engine and level.
fn each(program: &Program, signature: &Signature, call: &mut dyn FnMut(&str, &Run<'_>)) {
    for (name, run) in ENGINES {
        call(name, &|inputs, output| {
            run(program, signature, inputs, output).expect(name);
        });
    }
    let plan = program.compile(signature).expect("a plan");
    for level in Level::all() {
        call(level.name(), &|inputs, output| {
            let scratch = &mut Scratch::new();
            xslice::runner::run_at(level, &plan, inputs, output, scratch).expect("a result");
        });
    }
}

type Run<'a> = dyn Fn(&[Input<'_>], Output<'_>) + 'a;

/// A program on a source of `LEN` elements or fewer, and where the elements of its result lie.
struct Case<'a> {
    text: &'a str,
    /// Shape, and strides with an offset where the operand is not row-major.
    shape: &'a [usize],
    layout: Option<(&'a [isize], usize)>,
    indices: Option<&'a [i64]>,
    places: Vec<usize>,
}

fn on<'a>(shape: &'a [usize], text: &'a str, places: Vec<usize>) -> Case<'a> {
    Case {
        text,
        shape,
        layout: None,
        indices: None,
        places,
    }
}

impl<'a> Case<'a> {
    fn with(self, indices: &'a [i64]) -> Self {
        let indices = Some(indices);
        Self { indices, ..self }
    }

    fn check<T: Mark>(&self, source: &mut Sparse<T>) {
        for &place in &self.places {
            source.elements()[place] = T::of(place);
        }
        let expected: Vec<T> = self.places.iter().map(|&place| T::of(place)).collect();
        let program = Program::parse(self.text).expect(self.text);
        let indices = self.indices.map(Tensor::vector);
        let signature = match self.layout {
            None => Signature::new().operand(T::TYPE, self.shape),
            Some((strides, offset)) => {
                Signature::new().strided(T::TYPE, self.shape, strides, offset)
            }
        };
        let signature = match &indices {
            Some(indices) => signature.operand(ElementType::I64, indices.shape()),
            None => signature,
        };
        let length = match self.layout {
            None => self.shape.iter().product(),
            Some(_) => source.len,
        };
        let source = &source.elements()[..length];
        each(&program, &signature, &mut |name, run| {
            let mut result = vec![T::of(0); self.places.len()];
            let inputs = [Input::from(source)];
            let inputs: Vec<_> = inputs
                .into_iter()
                .chain(indices.as_ref().map(Tensor::as_input))
                .collect();
            run(&inputs, Output::from(&mut result[..]));
            assert_eq!(result, expected, "{name}: {}", self.text);
        });
    }
}

fn slices<T: Mark>(len: usize) {
    let Some(mut x) = Sparse::<T>::new(len) else {
        return;
    };
    let flat = [len];
    let (g2, g4) = (2 * G, 4 * G);
    let upwards = |from: usize, step: usize, count: usize| -> Vec<usize> {
        (0..count).map(|i| from + step * i).collect()
    };
    let downwards = |from: usize, step: usize, count: usize| -> Vec<usize> {
        (0..count).map(|i| from - step * i).collect()
    };
    on(&flat, "x[2147483600:2147483700]", upwards(g2 - 48, 1, 100)).check(&mut x);
    on(&flat, "x[4294967290:4294967590:3]", upwards(g4 - 6, 3, 100)).check(&mut x);
    on(
        &flat,
        "x[4294967396:4294967196:-1]",
        downwards(g4 + 100, 1, 200),
    )
    .check(&mut x);
    on(
        &flat,
        "x[4294967396:4294967196:-2]",
        downwards(g4 + 100, 2, 100),
    )
    .check(&mut x);
    on(&flat, "x[-100:]", upwards(len - 100, 1, 100)).check(&mut x);
    on(&flat, "x[:4294967396:2147483647]", upwards(0, g2 - 1, 3)).check(&mut x);
    on(
        &flat,
        "x[4294967396::-2147483649]",
        downwards(g4 + 100, g2 + 1, 3),
    )
    .check(&mut x);
    on(&flat, "x[1:4294967396:4294967295]", upwards(1, g4 - 1, 2)).check(&mut x);

    let rows = [2, g2 + 100];
    let ends = |at: usize, step: usize, count: usize| -> Vec<usize> {
        [0, g2 + 100]
            .iter()
            .flat_map(|row| upwards(row + at, step, count))
            .collect()
    };
    on(&rows, "x[:, -50:]", ends(g2 + 50, 1, 50)).check(&mut x);
    on(&rows, "x[:, 2147483640:2147483740:2]", ends(g2 - 8, 2, 50)).check(&mut x);
    let mut reversed = ends(g2 + 60, 1, 40);
    reversed.reverse();
    on(&rows, "x[::-1, -1:-41:-1]", reversed).check(&mut x);
    on(&rows, "x[1][2147483648:][5:9]", upwards(g4 + 105, 1, 4)).check(&mut x);

    // Strides on both sides of 2^31, one of them negative.
    let (strides, offset) = ([g2 as isize + 7, -(G as isize)], g2);
    let places = (0..2).flat_map(|i| (0..3).map(move |j| g2 + (g2 + 7) * i - G * j));
    Case {
        layout: Some((&strides, offset)),
        ..on(&[2, 3], "x[...]", places.collect())
    }
    .check(&mut x);
}

#[test]
fn slices_reach_bytes_beyond_32_bits() {
    slices::<u8>(LEN);
}

#[test]
fn slices_reach_words_beyond_32_bits() {
    slices::<u32>(4 * G + 12_345);
}

#[test]
fn gathers_reach_beyond_32_bits() {
    let Some(mut x) = Sparse::<u8>::new(LEN) else {
        return;
    };
    let (g2, g4) = (2 * G, 4 * G);
    let flat = [
        0,
        g4 as i64 + 7,
        -1,
        g2 as i64,
        -(g4 as i64),
        g4 as i64,
        5,
        -(LEN as i64),
    ];
    let places = vec![0, g4 + 7, LEN - 1, g2, LEN - g4, g4, 5, 0];
    on(&[LEN], "x[@ids]", places).with(&flat).check(&mut x);
    on(
        &[LEN],
        "x[[0, 4294967303, -1, 2147483648]]",
        vec![0, g4 + 7, LEN - 1, g2],
    )
    .check(&mut x);

    // Narrow rows, more than 2^31 of them; wide rows far apart; both whole and in part.
    for (rows, width, from, until) in [
        (g2 - 1, 3, 0, 3),
        (g2 - 1, 3, 1, 3),
        (98_000, 65_536, 60_000, 60_300),
        (6, G, G - 70, G),
    ] {
        let last = rows as i64 - 1;
        let ids = [
            0,
            last,
            -1,
            last / 2,
            -(last / 3),
            last - 1,
            1,
            last,
            -(last + 1),
        ];
        let places = ids.iter().flat_map(|&id| {
            let row = if id < 0 { id + rows as i64 } else { id } as usize;
            (from..until).map(move |column| row * width + column)
        });
        let text = format!("x[@ids, {from}:{until}]");
        on(&[rows, width], &text, places.collect())
            .with(&ids)
            .check(&mut x);
    }

    // Along the inner axis.
    let ids = [3 * G as i64 - 1, 0, g2 as i64 + 9, -(g2 as i64)];
    let columns = [3 * G - 1, 0, g2 + 9, G];
    let places = [0, 3 * G]
        .iter()
        .flat_map(|row| columns.map(|column| row + column));
    on(&[2, 3 * G], "x[:, @ids]", places.collect())
        .with(&ids)
        .check(&mut x);
}

/// The same indices in every turn, of rows whose bytes lie within 2^31 and a little farther apart.
#[test]
fn columns_reach_beyond_31_bits() {
    let Some(mut x) = Sparse::<u32>::new(4 * G + 12_345) else {
        return;
    };
    for columns in [G / 2 - 1, G / 2, G / 2 + 1, G + 1] {
        let last = columns as i64 - 1;
        let ids: Vec<i64> = (0..40)
            .flat_map(|k| [last - 3 * k, k, -1 - k, last / 2 + k])
            .collect();
        let wrapped = |id: i64| (if id < 0 { id + columns as i64 } else { id }) as usize;
        let places = (0..4).flat_map(|row| ids.iter().map(move |&id| row * columns + wrapped(id)));
        on(&[4, columns], "x[:, @ids]", places.collect())
            .with(&ids)
            .check(&mut x);
    }
}

/// Many narrow rows of a table whose last one begins around the end of 31 bits.
#[test]
fn narrow_rows_begin_around_31_bits() {
    let g2 = 2 * G;
    let Some(mut x) = Sparse::<u8>::new(g2 + 64) else {
        return;
    };
    for (width, bytes) in [(1, 1), (2, 2), (4, 3), (3, 3)] {
        for more in 0..6 {
            let rows = g2 / width + more - 1;
            let last = rows as i64 - 1;
            let ids: Vec<i64> = (0..40)
                .flat_map(|k| [last - k % 3, k, -1, -1 - k])
                .collect();
            let row = |id: i64| (if id < 0 { id + rows as i64 } else { id }) as usize;
            let places = ids.iter().flat_map(|&id| {
                let first = row(id) * width;
                first..first + bytes
            });
            on(
                &[rows, width],
                &format!("x[@ids, :{bytes}]"),
                places.collect(),
            )
            .with(&ids)
            .check(&mut x);
        }
    }
}

/// Indices of 32 bits on an axis that has more than their positive ones: the negative ones of largest size count from its end, too.
#[test]
fn words_count_from_the_end_of_an_axis_beyond_31_bits() {
    let (rows, width) = (2 * G + 5, 5);
    let Some(mut x) = Sparse::<u8>::new(rows + width) else {
        return;
    };
    let ids: Vec<i32> = (0..400)
        .map(|k| match k % 5 {
            0 | 1 => i32::MIN + k / 5 % 5,
            2 => i32::MAX - k,
            _ => k,
        })
        .collect();
    let row = |&id: &i32| (i64::from(id) + if id < 0 { rows as i64 } else { 0 }) as usize;
    let places: Vec<usize> = ids
        .iter()
        .flat_map(|id| (0..width).map(move |column| row(id) + column))
        .collect();
    for &place in &places {
        x.elements()[place] = u8::of(place);
    }
    let expected: Vec<u8> = places.iter().map(|&place| u8::of(place)).collect();
    let program = Program::parse("x[@ids]").expect("a program");
    let signature = Signature::new()
        .strided(ElementType::U8, &[rows, width], &[1, 1], 0)
        .operand(ElementType::I32, &[ids.len()]);
    let inputs = [
        Input::from(&x.elements()[..rows + width - 1]),
        Input::from(&ids[..]),
    ];
    each(&program, &signature, &mut |name, run| {
        let mut result = vec![0; expected.len()];
        run(&inputs, Output::from(&mut result[..]));
        assert_eq!(result, expected, "{name}");
    });
}

#[test]
fn an_index_that_fits_only_when_narrowed_is_refused() {
    let Some(mut x) = Sparse::<u8>::new(4 * G + 8) else {
        return;
    };
    let program = Program::parse("x[@ids]").expect("a program");
    for (len, id) in [
        (4 * G + 8, 8 * G as i64 + 1),
        (1000, 4 * G as i64 + 1),
        (1000, -4 * G as i64),
    ] {
        let ids = Tensor::vector(&[0, id]);
        let signature = Signature::new()
            .operand(ElementType::U8, &[len])
            .operand(ElementType::I64, &[2]);
        for (name, run) in ENGINES {
            let inputs = [Input::from(&x.elements()[..len]), ids.as_input()];
            let error = run(
                &program,
                &signature,
                &inputs,
                Output::from(&mut [0u8; 2][..]),
            );
            let error = error.expect_err(name);
            assert_eq!(
                error.offending_value(),
                Some(id.to_string().as_str()),
                "{name}"
            );
        }
    }
}

#[test]
fn results_spread_beyond_32_bits() {
    let Some(mut y) = Sparse::<u8>::new(LEN) else {
        return;
    };
    let source: Vec<u8> = (1..=40).collect();
    let program = Program::parse("x[1:4, ::-1]").expect("a program");
    for (strides, offset) in [
        ([2 * G as isize + 1, 3], 5),
        ([-(G as isize) - 1, -(G as isize) / 16], 6 * G),
        ([10, 768 * (1 << 20)], 0),
        ([2 * G as isize, 1], G),
    ] {
        let signature = Signature::new()
            .operand(ElementType::U8, &[5, 8])
            .output(&strides, offset);
        let place = |row: usize, column: usize| {
            let at = strides[0] * row as isize + strides[1] * column as isize;
            offset.checked_add_signed(at).expect("inside")
        };
        each(&program, &signature, &mut |name, run| {
            run(&[Input::from(&source[..])], Output::from(y.elements()));
            for (row, column) in (0..3).flat_map(|row| (0..8).map(move |column| (row, column))) {
                let expected = source[(1 + row) * 8 + 7 - column];
                let given = std::mem::take(&mut y.elements()[place(row, column)]);
                assert_eq!(given, expected, "{name}: {strides:?} [{row}, {column}]");
            }
        });
    }
}
