//! PNG images as tensors, and back.
//!
//! Read: every color type. Gray becomes `[height, width]`, all others `[height, width, channels]`; palettes are expanded, fewer than 8 bits
//! become 8, a transparent color becomes a channel. Written: u8 and u16 of those shapes with 1 to 4 channels. The header is believed
//! only as far as the bytes after it can fill the image, and memory is asked for after that.

mod palette;
mod write;

use crate::error::{Fault, too_large};
use crate::{files, scalar};
use palette::Palette;
use png::{
    BitDepth, ColorType, DecodeOptions, Decoder, DecodingError, Limits, Reader, Transformations,
};
use std::io::{BufRead, Cursor, Seek};
use xslice::{ElementType, Tensor};

/// No deflate stream grows by more than this, which is 258 bytes from two bits.
const MOST_GROWTH: u64 = 1032;

/// What a decoder may take for everything beside the image.
const BESIDES: usize = 64 << 20;

/// The tensor in the bytes of a `.png` file.
///
/// # Errors
/// [`Fault::Format`] for anything that is not such a file; an image of more than `max_bytes`.
pub fn parse(file: &[u8], max_bytes: u64) -> Result<Tensor, Fault> {
    let mut options = DecodeOptions::default();
    options.set_ignore_adler32(false);
    let mut decoder = Decoder::new_with_options(Cursor::new(file), options);
    decoder.set_limits(Limits { bytes: BESIDES });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let is_indexed = admit(&mut decoder, file.len(), max_bytes)? == ColorType::Indexed;
    if !is_indexed {
        decoder.set_transformations(Transformations::EXPAND);
    }
    let mut reader = decoder.read_info().map_err(|error| broken(&error))?;
    let palette = if is_indexed {
        Some(Palette::read(reader.info())?)
    } else {
        None
    };
    let (color, depth) = reader.output_color_type();
    let (height, width) = (reader.info().height as usize, reader.info().width as usize);
    let bytes = pixels(&mut reader, palette.as_ref(), max_bytes)?;
    let (element_type, bytes) = match depth {
        BitDepth::Sixteen => (ElementType::U16, native(bytes)),
        _ => (ElementType::U8, bytes),
    };
    let mut shape = vec![height, width];
    match palette {
        Some(palette) => shape.push(palette.channels()),
        None if color == ColorType::Grayscale => {}
        None => shape.push(color.samples()),
    }
    Ok(Tensor::from_bytes(element_type, &shape, bytes)?)
}

/// Reads the image, and puts colors for the indices into a palette.
fn pixels<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    palette: Option<&Palette>,
    max_bytes: u64,
) -> Result<Vec<u8>, Fault> {
    let (width, height) = (reader.info().width, reader.info().height);
    let size = reader.output_buffer_size();
    let size = size.ok_or_else(|| files::no_memory(u64::MAX))?;
    let result = palette.map_or(size as u64, |palette| {
        let row = u64::from(width).saturating_mul(palette.channels() as u64);
        row.saturating_mul(u64::from(height))
    });
    if result > max_bytes {
        return Err(too_large("the image", result, max_bytes));
    }
    let mut bytes = Vec::new();
    files::reserve(&mut bytes, size as u64)?;
    bytes.resize(size, 0);
    reader
        .next_frame(&mut bytes)
        .and_then(|_| reader.finish())
        .map_err(|error| broken(&error))?;
    match palette {
        Some(palette) => palette.expand(&bytes, width as usize, reader.info().bit_depth as usize),
        None => Ok(bytes),
    }
}

/// Samples of two bytes as this machine has them; the format has the high byte first.
fn native(mut bytes: Vec<u8>) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        scalar::swap_bytes(&mut bytes, 2);
    }
    bytes
}

/// Refuses what the header promises and the file cannot hold, or the limit does not allow; then says what the samples are.
fn admit<R: BufRead + Seek>(
    decoder: &mut Decoder<R>,
    file: usize,
    max_bytes: u64,
) -> Result<ColorType, Fault> {
    let info = decoder.read_header_info().map_err(|error| broken(&error))?;
    let bits = info.color_type.samples() as u64 * info.bit_depth as u64;
    let row = (u64::from(info.width) * bits).div_ceil(8);
    let bytes = row.saturating_mul(u64::from(info.height));
    if bytes > max_bytes {
        return Err(too_large("the image", bytes, max_bytes));
    }
    let most = (file as u64).saturating_mul(MOST_GROWTH);
    if bytes > most {
        let (width, height) = (info.width, info.height);
        return Err(Fault::Format(format!(
            "the header says {width} x {height} pixels, {bytes} bytes, but {file} bytes of file hold at most {most}"
        )));
    }
    Ok(info.color_type)
}

fn broken(error: &DecodingError) -> Fault {
    Fault::Format(match error {
        DecodingError::LimitsExceeded => "the image needs too much memory beside its pixels".into(),
        other => format!("not a whole PNG image: {}", plain(&other.to_string())),
    })
}

