//! Files: reading with a limit, tensors by their extension, and results that appear whole or not at all.
//!
//! A result is written to a temporary file beside its place and renamed when all results of the command are written, so a refusal
//! never leaves a file behind, never half of one, and no folder that was made for it.

use crate::error::{Error, Fault, Result, too_large};
use crate::{npy, pb, png};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
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
        let what = format!("{len} bytes from offset {offset} of a file of {size} bytes");
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
    room.then_some(())
        .ok_or_else(|| Fault::File(format!("no memory for {len} bytes")))
}

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
        Some("npy") => npy::parse(bytes)
            .and_then(|tensor| as_bf16(tensor, wanted))
            .map(|tensor| (String::new(), tensor)),
        Some("pb") => pb::parse(&bytes, max_bytes),
        Some("png") => png::parse(&bytes, max_bytes).map(|tensor| (String::new(), tensor)),
        _ => Err(unknown_format()),
    }
}

fn unknown_format() -> Fault {
    Fault::Format("the name says no known tensor format (allowed: .npy, .pb, .png)".into())
}

fn as_bf16(tensor: Tensor, wanted: Option<ElementType>) -> Result<Tensor, Fault> {
    if wanted != Some(ElementType::Bf16) || tensor.element_type() != ElementType::U16 {
        return Ok(tensor);
    }
    let bytes = copy(tensor.bytes())?;
    Ok(Tensor::from_bytes(
        ElementType::Bf16,
        tensor.shape(),
        bytes,
    )?)
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
        _ => Err(unknown_format()),
    }
}

/// Writes a tensor to a `.npy`, `.pb` or `.png` file; `name` goes into a `.pb` file.
///
/// # Errors
/// What the operating system refuses; what a file of that kind does not hold. Then nothing is written.
pub fn write_tensor(path: &Path, name: &str, tensor: &Tensor) -> Result<()> {
    let mut staged = Staged::default();
    staged.write_tensor(path, name, tensor)?;
    staged.publish()
}

/// Results on their way to their places. Dropped before [`Staged::publish`], it takes its temporary files and its folders away.
#[derive(Debug, Default)]
pub struct Staged {
    files: Vec<(PathBuf, PathBuf)>,
    /// Those that were made, each before those in it.
    folders: Vec<PathBuf>,
}

impl Staged {
    /// Makes a folder for results, and those above it, where they are not there.
    ///
    /// # Errors
    /// What the operating system refuses.
    pub fn make_folder(&mut self, folder: &Path) -> Result<()> {
        let above = folder.ancestors();
        let missing = above.take_while(|above| !above.as_os_str().is_empty() && !above.is_dir());
        let missing: Vec<_> = missing.collect();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => self.folders.push(folder.to_path_buf()),
                // Somebody else was faster.
                Err(_) if folder.is_dir() => {}
                Err(error) => return Err(cannot("create", folder, &error)),
            }
        }
        Ok(())
    }

    /// Writes a tensor beside its place.
    ///
    /// # Errors
    /// What the operating system refuses; what a file of that kind does not hold.
    pub fn write_tensor(&mut self, path: &Path, name: &str, tensor: &Tensor) -> Result<()> {
        let bytes = encode(path, name, tensor).map_err(|fault| fault.at(path))?;
        self.write(path, &bytes)
    }

    /// Writes bytes beside their place.
    ///
    /// # Errors
    /// What the operating system refuses.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        if path.is_dir() {
            return Err(Fault::File("cannot write: a directory is in the way".into()).at(path));
        }
        let (temporary, mut file) = self
            .create_beside(path)
            .map_err(|error| cannot("write", path, &error))?;
        self.files.push((temporary, path.to_path_buf()));
        file.write_all(bytes)
            .and_then(|()| file.flush())
            .map_err(|error| cannot("write", path, &error))
    }

    fn create_beside(&self, path: &Path) -> io::Result<(PathBuf, File)> {
        let folder = path.parent().unwrap_or(Path::new(""));
        for attempt in 0..u32::MAX {
            let name = format!(
                ".xslice-{}-{}-{attempt}.tmp",
                std::process::id(),
                self.files.len()
            );
            let temporary = folder.join(name);
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((temporary, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Puts every file in its place.
    ///
    /// # Errors
    /// What the operating system refuses.
    pub fn publish(mut self) -> Result<()> {
        while let Some((temporary, path)) = self.files.pop() {
            fs::rename(&temporary, &path).map_err(|error| {
                let _ = fs::remove_file(&temporary);
                cannot("write", &path, &error)
            })?;
        }
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            let _ = fs::remove_file(temporary);
        }
        // A folder that somebody else has used meanwhile is not empty, and stays.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
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
