//! Which cache keeps a result: that decides how it is written.

/// The nearest cache that keeps a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    /// The first: the result is written before what is fetched ahead would have come.
    Near,
    /// The second.
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

    /// The first cache keeps a result of so many bytes, if little else comes into it: seven eighths of it.
    pub fn most_of_first() -> usize {
        kept_by_first() / 4 * 7
    }

    /// That of a result of `written` bytes.
    #[inline]
    pub fn of(written: usize) -> Self {
        match written {
            ..=Self::NEAR => Self::Near,
            _ if written <= kept_by_first() => Self::Near,
            _ if written <= Self::SECOND => Self::Second,
            _ if written >= kept_by_none() => Self::None,
            _ => Self::Far,
        }
    }
}

/// The first cache keeps results of at most this many bytes, whatever else is read and written: half of it; [`Cache::NEAR`] where its size is
/// not known.
#[inline]
fn kept_by_first() -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| {
            let first = caches().find(|&(level, _)| level == 1);
            first.map_or(Cache::NEAR, |(_, bytes)| bytes / 2)
        })
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    {
        Cache::NEAR
    }
}

/// No cache keeps results of at least this many bytes: three quarters of the last one. `usize::MAX` where its size is not known: only
/// x86-64 tells.
fn kept_by_none() -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| {
            let largest = caches().map(|(_, bytes)| bytes).max();
            largest.map_or(usize::MAX, |bytes| bytes / 4 * 3)
        })
    }
    #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
    {
        usize::MAX
    }
}

/// Level and bytes of each cache of data that `cpuid` describes.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn caches() -> impl Iterator<Item = (u32, usize)> {
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
        let bytes = ways * partitions * line * (cache.ecx as usize + 1);
        (cache.eax >> 5 & 7, bytes)
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
    fn results_go_to_the_nearest_cache_that_has_room() {
        let half = kept_by_first().max(Cache::NEAR);
        assert_eq!(
            [0, Cache::NEAR, half, half + 1, Cache::SECOND].map(Cache::of),
            [
                Cache::Near,
                Cache::Near,
                Cache::Near,
                Cache::Second,
                Cache::Second
            ]
        );
        assert!([Cache::Far, Cache::None].contains(&Cache::of(Cache::SECOND + 1)));
    }
}
