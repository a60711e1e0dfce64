//! The colors of an indexed image.
//!
//! Decided here: what a palette is, and that an index beyond it is refused with its place. The decoder would break on the first and
//! make up a black pixel for the second.

use crate::error::Fault;
use crate::files;
use png::Info;
use xslice::counted;

/// Colors with their alpha, by index.
pub struct Palette {
    colors: Vec<[u8; 4]>,
    has_alpha: bool,
}

impl Palette {
    /// The palette of an image whose chunks before the pixels are read.
    ///
    /// # Errors
    /// No palette, or one that is no list of colors.
    pub fn read(info: &Info<'_>) -> Result<Self, Fault> {
        let Some(bytes) = info.palette.as_deref() else {
            return Err(Fault::Format("an indexed image without a palette".into()));
        };
        if bytes.is_empty() || bytes.len() > 768 || bytes.len() % 3 != 0 {
            return Err(Fault::Format(format!(
                "the palette has {} (allowed: a multiple of 3, 3..=768)",
                counted(bytes.len(), "byte", "bytes")
            )));
        }
        let count = bytes.len() / 3;
        // By the text of the format a longer list is an error, which readers meet by passing over it.
        let alpha = info.trns.as_deref().filter(|alpha| alpha.len() <= count);
        let alpha = alpha.unwrap_or_default().iter().copied();
        let alpha = alpha.chain(std::iter::repeat(255));
        let colors = bytes.chunks_exact(3).zip(alpha);
        Ok(Self {
            colors: colors.map(|(c, alpha)| [c[0], c[1], c[2], alpha]).collect(),
            has_alpha: info.trns.is_some(),
        })
    }

    /// 3, or 4 where some colors are transparent.
    pub fn channels(&self) -> usize {
        if self.has_alpha { 4 } else { 3 }
    }

    /// The colors of rows of `width` indices with `bits` bits each, the first in the highest bits; each row begins with a byte.
    ///
    /// # Errors
    /// An index that has no color; no memory.
    pub fn expand(&self, indices: &[u8], width: usize, bits: usize) -> Result<Vec<u8>, Fault> {
        let rows = indices.chunks_exact((width * bits).div_ceil(8));
        let size = rows.len() * width * self.channels();
        let mut pixels = Vec::new();
        files::reserve(&mut pixels, size as u64)?;
        let mask = u8::MAX >> (8 - bits);
        for (y, row) in rows.enumerate() {
            for x in 0..width {
                let at = x * bits;
                let index = (row[at / 8] >> (8 - bits - at % 8)) & mask;
                let Some(color) = self.colors.get(usize::from(index)) else {
                    let most = self.colors.len() - 1;
                    return Err(Fault::Format(format!(
                        "the pixel at [{y}, {x}] has palette index {index} (allowed: 0..={most})"
                    )));
                };
                pixels.extend_from_slice(&color[..self.channels()]);
            }
        }
        Ok(pixels)
    }
}
