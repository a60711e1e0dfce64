//! Constants from the bytes of their elements, the lowest of each first.

macro_rules! data {
    ($($name:ident: $element:ty, $width:literal, |$bytes:ident| $value:expr;)*) => {$(
        /// Elements of that type.
        #[must_use]
        pub const fn $name<const N: usize, const B: usize>(bytes: &[u8; B]) -> [$element; N] {
            assert!(B == N * $width);
            let mut all = {
                let $bytes = [0; $width];
                [$value; N]
            };
            let (words, _) = bytes.as_chunks::<$width>();
            let mut at = 0;
            while at < N {
                let $bytes = words[at];
                all[at] = $value;
                at += 1;
            }
            all
        }
    )*};
}

/// The number of some of the bytes, the lowest first. No call: the compiler counts those of a constant, and gives up on long ones.
macro_rules! number {
    ($number:ident, $bytes:ident, $($at:literal)*) => {
        0 $(| ($bytes[$at] as core::primitive::$number) << (8 * $at % core::primitive::$number::BITS))*
    };
}

data! {
    bool: core::primitive::bool, 1, |b| b[0] != 0;
    i8: core::primitive::i8, 1, |b| b[0] as core::primitive::i8;
    i16: core::primitive::i16, 2, |b| number!(i16, b, 0 1);
    i32: core::primitive::i32, 4, |b| number!(i32, b, 0 1 2 3);
    i64: core::primitive::i64, 8, |b| number!(i64, b, 0 1 2 3 4 5 6 7);
    u8: core::primitive::u8, 1, |b| b[0];
    u16: core::primitive::u16, 2, |b| number!(u16, b, 0 1);
    u32: core::primitive::u32, 4, |b| number!(u32, b, 0 1 2 3);
    u64: core::primitive::u64, 8, |b| number!(u64, b, 0 1 2 3 4 5 6 7);
    f16: crate::half::f16, 2, |b| crate::half::f16::from_bits(number!(u16, b, 0 1));
    bf16: crate::half::bf16, 2, |b| crate::half::bf16::from_bits(number!(u16, b, 0 1));
    f32: core::primitive::f32, 4, |b| core::primitive::f32::from_bits(number!(u32, b, 0 1 2 3));
    f64: core::primitive::f64, 8, |b| core::primitive::f64::from_bits(number!(u64, b, 0 1 2 3 4 5 6 7));
    c64: crate::num_complex::Complex<core::primitive::f32>, 8, |b| crate::num_complex::Complex {
        re: core::primitive::f32::from_bits(number!(u32, b, 0 1 2 3)),
        im: core::primitive::f32::from_bits(number!(u32, b, 4 5 6 7)),
    };
    c128: crate::num_complex::Complex<core::primitive::f64>, 16, |b| crate::num_complex::Complex {
        re: core::primitive::f64::from_bits(number!(u64, b, 0 1 2 3 4 5 6 7)),
        im: core::primitive::f64::from_bits(number!(u64, b, 8 9 10 11 12 13 14 15)),
    };
}