/// What the decoder says, with its structures in plain words: it prints a chunk with all that it knows of it, and why a stream is broken
/// as one word.
fn plain(text: &str) -> String {
    if let Some(reason) = text.strip_prefix("Corrupt deflate stream. ") {
        let words = reason.split_inclusive(|_: char| true).map(|c| {
            let lower = c.to_ascii_lowercase();
            if c == lower {
                lower
            } else {
                format!(" {lower}")
            }
        });
        return format!("corrupt deflate stream:{}", words.collect::<String>());
    }
    let mut parts = text.split("ChunkType { type: ");
    let mut plain = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once(',').unwrap_or((part, ""));
        plain.push_str(name);
        plain.push_str(rest.split_once('}').map_or("", |(_, rest)| rest));
    }
    plain.trim_end_matches('.').into()
}

/// The bytes of a `.png` file with this image.
///
/// # Errors
/// [`Fault::Format`] for what is no image.
pub fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>, Fault> {
    let no_image = || {
        let (ty, shape) = (tensor.element_type(), tensor.shape());
        let ending = match ty {
            ElementType::String => ".pb",
            _ => ".npy",
        };
        Fault::Format(format!(
            "{ty} {shape:?} is no image (allowed: u8 or u16, [height, width] or [height, width, 1..=4], none of them 0); \
             name the file {ending} instead"
        ))
    };
    let (height, width, channels) = match *tensor.shape() {
        [height, width] => (height, width, 1),
        [height, width, channels] => (height, width, channels),
        _ => return Err(no_image()),
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        _ => return Err(no_image()),
    };
    let depth = match tensor.element_type() {
        ElementType::U8 => BitDepth::Eight,
        ElementType::U16 => BitDepth::Sixteen,
        _ => return Err(no_image()),
    };
    // The format has 31 bits for each side, and no image without pixels.
    let side = |dim: usize| i32::try_from(dim).ok().filter(|dim| *dim > 0);
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        return Err(no_image());
    };
    let size = [width.unsigned_abs(), height.unsigned_abs()];
    write::image(size, color, depth, tensor.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::Encoder;

    /// A file as the crate writes it, `data` packed as the format says.
    fn file(
        (width, height): (u32, u32),
        color: ColorType,
        depth: BitDepth,
        colors: Option<(&[u8], &[u8])>,
        data: &[u8],
    ) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some((palette, alpha)) = colors {
            encoder.set_palette(palette.to_vec());
            if !alpha.is_empty() {
                encoder.set_trns(alpha.to_vec());
            }
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn every_color_type_is_read() {
        use BitDepth::{Eight, Four, One, Sixteen};
        use ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
        let data: Vec<u8> = (0..48).collect();
        let wide: Vec<u16> = data
            .chunks(2)
            .map(|pair| u16::from(pair[0]) * 256 + u16::from(pair[1]))
            .collect();
        for (color, channels) in [(Grayscale, 1), (GrayscaleAlpha, 2), (Rgb, 3), (Rgba, 4)] {
            let shape = if channels == 1 {
                vec![2, 3]
            } else {
                vec![2, 3, channels]
            };
            let count = 6 * channels;
            let narrow = file((3, 2), color, Eight, None, &data[..count]);
            assert_eq!(
                parse(&narrow, 100).unwrap(),
                Tensor::new(&shape, &data[..count]).unwrap()
            );
            let deep = file((3, 2), color, Sixteen, None, &data[..2 * count]);
            assert_eq!(
                parse(&deep, 100).unwrap(),
                Tensor::new(&shape, &wide[..count]).unwrap()
            );
        }
        let bits = file((3, 1), Grayscale, One, None, &[0b1010_0000]);
        assert_eq!(
            parse(&bits, 100).unwrap(),
            Tensor::new(&[1, 3], &[255u8, 0, 255]).unwrap()
        );
        let palette = [9, 8, 7, 1, 2, 3];
        let plain = file((2, 1), Indexed, Four, Some((&palette, &[])), &[0x10]);
        assert_eq!(
            parse(&plain, 100).unwrap(),
            Tensor::new(&[1, 2, 3], &[1u8, 2, 3, 9, 8, 7]).unwrap()
        );
        let clear = file((2, 1), Indexed, Four, Some((&palette, &[50])), &[0x10]);
        assert_eq!(
            parse(&clear, 100).unwrap(),
            Tensor::new(&[1, 2, 4], &[1u8, 2, 3, 255, 9, 8, 7, 50]).unwrap()
        );
    }

    #[test]
    fn a_palette_is_a_list_of_colors() {
        for len in [4, 5, 7, 767] {
            let palette = &[9; 768][..len];
            let colors = Some((palette, &[][..]));
            let broken = file((2, 1), ColorType::Indexed, BitDepth::Eight, colors, &[0, 0]);
            let text = parse(&broken, 100).unwrap_err().to_string();
            let wanted = format!("the palette has {len} bytes (allowed: a multiple of 3, 3..=768)");
            assert!(text.contains(&wanted), "{text}");
        }
    }

    #[test]
    fn an_index_beyond_the_palette_is_refused_with_its_place() {
        let palette = [9, 8, 7, 1, 2, 3, 4, 5, 6];
        for (depth, data, place, index) in [
            (BitDepth::Eight, &[0, 1, 2, 3, 0, 0][..], "[1, 0]", 3),
            (BitDepth::Four, &[0x01, 0x20, 0x0f, 0x00], "[1, 1]", 15),
            (BitDepth::Two, &[0b00_01_10_00, 0b10_01_11_00], "[1, 2]", 3),
        ] {
            let beyond = file(
                (3, 2),
                ColorType::Indexed,
                depth,
                Some((&palette, &[])),
                data,
            );
            let text = parse(&beyond, 100).unwrap_err().to_string();
            let wanted = format!("the pixel at {place} has palette index {index} (allowed: 0..=2)");
            assert!(text.contains(&wanted), "{text}");
        }
    }

    #[test]
    fn the_checksum_of_the_pixels_is_compared() {
        let mut wrong = file((3, 2), ColorType::Rgb, BitDepth::Eight, None, &[7; 18]);
        // After the pixels: four bytes of this checksum, four of the chunk, and twelve of the last chunk.
        let end = wrong.len() - 16;
        wrong[end - 1] ^= 1;
        let start = wrong.windows(4).position(|name| name == b"IDAT").unwrap();
        let sum = crc(&wrong[start..end]);
        wrong[end..end + 4].copy_from_slice(&sum.to_be_bytes());
        let text = parse(&wrong, 100).unwrap_err().to_string();
        assert!(
            text.contains("corrupt deflate stream: wrong checksum"),
            "{text}"
        );
    }

    #[test]
    fn a_chunk_is_named_in_plain_words() {
        let mut wrong = file((1, 1), ColorType::Rgb, BitDepth::Eight, None, &[7; 3]);
        wrong[29] ^= 1;
        let text = parse(&wrong, 100).unwrap_err().to_string();
        assert!(text.contains("while decoding IHDR chunk [E502"), "{text}");
    }

    #[test]
    fn images_survive_a_round_trip() {
        for shape in [&[4, 5][..], &[4, 5, 2], &[4, 5, 3], &[4, 5, 4], &[1, 1]] {
            let count: usize = shape.iter().product();
            let narrow: Vec<u8> = (0..count).map(|v| (v * 7) as u8).collect();
            let wide: Vec<u16> = (0..count).map(|v| (v * 777) as u16).collect();
            for tensor in [
                Tensor::new(shape, &narrow).unwrap(),
                Tensor::new(shape, &wide).unwrap(),
            ] {
                assert_eq!(parse(&to_bytes(&tensor).unwrap(), 1000).unwrap(), tensor);
            }
        }
    }

    #[test]
    fn an_image_that_does_not_compress_takes_hardly_more_than_its_pixels() {
        let mut state = 1u32;
        let noise: Vec<u8> = (0..90_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let tensor = Tensor::new(&[300, 300], &noise).unwrap();
        let file = to_bytes(&tensor).unwrap();
        assert!(file.len() < 92_000, "{}", file.len());
        assert_eq!(parse(&file, 90_000).unwrap(), tensor);
    }

    #[test]
    fn what_is_no_image_is_refused() {
        for (ty, shape, ending) in [
            (ElementType::F32, &[2, 3][..], ".npy"),
            (ElementType::Bool, &[2, 3], ".npy"),
            (ElementType::U8, &[6], ".npy"),
            (ElementType::U8, &[2, 3, 5], ".npy"),
            (ElementType::U8, &[0, 3], ".npy"),
            (ElementType::U8, &[2, 0, 3], ".npy"),
            (ElementType::U8, &[2, 3, 0], ".npy"),
            (ElementType::U8, &[1, 2, 3, 1], ".npy"),
            (ElementType::String, &[2, 3], ".pb"),
        ] {
            let tensor = Tensor::zeros(ty, shape).unwrap();
            let text = to_bytes(&tensor).unwrap_err().to_string();
            let advice = format!("name the file {ending} instead");
            assert!(
                text.contains("is no image") && text.contains(&advice),
                "{text}"
            );
        }
    }

    #[test]
    fn a_header_that_promises_more_than_the_file_can_hold_is_refused_before_allocating() {
        let mut lie = file((1, 1), ColorType::Rgba, BitDepth::Eight, None, &[0; 4]);
        lie[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        let crc = crc(&lie[12..29]);
        lie[29..33].copy_from_slice(&crc.to_be_bytes());
        let text = parse(&lie, u64::MAX).unwrap_err().to_string();
        assert!(text.contains("65535 x 65535 pixels"), "{text}");
        let text = parse(&lie, 1 << 30).unwrap_err().to_string();
        assert!(text.contains("--max-bytes"), "{text}");
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_refused() {
        let whole = file((3, 2), ColorType::Rgb, BitDepth::Eight, None, &[7; 18]);
        assert!(parse(&whole, 18).is_ok());
        assert!(parse(&whole, 17).is_err());
        // The last chunk is only a length, a name and a checksum.
        for len in 0..whole.len() - 12 {
            assert!(parse(&whole[..len], 18).is_err(), "{len}");
        }
    }

    /// The checksum of the format, bit by bit.
    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
        let crc = bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc))
        });
        !crc
    }
}
