//! Constants of an ONNX model, in the file or beside it.
//!
//! External data is read only from plain relative paths below the directory of the model: no absolute path, no `..`, no symbolic
//! link that leaves it. Everything that constants take together counts against the limit of the command.

use super::proto::TensorProto;
use crate::error::{Fault, Result};
use crate::files;
use crate::import::Budget;
use crate::number::number;
use crate::pb;
use crate::scalar;
use std::path::{Component, Path, PathBuf};
use xslice::{Tensor, byte_count, element_count};

/// Reads the constants of one model.
pub struct Constants<'a> {
    folder: &'a Path,
    budget: Budget,
}

impl<'a> Constants<'a> {
    pub fn new(folder: &'a Path, budget: Budget) -> Self {
        Self { folder, budget }
    }

    /// The tensor of a message.
    pub fn tensor(&mut self, proto: TensorProto) -> Result<Tensor> {
        match proto.data_location {
            0 => {
                let tensor = pb::tensor(proto)?;
                self.budget.take(tensor.bytes().len())?;
                Ok(tensor)
            }
            pb::EXTERNAL => self.external(&proto),
            other => {
                let what = format!("data location {other} (allowed: 0 or 1)");
                Err(Fault::Format(what).into())
            }
        }
    }

    fn external(&mut self, proto: &TensorProto) -> Result<Tensor> {
        let (ty, shape) = pb::type_and_shape(proto)?;
        let needed = byte_count(element_count(&shape)?, ty)?;
        let place = Place::parse(proto)?;
        if place.length.is_some_and(|length| length != needed as u64) {
            let given = place.length.unwrap_or_default();
            return Err(Fault::Format(format!(
                "external data of {given} bytes for {ty} {shape:?} (allowed: {needed} bytes)"
            ))
            .into());
        }
        // Accounted for before it is read: many constants may name the same bytes.
        self.budget.take(needed)?;
        let bytes = self.read(&place, needed);
        // The model is to blame, as much as its data: the error begins with its name.
        let bytes = bytes.map_err(|error| {
            error
                .fault()
                .clone()
                .within("external data", &place.location)
        })?;
        Ok(scalar::tensor(ty, &shape, pb::native(ty, bytes))?)
    }

    fn read(&self, place: &Place, needed: usize) -> Result<Vec<u8>> {
        let path = self.inside(&place.location)?;
        files::read_range(&path, place.offset, needed)
    }

    /// The path of external data, proved to lie in the directory of the model.
    fn inside(&self, location: &str) -> Result<PathBuf> {
        let outside = |what: &str| Fault::Format(format!("{what} (allowed: {ALLOWED})"));
        let relative = Path::new(location);
        let plain = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if location.is_empty() || !plain {
            return Err(outside("the path is empty, absolute or leads outside").into());
        }
        let folder = if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            self.folder
        };
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| Fault::File(format!("cannot open: {error}")))
        };
        let path = real(&folder.join(relative))?;
        if !path.starts_with(real(folder)?) {
            let what = format!("a symbolic link leads to {}", path.display());
            return Err(outside(&what).into());
        }
        Ok(path)
    }
}

/// Where external data may lie.
const ALLOWED: &str = "a relative path inside the directory of the model, through no link that leaves it; copy linked files";

/// Where external data lies.
struct Place {
    location: String,
    offset: u64,
    length: Option<u64>,
}

impl Place {
    fn parse(proto: &TensorProto) -> Result<Self, Fault> {
        let (mut location, mut offset, mut length) = (None, None, None);
        for entry in &proto.external_data {
            let number = || {
                number::<u64>(&entry.value).ok_or_else(|| {
                    Fault::Format(format!(
                        "external data `{}` is `{}` (allowed: 0..={})",
                        entry.key.escape_debug(),
                        entry.value.escape_debug(),
                        u64::MAX
                    ))
                })
            };
            let repeated = match entry.key.as_str() {
                "location" => location.replace(entry.value.clone()).is_some(),
                "offset" => offset.replace(number()?).is_some(),
                "length" => length.replace(number()?).is_some(),
                // A checksum and writers' own notes say nothing about the elements.
                _ => false,
            };
            if repeated {
                let key = &entry.key;
                return Err(Fault::Format(format!("external data gives `{key}` twice")));
            }
        }
        Ok(Self {
            location: location
                .ok_or_else(|| Fault::Format("external data has no `location`".into()))?,
            offset: offset.unwrap_or(0),
            length,
        })
    }
}
