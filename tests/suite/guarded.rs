//! Memory between two pages that nobody may touch.

/// Memory between two pages without access.
pub struct Guarded {
    map: *mut u8,
    pages: usize,
}

/// The largest that a kernel for the processor has: smaller ones divide it.
pub const PAGE: usize = if cfg!(target_arch = "x86_64") {
    4 << 10
} else {
    64 << 10
};

impl Guarded {
    pub fn new(bytes: usize) -> Self {
        let pages = bytes.div_ceil(PAGE).max(1);
        let len = (pages + 2) * PAGE;
        // SAFETY: a fresh anonymous mapping; both guard pages lie inside it.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let map = libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0);
            assert_ne!(map, libc::MAP_FAILED);
            let map = map.cast::<u8>();
            assert_eq!(libc::mprotect(map.cast(), PAGE, libc::PROT_NONE), 0);
            let last = map.add(len - PAGE);
            assert_eq!(libc::mprotect(last.cast(), PAGE, libc::PROT_NONE), 0);
            map
        };
        Self { map, pages }
    }

    /// `bytes` bytes that begin (or end) at a guard page.
    pub fn bytes(&mut self, bytes: usize, at_end: bool) -> &mut [u8] {
        let offset = if at_end { self.pages * PAGE - bytes } else { 0 };
        // SAFETY: the bytes lie between the guard pages, and the mapping lives as long as `self`, which is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(PAGE + offset), bytes) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length and nobody borrows it any more.
        unsafe { libc::munmap(self.map.cast(), (self.pages + 2) * PAGE) };
    }
}
