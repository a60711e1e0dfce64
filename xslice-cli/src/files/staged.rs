//! Results that appear whole or not at all.
//!
//! A result is written to a temporary file beside its place and renamed when all results of the command are written, so a refusal
//! never leaves a file behind, never half of one, and no folder that was made for it. A file that is replaced stays beside its place
//! until all are in theirs and the command has said so, and goes back where one cannot. The place is the file that a path leads to,
//! through links; a file that is replaced leaves its permissions. What is there and no regular file (a device, a pipe) is never replaced: it takes the bytes
//! when the others are in their places.

use super::{cannot, encode, extension};
use crate::error::{Fault, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xslice::Tensor;

/// No command takes as long from its first temporary file to its last: an older one is of a process that was ended.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// The same, of a process that is not seen here. It may live on another machine, where the folder is shared.
const STALE_UNSEEN: Duration = Duration::from_secs(10 * 60);

/// How the files of models and tensors end, which commands read. Text of any other kind never gets such a name: one is mistyped
/// easily where both stand on one line, and then the only copy of a model would be gone.
const DATA: [&str; 6] = ["onnx", "xml", "bin", "npy", "pb", "png"];

/// Whether a path stands for standard output, where a command writes one file.
#[must_use]
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Results on their way to their places. Dropped before all of [`Staged::publish`] is done, it leaves everything as it was.
#[derive(Debug, Default)]
pub struct Staged {
    files: Vec<StagedFile>,
    /// Devices and pipes, and what goes into them.
    straight: Vec<(PathBuf, Vec<u8>)>,
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
                Err(_) if folder.exists() => {
                    let what = "cannot make the folder: a file is in the way";
                    return Err(Fault::File(what.into()).at(folder));
                }
                Err(error) => return Err(cannot("create", folder, &error)),
            }
        }
        Ok(())
    }

    /// Writes a tensor beside its place, and gives the line that says where that is.
    ///
    /// # Errors
    /// What the operating system refuses; what a file of that kind does not hold.
    pub fn write_tensor(&mut self, path: &Path, name: &str, tensor: &Tensor) -> Result<String> {
        let bytes = encode(path, name, tensor).map_err(|fault| fault.at(path))?;
        self.write(path, bytes)?;
        let (ty, shape) = (tensor.element_type(), tensor.shape());
        Ok(format!("{}  {ty} {shape:?}\n", path.display()))
    }

    /// Writes text beside its place; `what` it is, such as "Rust", and how the names of such files end.
    ///
    /// # Errors
    /// What the operating system refuses; a place whose name is one of a model or a tensor.
    pub fn write_text(
        &mut self,
        path: &Path,
        (what, usual): (&str, &str),
        text: String,
    ) -> Result<()> {
        let place = file_behind(path).ok().flatten();
        let endings = [Some(path), place.as_deref()].map(|path| extension(path?));
        if let Some(ending) = endings
            .into_iter()
            .flatten()
            .find(|at| DATA.contains(&at.as_str()))
        {
            let what = format!(
                "{what} does not go into a file whose name ends in .{ending}: that is one of a model or a tensor \
                 (allowed: any name that ends in none of .{}); name one that ends in .{usual}",
                DATA.join(", .")
            );
            return Err(Fault::Argument(what).at(path));
        }
        self.write(path, text.into_bytes())
    }

    /// Writes bytes beside their place, whose folder is made where it is missing, or keeps them for what takes no file beside it.
    ///
    /// # Errors
    /// What the operating system refuses.
    pub fn write(&mut self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        if path.is_dir() {
            return Err(Fault::File("cannot write: a directory is in the way".into()).at(path));
        }
        let refused = |error| cannot("write", path, &error);
        let Some(place) = file_behind(path).map_err(refused)? else {
            self.straight.push((path.to_path_buf(), bytes));
            return Ok(());
        };
        if let Some(folder) = place.parent() {
            self.make_folder(folder)?;
        }
        let place = real(&place).map_err(refused)?;
        if let Some(other) = self.files.iter().find(|file| file.place == place) {
            let what = format!(
                "cannot write: {} leads to the same file, {}, and has another result",
                other.asked.display(),
                place.display()
            );
            return Err(Fault::File(what).at(path));
        }
        if self.files.is_empty() {
            remove_stale(&place);
        }
        let (temporary, mut file) = self.create_beside(&place).map_err(refused)?;
        let replaced = fs::metadata(&place).ok();
        self.files.push(StagedFile {
            temporary: temporary.clone(),
            asked: path.to_path_buf(),
            place,
            before: None,
            is_in_place: false,
        });
        // Before the bytes: what others must not read is never readable.
        let permissions = match replaced {
            Some(replaced) => fs::set_permissions(temporary, replaced.permissions()),
            None => Ok(()),
        };
        permissions
            .and_then(|()| file.write_all(&bytes))
            .and_then(|()| file.flush())
            .map_err(refused)
    }

    fn create_beside(&self, place: &Path) -> io::Result<(PathBuf, File)> {
        for attempt in 0..u32::MAX {
            let name = format!(
                ".xslice-{}-{}-{attempt}.tmp",
                std::process::id(),
                self.files.len()
            );
            let temporary = place.with_file_name(name);
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((temporary, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Puts every file in its place, and bytes where no file is; then `tell` says so. Where it cannot, nothing was written.
    ///
    /// # Errors
    /// What the operating system refuses, and the error of `tell`.
    pub fn publish(mut self, tell: impl FnOnce() -> Result<()>) -> Result<()> {
        for file in &mut self.files {
            file.put()
                .map_err(|error| cannot("write", &file.asked, &error))?;
        }
        for (path, bytes) in &self.straight {
            let mut options = OpenOptions::new();
            let target = options.append(true).open(path);
            target
                .and_then(|mut target| target.write_all(bytes))
                .map_err(|error| cannot("write", path, &error))?;
        }
        tell()?;
        for file in self.files.drain(..) {
            file.keep();
        }
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for file in self.files.iter().rev() {
            file.take_back();
        }
        // A folder that somebody else has used meanwhile is not empty, and stays.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Takes temporary files away that a process left beside a place, as one does that a signal ends. Files that were replaced stay: there
/// may be no other copy.
fn remove_stale(place: &Path) {
    let folder = place.with_file_name(".");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_temporary = name.starts_with(".xslice-") && name.ends_with(".tmp");
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        let most = || {
            if is_unseen(&name) {
                STALE_UNSEEN
            } else {
                STALE
            }
        };
        if is_temporary && age().is_some_and(|age| age > most()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether the process that a temporary file has in its name is known to be none of this machine.
fn is_unseen(name: &str) -> bool {
    let process = name.split('-').nth(1).map(|id| Path::new("/proc").join(id));
    let lists_processes = Path::new("/proc/self").exists();
    lists_processes && process.is_some_and(|process| !process.exists())
}

/// A result beside its place, or in it.
#[derive(Debug)]
struct StagedFile {
    temporary: PathBuf,
    /// The path that leads to the place.
    asked: PathBuf,
    place: PathBuf,
    /// The file that was in the place, under a name of its own.
    before: Option<PathBuf>,
    is_in_place: bool,
}

impl StagedFile {
    fn put(&mut self) -> io::Result<()> {
        if self.place.is_file() {
            let before = self.temporary.with_extension("old");
            // By a second name the file is never missing from its place; not every file system has those.
            fs::hard_link(&self.place, &before).or_else(|_| fs::rename(&self.place, &before))?;
            self.before = Some(before);
        }
        fs::rename(&self.temporary, &self.place)?;
        self.is_in_place = true;
        Ok(())
    }

    fn keep(self) {
        if let Some(before) = self.before {
            let _ = fs::remove_file(before);
        }
    }

    fn take_back(&self) {
        if !self.is_in_place {
            let _ = fs::remove_file(&self.temporary);
        }
        match &self.before {
            // Where both are names of one file, it is in its place and keeps the other name.
            Some(before) if fs::rename(before, &self.place).is_ok() => {
                let _ = fs::remove_file(before);
            }
            None if self.is_in_place => {
                let _ = fs::remove_file(&self.place);
            }
            Some(_) | None => {}
        }
    }
}

/// The same place, below a folder that is there, in the form that is the same for every path to it.
fn real(place: &Path) -> io::Result<PathBuf> {
    match (place.parent(), place.file_name()) {
        (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => {
            Ok(folder.canonicalize()?.join(name))
        }
        (_, Some(name)) => Ok(Path::new(".").canonicalize()?.join(name)),
        (_, None) => Ok(place.to_path_buf()),
    }
}

/// The file that a path leads to, there or not; `None` for what only takes bytes: no regular file, or one that is open already and
/// has its name from a descriptor.
fn file_behind(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Ok(None),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let mut place = path.to_path_buf();
    while let Ok(target) = fs::read_link(&place) {
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize()?,
            Some(_) | None => PathBuf::new(),
        };
        if folder.starts_with("/proc") {
            return Ok(None);
        }
        place = folder.join(target);
    }
    Ok(Some(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_an_ended_process_left_goes_when_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let old = SystemTime::now() - 2 * STALE;
        let living = format!(".xslice-{}-0-7.tmp", std::process::id());
        for (name, modified) in [
            (".xslice-1-0-0.tmp", old),
            (".xslice-1-0-0.old", old),
            (".xslice-2-0-0.tmp", SystemTime::now()),
            ("x.tmp", old),
            (living.as_str(), SystemTime::now() - 2 * STALE_UNSEEN),
        ] {
            let file = File::create(at(name)).unwrap();
            file.set_modified(modified).unwrap();
        }
        let mut staged = Staged::default();
        staged.write(&at("y"), b"new".to_vec()).unwrap();
        staged.publish(|| Ok(())).unwrap();
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let mut left = [".xslice-1-0-0.old", ".xslice-2-0-0.tmp", "x.tmp", "y"].to_vec();
        left.push(&living);
        left.sort_unstable();
        assert_eq!(names, left);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_left_that_lives_no_longer_goes_sooner() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // No process has a number that high.
        let (fresh, left) = (".xslice-4294967295-0-0.tmp", ".xslice-4294967295-0-1.tmp");
        File::create(at(fresh)).unwrap();
        let file = File::create(at(left)).unwrap();
        let modified = SystemTime::now() - 2 * STALE_UNSEEN;
        file.set_modified(modified).unwrap();
        remove_stale(&at("y"));
        assert!(at(fresh).exists() && !at(left).exists());
    }

    #[test]
    fn a_file_that_cannot_take_its_place_takes_the_others_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        for blocked in ["a", "b", "c"] {
            fs::write(at("a"), "old").unwrap();
            fs::write(at("c"), "old").unwrap();
            let mut staged = Staged::default();
            for name in ["a", "b", "c"] {
                staged.write(&at(name), b"new".to_vec()).unwrap();
            }
            // Meanwhile somebody else has put a folder there.
            let _ = fs::remove_file(at(blocked));
            fs::create_dir(at(blocked)).unwrap();
            let text = staged.publish(|| Ok(())).unwrap_err().to_string();
            assert!(text.contains("cannot write"), "{text}");
            fs::remove_dir(at(blocked)).unwrap();
            let left = ["a", "c"].into_iter().filter(|name| *name != blocked);
            let left: Vec<_> = left.collect();
            assert_eq!(names(), left);
            for name in left {
                assert_eq!(fs::read(at(name)).unwrap(), b"old");
            }
        }
        let mut staged = Staged::default();
        staged.write(&at("c"), b"new".to_vec()).unwrap();
        staged.publish(|| Ok(())).unwrap();
        assert_eq!(fs::read(at("c")).unwrap(), b"new");
        assert!(names().iter().all(|name| name == "a" || name == "c"));
    }
}
