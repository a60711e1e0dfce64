//! What processors with the same instructions differ in, as it was measured: Sapphire Rapids on one side, Zen 3 and Zen 4 on the other, told
//! apart by their vendor; and Zen 3 from both by what it lacks. Only speed depends on it.

use crate::level;

/// Whether the lines of the result are fetched before rows are written to them. With that, rows took up to a third less time on Sapphire
/// Rapids, by whatever vectors; up to a third more on Zen 3, and a twentieth more on Zen 4.
#[inline]
pub(super) fn fetches_written() -> bool {
    !is_amd()
}

/// Whether rows that are read forwards with small gaps between them are fetched ahead with AVX-512. On Zen 4, whose own prefetchers keep
/// their pace there, that takes up to a fifth longer.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_behind_gaps() -> bool {
    !is_amd()
}

/// Whether a gather is quicker than as many loads. On Zen 4 it takes up to two thirds longer.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_quick_gathers() -> bool {
    !is_amd()
}

/// Whether rows of far tables move in turn with their indices. With that, Zen 4 takes a fifth less time than for block after block, as does
/// Sapphire Rapids; Zen 3, which is told from them by what it lacks, a sixth more.
#[inline]
pub(super) fn takes_far_rows_in_turn() -> bool {
    !level::is_without_avx512()
}

/// Whether a loop that asks for lines as fast as it can makes the last cache slower. On Zen 4, runs of some megabytes take up to a fifth less
/// time when it does not; why is not known: fetching ahead makes it worse, by whatever vectors lines are asked for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn outruns_caches() -> bool {
    is_amd()
}

/// Whether rows that no cache keeps, and that lie close to each other, are quicker one after the other than some of them side by side. On
/// Zen 4 rows of some kilobytes take a fifth less time with that, rows of 400 to 1000 bytes half the time. Not timed on Zen 3.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn streams_in_sequence() -> bool {
    is_amd()
}

#[inline]
fn is_amd() -> bool {
    #[cfg(all(test, feature = "std"))]
    if let Some(is_amd) = pretended::SIDE.get() {
        return is_amd;
    }
    #[cfg(target_arch = "x86_64")]
    {
        vendor::is_amd()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

#[cfg(target_arch = "x86_64")]
mod vendor {
    use crate::move_::cache::cpuid;
    use core::sync::atomic::{AtomicU8, Ordering};

    /// Kept once it has been asked for: that takes a microsecond or more where the processor is a virtual one.
    static VENDOR: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const AMD: u8 = 1;
    const OTHER: u8 = 2;

    #[inline]
    pub fn is_amd() -> bool {
        let vendor = match VENDOR.load(Ordering::Relaxed) {
            UNKNOWN => ask(),
            vendor => vendor,
        };
        vendor == AMD
    }

    #[cold]
    fn ask() -> u8 {
        let name = cpuid(0, 0);
        let name = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes);
        let vendor = match name.as_flattened() {
            b"AuthenticAMD" => AMD,
            _ => OTHER,
        };
        VENDOR.store(vendor, Ordering::Relaxed);
        vendor
    }
}

#[cfg(all(test, feature = "std"))]
mod pretended {
    use std::cell::Cell;

    std::thread_local! {
        pub static SIDE: Cell<Option<bool>> = const { Cell::new(None) };
    }
}

/// Runs a test as on each side.
#[cfg(test)]
pub(super) fn on_each_side(test: impl Fn()) {
    #[cfg(feature = "std")]
    for is_amd in [false, true] {
        pretended::SIDE.set(Some(is_amd));
        test();
    }
    #[cfg(feature = "std")]
    pretended::SIDE.set(None);
    #[cfg(not(feature = "std"))]
    test();
}
