//! What one layer of an IR says, as text and numbers.
//!
//! Numbers, dimensions and lists are read here, with the layer and the attribute named when one is malformed; nothing is
//! understood yet.

use crate::error::Fault;
use crate::import::Dimension;
use crate::number::{self, MOST_DIMENSION, dimension};
use roxmltree::Node;
use xslice::{ElementType, Tensor};

/// A layer.
pub struct Layer<'a> {
    pub id: u64,
    pub name: &'a str,
    /// The operator (`type`).
    pub kind: &'a str,
    /// The operator set (`version`), if it is given.
    pub version: Option<&'a str>,
    output_names: Option<&'a str>,
    /// The attributes of `<data>`.
    pub data: Vec<(&'a str, &'a str)>,
    pub inputs: Vec<Port<'a>>,
    pub outputs: Vec<Port<'a>>,
}

/// A port of a layer.
pub struct Port<'a> {
    pub id: u64,
    pub precision: Option<&'a str>,
    names: Option<&'a str>,
    pub dims: Vec<&'a str>,
}

impl Port<'_> {
    /// The names of the tensor at this port.
    pub fn names(&self) -> Vec<String> {
        names(self.names.unwrap_or_default())
    }
}

/// The names of a list; a comma of a name has a backslash before it.
fn names(list: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, names.last_mut()) {
            (',', _) => names.push(String::new()),
            ('\\', Some(name)) if rest.peek() == Some(&',') => name.extend(rest.next()),
            (c, Some(name)) => name.push(c),
            (_, None) => {}
        }
    }
    let names = names.iter().map(|name| name.trim());
    let names = names.filter(|name| !name.is_empty());
    names.map(String::from).collect()
}

impl<'a> Layer<'a> {
    pub fn read(node: Node<'a, '_>) -> Result<Self, Fault> {
        let id = number(node, "id", "layer")?;
        let name = node.attribute("name").unwrap_or_default();
        let Some(kind) = node.attribute("type") else {
            return Err(Fault::model(Some(name), "the layer has no `type`"));
        };
        let mut data = node.children().filter(|node| node.has_tag_name("data"));
        let attributes = data.next().map(|data| {
            let pairs = data.attributes();
            pairs.map(|a| (a.name(), a.value())).collect()
        });
        if data.next().is_some() {
            return Err(Fault::model(
                Some(name),
                "the layer has two `data` elements",
            ));
        }
        Ok(Self {
            id,
            name,
            kind,
            version: node.attribute("version"),
            output_names: names_of(node, "output_names", name)?,
            data: attributes.unwrap_or_default(),
            inputs: ports(node, "input", name)?,
            outputs: ports(node, "output", name)?,
        })
    }

    /// The names that a Result gives the tensor that it takes.
    pub fn output_names(&self) -> Vec<String> {
        names(self.output_names.unwrap_or_default())
    }

