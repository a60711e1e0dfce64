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

/// The half of a complex number.
const fn half<const N: usize, const M: usize>(bytes: [u8; M], from: usize) -> [u8; N] {
    let mut half = [0; N];
    let mut at = 0;
    while at < N {
        half[at] = bytes[from + at];
        at += 1;
    }
    half
}

data! {
    bool: core::primitive::bool, 1, |b| b[0] != 0;
    i8: core::primitive::i8, 1, |b| core::primitive::i8::from_le_bytes(b);
    i16: core::primitive::i16, 2, |b| core::primitive::i16::from_le_bytes(b);
    i32: core::primitive::i32, 4, |b| core::primitive::i32::from_le_bytes(b);
    i64: core::primitive::i64, 8, |b| core::primitive::i64::from_le_bytes(b);
    u8: core::primitive::u8, 1, |b| b[0];
    u16: core::primitive::u16, 2, |b| core::primitive::u16::from_le_bytes(b);
    u32: core::primitive::u32, 4, |b| core::primitive::u32::from_le_bytes(b);
    u64: core::primitive::u64, 8, |b| core::primitive::u64::from_le_bytes(b);
    f16: crate::half::f16, 2, |b| crate::half::f16::from_le_bytes(b);
    bf16: crate::half::bf16, 2, |b| crate::half::bf16::from_le_bytes(b);
    f32: core::primitive::f32, 4, |b| core::primitive::f32::from_le_bytes(b);
    f64: core::primitive::f64, 8, |b| core::primitive::f64::from_le_bytes(b);
    c64: crate::num_complex::Complex<core::primitive::f32>, 8, |b| crate::num_complex::Complex {
        re: core::primitive::f32::from_le_bytes(half(b, 0)),
        im: core::primitive::f32::from_le_bytes(half(b, 4)),
    };
    c128: crate::num_complex::Complex<core::primitive::f64>, 16, |b| crate::num_complex::Complex {
        re: core::primitive::f64::from_le_bytes(half(b, 0)),
        im: core::primitive::f64::from_le_bytes(half(b, 8)),
    };
}
