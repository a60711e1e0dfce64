//! What runs a kernel: the runner, or machine code of one of two forms.

use std::fmt;

/// What really runs a [`Kernel`](crate::Kernel): [`Kernel::engine`](crate::Kernel::engine) says it. The result is the same, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The precompiled runner of `xslice-core`.
    Runner,
    /// Machine code of a structure.
    Keyed,
    /// Machine code of one nest.
    Baked,
}

impl Engine {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Runner => "runner",
            Self::Keyed => "keyed",
            Self::Baked => "baked",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// That of a structure: numbers are arguments.
    Keyed,
    /// That of one nest: numbers are constants.
    Baked,
}

impl From<Form> for Engine {
    fn from(form: Form) -> Self {
        match form {
            Form::Keyed => Self::Keyed,
            Form::Baked => Self::Baked,
        }
    }
}
