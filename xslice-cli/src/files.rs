//! Files: reading with a limit, tensors by their extension, and names for what is written. How results get to their places is in
//! `staged`.

mod staged;

pub use staged::{Staged, is_standard_output};

use crate::error::{Error, Fault, Result, too_large};
use crate::{npy, pb, png};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use xslice::{ElementType, Tensor};

/// The default of `--max-bytes`: 8 GiB.
pub const DEFAULT_MAX_BYTES: u64 = 8 << 30;

/// The extension of a file name, in lower case.
#[must_use]
pub fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Fault::File(format!("cannot {what}: {error}")).at(path)
}

/// A file to read, and its length. Only regular files: to open a pipe may wait for ever, and a device may have no end.
fn open(path: &Path) -> Result<(File, u64)> {
    let metadata = fs::metadata(path).map_err(|error| cannot("open", path, &error))?;
    if !metadata.is_file() {
        return Err(Fault::File("cannot read: it is no regular file".into()).at(path));
    }
    let file = File::open(path).map_err(|error| cannot("open", path, &error))?;
    Ok((file, metadata.len()))
}

/// A whole file of at most `max_bytes`.
///
/// # Errors
/// What the operating system refuses, and a file that is larger.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let (file, len) = open(path)?;
    if len > max_bytes {
        return Err(too_large("the file", len, max_bytes).at(path));
    }
    let mut bytes = Vec::new();
    reserve(&mut bytes, len).map_err(|error| error.at(path))?;
    file.take(len)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot("read", path, &error))?;
    Ok(bytes)
}

/// `len` bytes of a file from `offset`.
///
/// # Errors
/// What the operating system refuses, and a range that the file does not hold.
pub fn read_range(path: &Path, offset: u64, len: usize) -> Result<Vec<u8>> {
    let (mut file, size) = open(path)?;
    if offset.checked_add(len as u64).is_none_or(|end| end > size) {
        let what = format!(
            "{len} bytes from offset {offset} are asked for (allowed: up to offset {size}, the end of the file)"
        );
        return Err(Fault::Format(what).at(path));
    }
    let mut bytes = Vec::new();
    reserve(&mut bytes, len as u64).map_err(|error| error.at(path))?;
    bytes.resize(len, 0);
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|error| cannot("read", path, &error))?;
    Ok(bytes)
}

/// Room for `len` bytes, or a refusal where there is no memory for them.
pub(crate) fn reserve(bytes: &mut Vec<u8>, len: u64) -> Result<(), Fault> {
    let room = usize::try_from(len).is_ok_and(|len| bytes.try_reserve_exact(len).is_ok());
    room.then_some(()).ok_or_else(|| no_memory(len))
}

/// What every reader and writer of files says where there is no memory for `len` bytes.
pub(crate) fn no_memory(len: u64) -> Fault {
    let text = format!("no memory for {len} bytes");
    xslice::Error::new(xslice::ErrorKind::OutOfMemory, text)
        .value(len)
        .into()
}

/// A refusal where there is no memory for `len` bytes. Nothing is kept: it shows that what cannot refuse itself will get as much.
pub(crate) fn admit(len: u64) -> Result<(), Fault> {
    reserve(&mut Vec::new(), len)
}

/// What a string takes beside its bytes: in a list that grew, with what the allocator adds.
pub(crate) const STRING_BYTES: u64 = 96;

/// The same bytes, or a refusal where there is no memory for them.
pub(crate) fn copy(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut copy = Vec::new();
    reserve(&mut copy, bytes.len() as u64)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// The tensor in a `.npy`, `.pb` or `.png` file, with its name in the file (empty but for `.pb`).
///
/// `.npy` has no bf16: where that is `wanted`, 16-bit patterns are taken for it.
///
/// # Errors
/// Every fault of the file.
pub fn read_tensor(
    path: &Path,
    wanted: Option<ElementType>,
    max_bytes: u64,
) -> Result<(String, Tensor)> {
    let known = matches!(extension(path).as_deref(), Some("npy" | "pb" | "png"));
    let bytes = if known {
        read(path, max_bytes)?
    } else {
        Vec::new()
    };
    decode(path, bytes, wanted, max_bytes).map_err(|fault| fault.at(path))
}

/// The tensor in the bytes of a file of that name, with its name in the file; an image takes at most `max_bytes`.
///
/// # Errors
/// Every fault of the bytes.
pub fn decode(
    path: &Path,
    bytes: Vec<u8>,
    wanted: Option<ElementType>,
    max_bytes: u64,
) -> Result<(String, Tensor), Fault> {
    match extension(path).as_deref() {
        Some("npy") => npy::parse(bytes, wanted).map(|tensor| (String::new(), tensor)),
        Some("pb") => pb::parse(&bytes, max_bytes),
        Some("png") => png::parse(&bytes, max_bytes).map(|tensor| (String::new(), tensor)),
        _ => Err(unknown_format(path)),
    }
}

fn unknown_format(path: &Path) -> Fault {
    let streams = if path == Path::new("-") {
        "; tensors are not read from standard input or written to standard output"
    } else {
        ""
    };
    Fault::Format(format!(
        "the name says no known tensor format (allowed: .npy, .pb, .png){streams}"
    ))
}

/// The bytes of a tensor file for that path; `name` goes into a `.pb` file.
///
/// # Errors
/// Strings in a `.npy` file; in a `.png` file what is no image.
pub fn encode(path: &Path, name: &str, tensor: &Tensor) -> Result<Vec<u8>, Fault> {
    match extension(path).as_deref() {
        Some("npy") => npy::to_bytes(tensor),
        Some("pb") => pb::to_bytes(name, tensor),
        Some("png") => png::to_bytes(tensor),
        _ => Err(unknown_format(path)),
    }
}

/// Writes a tensor to a `.npy`, `.pb` or `.png` file; `name` goes into a `.pb` file.
///
/// # Errors
/// What the operating system refuses; what a file of that kind does not hold. Then nothing is written.
pub fn write_tensor(path: &Path, name: &str, tensor: &Tensor) -> Result<()> {
    let mut staged = Staged::default();
    staged.write_tensor(path, name, tensor)?;
    staged.publish(|| Ok(()))
}

/// A file name for an output of that name: nothing that leaves the directory, hides the file or is too long for it.
#[must_use]
pub fn safe_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .take(60)
        .map(|c| {
            let plain = c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
            if plain { c } else { '_' }
        })
        .collect();
    let safe = match safe.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => safe,
    };
    if safe.is_empty() {
        "output".into()
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_names_never_leave_their_directory() {
        assert_eq!(safe_name("../../etc/passwd"), "_._.._etc_passwd");
        assert_eq!(safe_name("/abs"), "_abs");
        assert_eq!(safe_name(".."), "_.");
        assert_eq!(safe_name(""), "output");
        assert_eq!(safe_name("a\0b\nc\\d"), "a_b_c_d");
        assert_eq!(safe_name("y.1"), "y.1");
        assert!(safe_name(&"x".repeat(10_000)).len() < 200);
    }
}