    /// An attribute of `<data>`.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let found = self.data.iter().find(|(given, _)| *given == name);
        found.map(|(_, value)| *value)
    }

    /// An attribute that is a number.
    pub fn number(&self, name: &str) -> Result<u64, Fault> {
        let text = self.attribute(name).unwrap_or_default();
        number::number(text).ok_or_else(|| self.malformed(name, text, &whole_numbers(u64::MAX)))
    }

    /// The entries of an attribute that is a list: as many as a tensor may have axes.
    pub fn entries<'t>(
        &self,
        name: &str,
        text: &'t str,
    ) -> Result<impl Iterator<Item = &'t str> + use<'t>, Fault> {
        let count = text.matches(',').count() + 1;
        if count > MOST_ENTRIES {
            let what =
                format!("attribute `{name}` has {count} entries (allowed: 0..={MOST_ENTRIES})");
            return Err(Fault::model(Some(self.name), what));
        }
        Ok(text.split(',').map(str::trim))
    }

    /// The refusal of an attribute that cannot be read.
    pub fn malformed(&self, name: &str, text: &str, allowed: &str) -> Fault {
        let text = text.escape_debug();
        let what = format!("attribute `{name}` is `{text}` (allowed: {allowed})");
        Fault::model(Some(self.name), what)
    }

    /// The element type, from `<data>` or, in older files, from the output port; `None` where it is left open.
    pub fn element_type(&self) -> Result<Option<ElementType>, Fault> {
        let printed = self.outputs.first().and_then(|port| port.precision);
        let Some(text) = self.attribute("element_type").or(printed) else {
            return Ok(None);
        };
        let name = text.to_ascii_lowercase();
        Ok(Some(match name.as_str() {
            "dynamic" | "undefined" | "unspecified" => return Ok(None),
            "boolean" | "bool" => ElementType::Bool,
            "fp16" => ElementType::F16,
            "fp32" => ElementType::F32,
            "fp64" => ElementType::F64,
            "i4" | "u1" | "u2" | "u3" | "u4" | "u6" | "nf4" | "f4e2m1" | "f8e4m3" | "f8e5m2"
            | "f8e8m0" => {
                let what = format!("element type `{name}` is not moved (allowed: {TYPES})");
                return Err(Fault::outside_scope(Some(self.name), what));
            }
            "c64" | "c128" => return Err(self.malformed("element_type", text, TYPES)),
            other => ElementType::from_name(other)
                .ok_or_else(|| self.malformed("element_type", text, TYPES))?,
        }))
    }

    /// The dimensions, from `<data>` or, in older files, from the output port; `None` where not even the rank is known.
    pub fn shape(&self) -> Result<Option<Vec<Dimension>>, Fault> {
        let dims: Vec<&str> = match self.attribute("shape") {
            Some(text) => {
                let text = text.trim().trim_start_matches('[').trim_end_matches(']');
                match text.trim() {
                    "" => Vec::new(),
                    "..." => return Ok(None),
                    list => self.entries("shape", list)?.collect(),
                }
            }
            None => match self.outputs.first() {
                Some(port) => port.dims.clone(),
                None => return Ok(None),
            },
        };
        let dims = dims.into_iter().map(|dim| self.dimension(dim));
        dims.collect::<Result<_, _>>().map(Some)
    }

    /// `640`, or what is not known: `-1`, `?`, `1..10`, whose ends both belong to it.
    fn dimension(&self, text: &str) -> Result<Dimension, Fault> {
        let malformed = || {
            let allowed = format!(
                "{}, -1, ? or a range such as 1..10, whose end is not below its start",
                whole_numbers(MOST_DIMENSION as u64)
            );
            self.malformed("shape", text, &allowed)
        };
        let bound = |text: &str, open: usize| match text {
            "" => Some(open),
            _ => dimension(text),
        };
        match text.split_once("..") {
            Some((low, high)) => match (bound(low, 0), bound(high, MOST_DIMENSION)) {
                (Some(low), Some(high)) if low <= high => Ok(Dimension::within(low..=high)),
                _ => Err(malformed()),
            },
            None if text == "-1" || text == "?" => Ok(Dimension::open()),
            None => dimension(text).map(Dimension::fixed).ok_or_else(malformed),
        }
    }
}

const TYPES: &str = "boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, string";

/// Ports of one side of a layer: each edge is looked up among them.
const MOST_PORTS: usize = 1000;

/// Entries of a list.
const MOST_ENTRIES: usize = Tensor::MOST_AXES;

/// Bytes of all names of a tensor: each Result goes through those of what it takes.
const MOST_NAMES: usize = 1 << 16;

/// A list of names.
fn names_of<'a>(
    node: Node<'a, '_>,
    attribute: &str,
    layer: &str,
) -> Result<Option<&'a str>, Fault> {
    let names = node.attribute(attribute);
    let bytes = names.map_or(0, str::len);
    if bytes > MOST_NAMES {
        let what = format!("attribute `{attribute}` has {bytes} bytes (allowed: 0..={MOST_NAMES})");
        return Err(Fault::model(Some(layer), what));
    }
    Ok(names)
}

/// What a number may be.
fn whole_numbers(most: u64) -> String {
    format!("an integer, 0..={most}")
}

/// An attribute of an element that is a number.
pub fn number(node: Node<'_, '_>, name: &str, what: &str) -> Result<u64, Fault> {
    let text = node.attribute(name).unwrap_or_default();
    number::number(text).ok_or_else(|| {
        let text = text.escape_debug();
        let owner = node.attribute("name");
        let what = format!(
            "{what}: attribute `{name}` is `{text}` (allowed: {})",
            whole_numbers(u64::MAX)
        );
        Fault::model(owner, what)
    })
}

fn ports<'a>(layer: Node<'a, '_>, side: &str, name: &str) -> Result<Vec<Port<'a>>, Fault> {
    let mut ports: Vec<Port<'a>> = Vec::new();
    let mut ids = std::collections::HashSet::new();
    let sides = layer.children().filter(|node| node.has_tag_name(side));
    let nodes = sides.flat_map(|side| side.children());
    for node in nodes.filter(|node| node.has_tag_name("port")) {
        let id = number(node, "id", "port").map_err(|fault| match fault {
            Fault::Model { what, .. } => Fault::model(Some(name), what),
            other => other,
        })?;
        if !ids.insert(id) {
            let what = format!("{side} port {id} is there twice");
            return Err(Fault::model(Some(name), what));
        }
        if ports.len() == MOST_PORTS {
            let what = format!("too many {side} ports (allowed: {MOST_PORTS})");
            return Err(Fault::model(Some(name), what));
        }
        let dims = node.children().filter(|node| node.has_tag_name("dim"));
        ports.push(Port {
            id,
            precision: node.attribute("precision"),
            names: names_of(node, "names", name)?,
            dims: dims
                .map(|dim| dim.text().unwrap_or_default().trim())
                .collect(),
        });
    }
    Ok(ports)
}
