//! An image on its way into a file.
//!
//! Decided here: rows are encoded one after the other into bytes that are asked for as they come, because nothing in the encoder can
//! refuse memory for a whole image.

use crate::error::Fault;
use crate::{files, scalar};
use png::{BitDepth, ColorType, Encoder, EncodingError};
use std::io::{self, Write};

/// Pixels that are put into the byte order of the format at a time, and bytes of a chunk.
const PIECE: usize = 64 << 10;

/// Rows that the encoder has at a time, at most.
const ROWS: u64 = 8;

/// What it takes beside them.
const BESIDES: u64 = 1 << 20;

/// The file of an image whose pixels lie in the byte order of this machine.
///
/// # Errors
/// No memory.
pub fn image(
    [width, height]: [u32; 2],
    color: ColorType,
    depth: BitDepth,
    pixels: &[u8],
) -> Result<Vec<u8>, Fault> {
    let row = u64::from(width) * color.samples() as u64 * (depth as u64).div_ceil(8);
    files::admit(ROWS * row + BESIDES)?;
    let mut room = Room::default();
    let mut encoder = Encoder::new(&mut room, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let write = || -> Result<(), EncodingError> {
        let mut writer = encoder.write_header()?;
        let mut rows = writer.stream_writer_with_size(PIECE)?;
        if depth == BitDepth::Sixteen && cfg!(target_endian = "little") {
            for piece in pixels.chunks(PIECE) {
                let mut piece = piece.to_vec();
                scalar::swap_bytes(&mut piece, 2);
                rows.write_all(&piece)?;
            }
        } else {
            rows.write_all(pixels)?;
        }
        rows.finish()?;
        writer.finish()
    };
    write().map_err(|error| Fault::File(format!("cannot write the image: {error}")))?;
    room.bytes()
}

/// Bytes of a file, as long as there is memory for them. Then it takes no more and says so in the end: the encoder would break on an
/// error between.
#[derive(Default)]
struct Room {
    bytes: Vec<u8>,
    /// What did not fit any more.
    missing: usize,
}

impl Room {
    fn bytes(self) -> Result<Vec<u8>, Fault> {
        match self.missing {
            0 => Ok(self.bytes),
            missing => Err(files::no_memory((self.bytes.len() + missing) as u64)),
        }
    }
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.missing == 0 && self.bytes.try_reserve(bytes.len()).is_ok() {
            self.bytes.extend_from_slice(bytes);
        } else {
            self.missing += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
