//! Which engine runs a kernel: how one is asked for, which there are, and why it is the runner where machine code was wanted.
//!
//! These are words only. Who decides by them is [`Jit`](crate::Jit).

use std::fmt;

/// Which engine a [`Jit`] gives to its kernels. [`Auto`](Self::Auto) decides by this table:
///
/// | asked for | engine |
/// |---|---|
/// | anything, first | runner: nothing is compiled |
/// | a structure of which code exists, with new numbers | keyed: the code of the structure with these numbers |
/// | a structure the 4th time with new numbers | keyed, compiled now |
/// | the same program and signature the 16th time again | baked, compiled now, in the place of what was cached |
/// | nothing but long moves and one contiguous copy, no indices in the loops around them | runner always: machine code would call the same Moves, but for a small result, which is baked where the processor has vectors for it |
/// | strings, a host without code generation or executable memory | runner always; [`Kernel::declined`] says why |
///
/// A move is long where a row has more than 64 bytes, or one turn of the loops around it more than 512 (256 of a Range) or 160 rows of a
/// look-up (a shuffle always is, and so is a look-up whose rows are taken apart by one), or where many turns share the indices of a
/// look-up. Machine code, keyed or baked, calls the runner's precompiled Move for it, with the innermost loop around it or, in small results,
/// all, and moves what is shorter in place; where a call is one turn of a long move, [`Kernel::run`] goes to the Move at once. Baked code knows where each byte
/// comes from, and so moves short runs, and a shuffle where that takes less than a call, by vectors whose bytes it puts in order. With
/// AVX-512 VBMI these have 64 bytes, with AVX2 32, and most results of up to 16 KiB are a few of them for each line, where no index takes
/// part; the values of a Range of up to 4 KiB are then copied from behind the code. What is too far apart for that is moved as without it.
/// Two schedules have one structure when only their numbers (extents, strides, offsets, sizes) differ. Requests are counted in
/// [`Jit::compile`], never in [`Kernel::run`].
/// `XSLICE_JIT=off` in the environment makes the runner the engine of every `Jit`.
///
/// ```
/// use xslice_core::{ElementType, Program, Signature};
/// use xslice_jit::{Engine, Jit, Strategy};
/// let signature = Signature::new().operand(ElementType::F32, &[9]);
/// let kernel = Jit::with_strategy(Strategy::Runner).compile(&Program::parse("x[::-1]")?, &signature)?;
/// assert_eq!(kernel.engine(), Engine::Runner);
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// [`Jit`]: crate::Jit
/// [`Jit::compile`]: crate::Jit::compile
/// [`Kernel::declined`]: crate::Kernel::declined
/// [`Kernel::run`]: crate::Kernel::run
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The runner at once, machine code where it pays: see the table above.
    #[default]
    Auto,
    /// The runner always; nothing is compiled.
    Runner,
    /// Machine code at once, one for each structure: numbers are arguments.
    Keyed,
    /// Machine code at once, one for each program and signature: numbers are constants.
    Baked,
}

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

/// Why the runner took over from machine code. Never an error: the result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decline {
    /// Strings are moved by clone.
    Strings,
    /// No code generator for this processor.
    Host,
    /// The system gives no executable memory.
    Memory,
    /// The code generator refused.
    Codegen,
}

impl Decline {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::Strings, Self::Host, Self::Memory, Self::Codegen];
}

impl fmt::Display for Decline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Strings => "strings are moved by clone",
            Self::Host => "no code generator for this processor",
            Self::Memory => "no executable memory",
            Self::Codegen => "the code generator refused",
        })
    }
}
