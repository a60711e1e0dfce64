//! The operators by name: the versions of each, and its attributes. One line an attribute.
//!
//! Which versions exist, what a version has and what it needs is decided here and nowhere else: [`super::Op`] is validated by this
//! table, and the notation reads attributes by it. What attributes mean is decided in [`crate::resolve`]. The refusals of this table
//! are functions of their own: importers, which know versions and attributes by other names too, refuse in the same words.

use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use alloc::{borrow::Cow, format, vec::Vec};
use core::fmt::Display;

/// What a value of an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A tensor of integers.
    Tensor,
    /// A scalar of a Range: also a float.
    Scalar,
    /// One integer.
    Axis,
    /// A list of 0 and 1.
    Mask,
    /// The name of a dialect.
    Dialect,
}

/// Which versions have an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    /// Every version, and it must be given.
    Required,
    /// Every version.
    Optional,
    /// Those from that one on.
    Since(u32),
}

/// An attribute or input.
pub(crate) struct Attribute {
    pub name: &'static str,
    pub takes: Takes,
    has: Has,
}

struct Line {
    name: &'static str,
    versions: &'static [u32],
    attributes: &'static [Attribute],
}

macro_rules! operators {
    ($($kind:ident $name:literal $versions:tt { $($attribute:ident: $takes:ident $has:expr,)* })*) => {
        /// An operator with a name and versions: every [`super::Op`] but the bracket and the reshapes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum OpKind {
            $($kind,)*
        }

        impl OpKind {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind,)*];

            const fn line(self) -> &'static Line {
                use Has::{Optional, Required, Since};
                match self {
                    $(Self::$kind => &Line {
                        name: $name,
                        versions: &$versions,
                        attributes: &[
                            $(Attribute { name: stringify!($attribute), takes: Takes::$takes, has: $has },)*
                        ],
                    },)*
                }
            }
        }
    };
}

// Where no dialect differs, it is accepted.
operators! {
    OnnxSlice "onnx::Slice" [1, 10, 11, 13] {
        starts: Tensor Required,
        ends: Tensor Required,
        axes: Tensor Optional,
        steps: Tensor Since(10),
        dialect: Dialect Optional,
    }
    OnnxGather "onnx::Gather" [1, 11, 13] {
        indices: Tensor Required,
        axis: Axis Optional,
        dialect: Dialect Optional,
    }
    OnnxRange "onnx::Range" [11] {
        start: Scalar Required,
        limit: Scalar Required,
        delta: Scalar Required,
        dialect: Dialect Optional,
    }
    OpenVinoSlice "openvino::Slice" [8] {
        start: Tensor Required,
        stop: Tensor Required,
        step: Tensor Required,
        axes: Tensor Optional,
        dialect: Dialect Optional,
    }
    StridedSlice "openvino::StridedSlice" [1] {
        begin: Tensor Required,
        end: Tensor Required,
        stride: Tensor Optional,
        begin_mask: Mask Optional,
        end_mask: Mask Optional,
        new_axis_mask: Mask Optional,
        shrink_axis_mask: Mask Optional,
        ellipsis_mask: Mask Optional,
        dialect: Dialect Optional,
    }
}

impl OpKind {
    /// The operator of that name, such as `onnx::Slice`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        self.line().name
    }

    /// Ascending.
    pub(crate) const fn versions(self) -> &'static [u32] {
        self.line().versions
    }

    /// Of every version.
    pub(crate) const fn attributes(self) -> &'static [Attribute] {
        self.line().attributes
    }

    /// The attributes that a version has.
    pub(crate) fn attributes_in(
        self,
        version: u32,
    ) -> impl Iterator<Item = &'static Attribute> + Clone {
        let all = self.attributes().iter();
        all.filter(move |attribute| !matches!(attribute.has, Has::Since(first) if first > version))
    }

    /// Whether the operator has no data operand.
    pub(crate) const fn is_generator(self) -> bool {
        match self {
            Self::OnnxRange => true,
            Self::OnnxSlice | Self::OnnxGather | Self::OpenVinoSlice | Self::StridedSlice => false,
        }
    }

    /// Refuses a version that does not exist.
    pub(crate) fn check_version(self, version: u32) -> Result<(), Error> {
        match self.versions() {
            versions if versions.contains(&version) => Ok(()),
            versions => Err(refuse_version(self.name(), version, versions)),
        }
    }

    /// Refuses parameters that the version lacks, or needs and has not; `is_given` tells of a name whether it is there.
    pub(crate) fn check_params(
        self,
        version: u32,
        is_given: impl Fn(&'static str) -> bool,
    ) -> Result<(), Error> {
        for Attribute { name, has, .. } in self.attributes() {
            match (has, is_given(name)) {
                (Has::Required, false) => return Err(refuse_missing(name)),
                (Has::Since(first), true) if *first > version => {
                    return Err(self.came_later(name, version, *first));
                }
                (Has::Required | Has::Optional | Has::Since(_), _) => {}
            }
        }
        Ok(())
    }

    fn came_later(self, name: &'static str, version: u32, first: u32) -> Error {
        // A dialect is no attribute of the operator's text.
        let known = self.attributes_in(version);
        let known = known.filter(|attribute| attribute.takes != Takes::Dialect);
        let known: Vec<_> = known.map(|attribute| attribute.name).collect();
        let text = format!("`{name}` does not exist in version {version}");
        Error::new(ErrorKind::UnknownAttribute, text)
            .parameter(name)
            .allowed(known.join(", "))
            .hint(format!("{name} came with version {first}"))
    }
}

/// The refusal of a version that an operator, such as `onnx::Slice`, does not have.
pub fn refuse_version(operator: &str, version: impl Display, versions: &[u32]) -> Error {
    let text = format!("version {version} of {operator} does not exist");
    let error = Error::new(ErrorKind::UnknownVersion, text).value(version);
    error.allowed(super::list_words(versions.iter().map(|v| format!("{v}"))))
}

/// The refusal of an operator without an attribute or input that it needs.
pub fn refuse_missing(name: &'static str) -> Error {
    Error::new(ErrorKind::MissingAttribute, format!("`{name}` is required")).parameter(name)
}

/// The refusal of an attribute that is given a second time.
pub fn refuse_twice(name: impl Into<Cow<'static, str>>) -> Error {
    let name = name.into();
    let text = format!("`{name}` is given twice");
    Error::new(ErrorKind::RepeatedAttribute, text)
        .parameter(name)
        .allowed("each attribute once")
}

/// The refusal of data whose element type came after this version of an operator of ONNX; `None` if it did not.
pub fn refuse_type(version: u32, ty: ElementType) -> Option<Error> {
    let is_later = version < 13 && ty == ElementType::Bf16;
    is_later.then(|| {
        let text = "element type bf16 came with version 13";
        Error::new(ErrorKind::ElementType, text)
            .value(ty)
            .allowed("every other element type")
    })
}

/// The refusal of an attribute that came with a later version of the operator; `None` if it did not.
pub fn refuse_later(operator: &str, version: u32, attribute: &str) -> Option<Error> {
    let kind = OpKind::from_name(operator)?;
    let mut attributes = kind.attributes().iter();
    let found = attributes.find(|found| found.name == attribute)?;
    match found.has {
        Has::Since(first) if first > version => Some(kind.came_later(found.name, version, first)),
        Has::Required | Has::Optional | Has::Since(_) => None,
    }
}
