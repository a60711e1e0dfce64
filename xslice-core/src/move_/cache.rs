//! Which cache keeps a result, by its bytes alone: that decides how it is written.

/// The nearest cache that keeps a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    /// The first: the result is written before what is fetched ahead would have come.
    Near,
    /// The second, what is read with it, too.
    Second,
    /// Another one.
    Far,
    /// None: lines that are written whole need not be read first.
    None,
}

impl Cache {
    /// A result of at most this many bytes stays near.
    pub const NEAR: usize = 16 << 10;

    /// The same of the second cache.
    const SECOND: usize = 512 << 10;

    /// That of a result of `bytes` bytes.
    #[inline]
    pub fn of(bytes: usize) -> Self {
        match bytes {
            ..=Self::NEAR => Self::Near,
            _ if bytes <= Self::SECOND => Self::Second,
            _ if bytes >= kept_by_none() => Self::None,
            _ => Self::Far,
        }
    }
}

/// No cache keeps results of at least this many bytes: three quarters of the last one. `usize::MAX` where its size is not known: only
/// x86-64 tells.
fn kept_by_none() -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| last_level_cache().map_or(usize::MAX, |bytes| bytes / 4 * 3))
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    {
        usize::MAX
    }
}

/// Bytes of the largest cache that `cpuid` describes.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn last_level_cache() -> Option<usize> {
    // Intel describes caches in leaf 4, AMD in the same form in leaf 0x8000_001d.
    let leaves = [(0, 4), (0x8000_0000, 0x8000_001d)];
    let known = leaves
        .into_iter()
        .filter(|&(first, leaf)| cpuid(first, 0).eax >= leaf);
    let caches = known.flat_map(|(_, leaf)| (0..8).map(move |cache| cpuid(leaf, cache)));
    let described = caches.filter(|cache| cache.eax & 0x1f != 0);
    let bytes = described.map(|cache| {
        let ways = (cache.ebx >> 22) as usize + 1;
        let partitions = (cache.ebx >> 12 & 0x3ff) as usize + 1;
        let line = (cache.ebx & 0xfff) as usize + 1;
        ways * partitions * line * (cache.ecx as usize + 1)
    });
    bytes.max()
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unused_unsafe,
    reason = "in Rust 1.89 the call is unsafe, in newer ones it is not"
)]
pub(super) fn cpuid(leaf: u32, part: u32) -> core::arch::x86_64::CpuidResult {
    // SAFETY: every x86-64 processor has the instruction; it touches no memory (I3).
    unsafe { core::arch::x86_64::__cpuid_count(leaf, part) }
}
