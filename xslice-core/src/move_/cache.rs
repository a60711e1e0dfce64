//! Which cache keeps a result, and what is read for it: that decides how it is written.

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

    /// That of a result of `written` bytes, for which `read` bytes are read, with the rest of their lines.
    #[inline]
    pub fn of(written: usize, read: usize) -> Self {
        match written {
            ..=Self::NEAR => Self::Near,
            // And no more than half of what is kept, however little is read.
            _ if written.saturating_add(read.max(written)) <= kept_by_first() => Self::Near,
            _ if written <= Self::SECOND => Self::Second,
            _ if written >= kept_by_none() => Self::None,
            _ => Self::Far,
        }
    }

    /// That of a result of which as much is read as written.
    pub fn of_copied(bytes: usize) -> Self {
        Self::of(bytes, bytes)
    }
}

/// Bytes that the first cache keeps beside whatever else is read and written: fifteen sixteenths of it; two small results where its size is not
/// known.
#[inline]
fn kept_by_first() -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| {
            caches()
                .min()
                .map_or(2 * Cache::NEAR, |bytes| bytes / 16 * 15)
        })
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    {
        2 * Cache::NEAR
    }
}

/// No cache keeps results of at least this many bytes: three quarters of the last one. `usize::MAX` where its size is not known: only
/// x86-64 tells.
fn kept_by_none() -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| caches().max().map_or(usize::MAX, |bytes| bytes / 4 * 3))
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    {
        usize::MAX
    }
}

/// Bytes of each cache of data that `cpuid` describes.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn caches() -> impl Iterator<Item = usize> {
    const OF_INSTRUCTIONS: u32 = 2;
    // Intel describes caches in leaf 4, AMD in the same form in leaf 0x8000_001d.
    let leaves = [(0, 4), (0x8000_0000, 0x8000_001d)];
    let known = leaves
        .into_iter()
        .filter(|&(first, leaf)| cpuid(first, 0).eax >= leaf);
    let caches = known.flat_map(|(_, leaf)| (0..8).map(move |cache| cpuid(leaf, cache)));
    let described = caches.filter(|cache| ![0, OF_INSTRUCTIONS].contains(&(cache.eax & 0x1f)));
    described.map(|cache| {
        let ways = (cache.ebx >> 22) as usize + 1;
        let partitions = (cache.ebx >> 12 & 0x3ff) as usize + 1;
        let line = (cache.ebx & 0xfff) as usize + 1;
        ways * partitions * line * (cache.ecx as usize + 1)
    })
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

#[cfg(test)]
mod tests {
    use super::{Cache, kept_by_first};

    #[test]
    fn what_is_read_counts_but_for_small_results() {
        let half = kept_by_first() / 2;
        assert_eq!(Cache::of(Cache::NEAR, usize::MAX), Cache::Near);
        assert!(half < Cache::NEAR || Cache::of(half, half) == Cache::Near);
        assert!(half < Cache::NEAR || Cache::of(half, half + 2) == Cache::Second);
        let more = half.max(Cache::NEAR) + 2;
        assert_eq!(Cache::of(more, 0), Cache::Second);
        assert_eq!(Cache::of_copied(more), Cache::Second);
    }
}
