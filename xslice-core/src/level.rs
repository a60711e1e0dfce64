//! Which vector instructions the processor has. What is made of them is decided where they are used: which tables a pattern gets in
//! `shuffle`, which rows are a pattern in `nest`, which code runs in `move_`.
//!
//! A [`Level`] is a value, and holding one is the proof that the processor has its instructions: it is made only by detection. The best
//! one is detected once; `XSLICE_SIMD` lowers it and never raises it.

/// Vector instructions that this processor has. Every engine uses the best ones; to compare others there is
/// [`runner::run_at`](crate::runner::run_at).
///
/// ```
/// # use xslice_core::Level;
/// let names: Vec<_> = Level::all().map(Level::name).collect(); // such as scalar, avx2, avx512
/// assert_eq!(names[0], Level::SCALAR.name());
/// assert!(names.contains(&Level::best().name()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level(Kind);

/// The instructions behind a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// None that the compiler does not take by itself.
    Scalar,
    /// 16-byte vectors with byte permutes: `tbl` and `tbx`.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon,
    /// 16-byte lanes with byte permutes: `vpshufb` of AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 64-byte vectors with byte permutes and byte masks: AVX-512 F, BW, VL, DQ and VBMI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

#[cfg(feature = "std")]
static BEST: std::sync::OnceLock<Level> = std::sync::OnceLock::new();

impl Level {
    /// No vector instructions of its own: every processor has it.
    pub const SCALAR: Self = Self(Kind::Scalar);

    /// Every level that this processor has, lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS
            .iter()
            .map(|&(_, kind)| Self(kind))
            .filter(|level| level.detected())
    }

    /// The best level, or the one that `XSLICE_SIMD` (`scalar`, `neon`, `avx2`, `avx512`) lowers it to; settled at the first call.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        #[cfg(feature = "std")]
        {
            match BEST.get() {
                Some(level) => *level,
                None => Self::settle(),
            }
        }
        #[cfg(not(feature = "std"))]
        {
            Self::all().last().unwrap_or(Self::SCALAR)
        }
    }

    #[cfg(feature = "std")]
    #[cold]
    fn settle() -> Self {
        *BEST.get_or_init(|| match std::env::var_os("XSLICE_SIMD") {
            Some(wanted) => Self::up_to(&wanted.to_string_lossy()),
            None => Self::all().last().unwrap_or(Self::SCALAR),
        })
    }

    /// The best level once it is settled, as it is wherever there is a schedule: short calls have nothing to save for a first one.
    #[inline]
    pub(crate) fn settled() -> Self {
        #[cfg(feature = "std")]
        {
            BEST.get().copied().unwrap_or(Self::SCALAR)
        }
        #[cfg(not(feature = "std"))]
        {
            Self::best()
        }
    }

    /// The best level that is not above the named one; no level of its own for a name that is not known, so that a typing error
    /// lowers too.
    #[cfg(feature = "std")]
    pub(crate) fn up_to(wanted: &str) -> Self {
        let named = |(name, _): &&(&str, Kind)| name.eq_ignore_ascii_case(wanted);
        let ceiling = KINDS
            .iter()
            .find(named)
            .map_or(Kind::Scalar, |&(_, kind)| kind);
        let allowed = Self::all().filter(|level| level.0 <= ceiling);
        allowed.last().unwrap_or(Self::SCALAR)
    }

    /// The name, as in `XSLICE_SIMD`.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|&&(_, kind)| kind == self.0)
            .map_or("scalar", |(name, _)| name)
    }

    /// Bytes of the vectors that shuffles are made of at the lowest level.
    pub(crate) const SHORTEST_VECTOR: usize = 16;

    /// Bytes of the vectors that shuffles are made of: two of the lowest level's with AVX2.
    #[doc(hidden)]
    #[must_use]
    pub fn vector(self) -> usize {
        match self.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => 64,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => 32,
            _ => Self::SHORTEST_VECTOR,
        }
    }

    pub(crate) fn kind(self) -> Kind {
        self.0
    }

    fn detected(self) -> bool {
        match self.0 {
            Kind::Scalar => true,
            // The crate is compiled for it or not: there is nothing to detect. Indices are narrowed as little endian has them.
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Kind::Neon => cfg!(target_endian = "little"),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => has!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => {
                has!(
                    "avx2",
                    "avx512f",
                    "avx512bw",
                    "avx512vl",
                    "avx512dq",
                    "avx512vbmi"
                )
            }
        }
    }
}

/// By the processor at run time, or by what the crate is compiled for where there is no standard library.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt),*) => {{
        #[cfg(feature = "std")]
        { $(std::arch::is_x86_feature_detected!($feature))&&* }
        #[cfg(not(feature = "std"))]
        { $(cfg!(target_feature = $feature))&&* }
    }};
}
#[cfg(target_arch = "x86_64")]
use has;

/// Whether the processor has no AVX-512, whatever level is used.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_without_avx512() -> bool {
    !has!("avx512f")
}

const KINDS: &[(&str, Kind)] = &[
    ("scalar", Kind::Scalar),
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    ("neon", Kind::Neon),
    #[cfg(target_arch = "x86_64")]
    ("avx2", Kind::Avx2),
    #[cfg(target_arch = "x86_64")]
    ("avx512", Kind::Avx512),
];
