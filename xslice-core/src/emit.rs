//! A plan as Rust: the fourth engine, whose machine is the reader's compiler.
//!
//! Decided here: which loops are written out, where an index is loaded, how a number is spelled. What is moved where was
//! decided before; this module reads plans and nests only. The text is a function without `unsafe` in which every number is a
//! literal and every length is in a type or compared before, so that the compiler proves the bounds. Its size does not
//! depend on shapes: only a few turns are written one by one, long constants are one literal.
//!
//! ```text
//! emit.rs      the function: parameters, temporaries, steps
//! check.rs     the indices of a gather, before anything moves
//! call.rs      nests that are one call
//! fixed.rs     nests that a Move does better
//! vectors.rs   small patterns and rows by vectors that the reader's compiler knows
//! nest.rs      loops and their calls by numbers, unrolled ones, copies
//! position.rs  where an element is: offset, strides, indices
//! data.rs      types, values, constants
//! ```
//! The text calls a few functions of the facade's `__private` module, by the path that the caller gives. A text is compiled anew for
//! every shape, so what a call can do that depends on the element type alone is a call, and the compiler makes it once.

mod call;
mod check;
mod data;
mod fixed;
mod nest;
mod position;
mod vectors;

use crate::access::{Buffer, Names, Shown};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::nest::{LoopNest, Source};
use crate::plan::{Plan, PlannedNest, Step};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use data::Constants;

/// Statements that a function may repeat instead of looping.
const UNROLLED: usize = 64;

/// Bytes of all temporaries of a function, which live on its stack: see [`Signature::temporaries`](crate::Signature::temporaries).
pub const STACK: usize = 16 << 10;

/// The type and the value of nothing.
const UNIT: &str = "()";

/// Where the result of a function goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To a last parameter `dst`, a mutable reference.
    Parameter,
    /// It is returned, as an array, and the function is `const`: plain loops only.
    Constant,
}

/// How a function is to be written.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// What stands before the parameters: `pub fn crop`.
    pub head: &'a str,
    /// The path of the facade: `xslice`.
    pub root: &'a str,
    /// The names of the operands, in the order of the plan.
    pub parameters: &'a [&'a str],
    /// What the names of its own variables begin with: where a constant of such a name may be in scope, by something that no name of a user's
    /// begins with.
    pub variables: &'a str,
    /// Where the result goes.
    pub destination: Destination,
    /// Whether it returns a `Result`; needed where a plan has [checks](Plan::checks).
    pub fallible: bool,
}

/// What moves, for a caller that has slices of the lengths of the plan.
#[derive(Clone, Debug)]
pub struct Moved {
    /// What is defined before: constants, a `static`, the function itself if none of the facade's does it alone.
    pub items: String,
    /// What does it.
    pub by: By,
}

/// What moves slices.
#[derive(Clone, Debug)]
pub enum By {
    /// A function of the facade's, on the operands, the destination and its numbers.
    Call {
        /// Its name.
        function: String,
        /// The numbers.
        numbers: String,
    },
    /// The function that was asked for, on the operands in pairs, `((a, b), c)`, with `()` for none, and the destination.
    Own,
}

/// The function that does what a plan does.
///
/// ```
/// use xslice_core::emit::{self, Destination, Function};
/// use xslice_core::{ElementType, Program, Signature};
/// let program = Program::parse("x[::-1, 1:3]")?;
/// let plan = program.compile(&Signature::new().operand(ElementType::F32, &[32, 4]))?;
/// let wanted = Function {
///     head: "fn crop",
///     root: "xslice",
///     parameters: &["x"],
///     variables: "",
///     destination: Destination::Parameter,
///     fallible: false,
/// };
/// assert_eq!(
///     emit::function(&plan, &wanted)?,
///     "\
/// fn crop(x: &[f32; 128], dst: &mut [f32; 64]) {
///     // dst[2*i] <- x[125 - 4*i], 2 elements
///     xslice::__private::blocks1(x, dst, 2, [32], [0, 2], [125, -4]);
/// }
/// "
/// );
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::TooLarge`] for temporaries that do not fit the stack, and for constants of more than a mebibyte.
pub fn function(plan: &Plan, wanted: &Function<'_>) -> Result<String, Error> {
    Emitter::new(plan, wanted, Taken::Arrays).function()
}

/// The same on slices, by a function of the facade's if one does all: it is compiled once for all plans, and what is
/// written for one is compiled for this one. The destination of `wanted` is a parameter, and its head the name of the function.
///
/// # Errors
/// Those of [`function`].
pub fn moved(plan: &Plan, wanted: &Function<'_>) -> Result<Moved, Error> {
    let mut emitter = Emitter::new(plan, wanted, Taken::Slices);
    if let Some(call) = emitter.one_call() {
        return Ok(Moved {
            items: emitter.constants.text(wanted.root)? + &emitter.text,
            by: By::Call {
                function: call.name,
                numbers: call.numbers,
            },
        });
    }
    let head = format!("fn {}", wanted.head);
    let inner = Function {
        head: &head,
        ..wanted.clone()
    };
    Ok(Moved {
        items: Emitter::new(plan, &inner, Taken::Slices).function()?,
        by: By::Own,
    })
}

/// The Rust type of an element; `root` is the path of the facade.
#[must_use]
pub fn element(ty: ElementType, root: &str) -> String {
    data::element(ty, root)
}

/// Operands in pairs, from the left: `((a, b), c)`; for none, `()`.
fn pairs(operands: impl IntoIterator<Item = String>) -> String {
    let operands = operands.into_iter();
    let all = operands.reduce(|all, text| format!("({all}, {text})"));
    all.unwrap_or_else(|| String::from("()"))
}

/// How a function takes operands and destination.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// As references to arrays.
    Arrays,
    /// As slices whose lengths the caller has compared, operands in pairs.
    Slices,
}

impl Taken {
    /// What the names of items begin with: beside slices, items may stand where the caller's names do. No parameter begins so, with a
    /// capital after it: an item of its name would be read instead.
    fn prefix(self, parameters: &[&str]) -> String {
        let mut prefix = String::from(match self {
            Self::Arrays => "",
            Self::Slices => "__XSLICE_",
        });
        let is_like_item = |prefix: &str, name: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
        };
        while parameters.iter().any(|name| is_like_item(&prefix, name)) {
            prefix.push('_');
        }
        prefix
    }
}

struct Emitter<'a> {
    plan: &'a Plan,
    wanted: &'a Function<'a>,
    taken: Taken,
    constants: Constants,
    /// Statements that may still be repeated.
    unrolled_left: usize,
    /// Nests that a Move does.
    statics: usize,
    /// Those by vectors in place.
    in_place: usize,
    /// Whether the last statement is the value.
    returned: bool,
    text: String,
    depth: usize,
}

impl<'a> Emitter<'a> {
    fn new(plan: &'a Plan, wanted: &'a Function<'a>, taken: Taken) -> Self {
        Self {
            plan,
            wanted,
            taken,
            constants: Constants::new(taken.prefix(wanted.parameters)),
            unrolled_left: UNROLLED,
            statics: 0,
            in_place: 0,
            returned: false,
            text: String::new(),
            depth: 1,
        }
    }

    /// The whole function.
    fn function(mut self) -> Result<String, Error> {
        self.temporaries()?;
        if self.wanted.destination != Destination::Parameter {
            let (dst, zero) = (self.dst(), self.zero(self.plan.element_type()));
            let len = self.plan.output_len();
            self.line(format_args!("let mut {dst} = [{zero}; {len}];"));
        }
        let mut steps = self.plan.steps();
        while let Some((step, rest)) = steps.split_first() {
            if let Step::Nest(planned) = step
                && let Some(in_place) = self.in_place(planned)
            {
                self.by_vectors(&in_place, planned);
                steps = rest;
                continue;
            }
            if let Some((call, rest)) = self.call(steps) {
                self.write(&call, rest.is_empty());
                steps = rest;
                continue;
            }
            match step {
                Step::Check(check) => self.check(check),
                Step::Nest(planned) => self.after_its_check(planned, rest.is_empty()),
            }
            steps = rest;
        }
        if !self.returned {
            self.result();
        }
        let constants = self.constants.text(self.wanted.root)?;
        Ok(format!("{}{constants}{}}}\n", self.signature(), self.text))
    }

    /// A nest that is no call together with its check.
    fn after_its_check(&mut self, planned: &PlannedNest, is_last: bool) {
        let Some(tested) = planned.tested() else {
            return self.nest(planned);
        };
        self.check(tested.check());
        match self.one_nest(planned) {
            Some(call) => self.write(&call, is_last),
            None => self.nest(planned),
        }
    }

    fn line(&mut self, text: core::fmt::Arguments<'_>) {
        let indent = 4 * self.depth;
        self.text += &format!("{:indent$}{text}\n", "");
    }

    fn open(&mut self, text: core::fmt::Arguments<'_>) {
        self.line(format_args!("{text} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line(format_args!("}}"));
    }

    /// Returns what is wrong, if anything is. `?` would be shorter, and more work for the compiler.
    fn or_return(&mut self, call: core::fmt::Arguments<'_>) {
        let error = self.local("error");
        self.open(format_args!(
            "if let ::core::result::Result::Err({error}) = {call}"
        ));
        self.line(format_args!("return ::core::result::Result::Err({error});"));
        self.close();
    }

    /// What the nest does, for a reader.
    fn describe(&mut self, nest: &LoopNest) {
        let names = self.wanted.parameters.iter();
        let names: Vec<String> = names.map(ToString::to_string).collect();
        let names = Names(&names);
        let (dst, src) = (Shown(nest.dst(), names), Shown(nest.src(), names));
        let source = match nest.source() {
            Source::Range(values) => format!("({values})"),
            Source::Buffer(buffer) => self.buffer(buffer),
        };
        let block = match nest.block() {
            1 => String::new(),
            block => format!(", {block} elements"),
        };
        self.line(format_args!("// dst[{dst}] <- {source}[{src}]{block}"));
    }

    fn is_const(&self) -> bool {
        self.wanted.destination == Destination::Constant
    }

    /// A variable of the function's own that no parameter has the name of.
    fn local(&self, name: &str) -> String {
        self.unlike_parameters(format!("{}{name}", self.wanted.variables))
    }

    /// The destination.
    fn dst(&self) -> String {
        self.unlike_parameters(String::from("dst"))
    }

    fn unlike_parameters(&self, mut name: String) -> String {
        while self.wanted.parameters.contains(&name.as_str()) {
            name.push('_');
        }
        name
    }

    /// The variable of a buffer that is no constant.
    fn buffer(&self, buffer: Buffer) -> String {
        match buffer {
            Buffer::Operand(at) => self
                .wanted
                .parameters
                .get(at)
                .map_or_else(|| self.local(&format!("operand{at}")), ToString::to_string),
            Buffer::Scratch(at) => self.scratch(at),
            Buffer::Constant(at) => format!("CONSTANT{at}"),
        }
    }

    /// A buffer as a reference to its array.
    fn reference(&mut self, buffer: Buffer) -> String {
        match buffer {
            Buffer::Operand(_) => self.buffer(buffer),
            Buffer::Constant(at) => self.elements(at),
            Buffer::Scratch(_) => format!("&{}", self.buffer(buffer)),
        }
    }

    /// The elements of a buffer.
    fn len(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Operand(at) => self.plan.operands[at].len,
            Buffer::Constant(at) => self.plan.constants()[at].len(),
            Buffer::Scratch(at) => self.plan.temporaries()[at].len,
        }
    }

    fn scratch(&self, at: usize) -> String {
        self.local(&format!("scratch{at}"))
    }

    /// The line that opens the function.
    fn signature(&self) -> String {
        let (ty, len) = (self.plan.element_type(), self.plan.output_len());
        let operands = self.plan.operands.iter().enumerate();
        let mut parameters: Vec<(String, String)> = operands
            .map(|(at, need)| {
                let name = self.buffer(Buffer::Operand(at));
                (name, format!("&{}", self.parameter(need.ty, need.len)))
            })
            .collect();
        let result = match self.wanted.destination {
            Destination::Constant => Some(format!("[{}; {len}]", self.element(ty))),
            Destination::Parameter => {
                let (dst, ty) = (self.dst(), self.parameter(ty, len));
                parameters.push((dst, format!("&mut {ty}")));
                None
            }
        };
        let result = match (self.wanted.fallible, result) {
            (true, ok) => {
                let (ok, root) = (ok.as_deref().unwrap_or(UNIT), self.wanted.root);
                format!(" -> ::core::result::Result<{ok}, {root}::Error>")
            }
            (false, Some(value)) => format!(" -> {value}"),
            (false, None) => String::new(),
        };
        let parameters = match self.taken {
            Taken::Arrays => {
                let typed = parameters.iter().map(|(name, ty)| format!("{name}: {ty}"));
                typed.collect::<Vec<String>>().join(", ")
            }
            Taken::Slices => {
                let (dst, dst_ty) = parameters.pop().unwrap_or_default();
                let (names, types): (Vec<String>, Vec<String>) = parameters.into_iter().unzip();
                format!("{}: {}, {dst}: {dst_ty}", pairs(names), pairs(types))
            }
        };
        format!("{}({parameters}){result} {{\n", self.wanted.head)
    }

    /// What a parameter refers to.
    fn parameter(&self, ty: ElementType, len: usize) -> String {
        let element = self.element(ty);
        match self.taken {
            Taken::Arrays => format!("[{element}; {len}]"),
            Taken::Slices => format!("[{element}]"),
        }
    }

    fn temporaries(&mut self) -> Result<(), Error> {
        let plan = self.plan;
        let bytes: usize = plan
            .temporaries()
            .iter()
            .map(|temporary| temporary.len.saturating_mul(temporary.element_type.size()))
            .fold(0, usize::saturating_add);
        if bytes > STACK {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!("the chain needs {bytes} bytes between its nests"),
            )
            .value(bytes)
            .allowed(format!("0..={STACK} bytes on the stack"))
            .hint("cut the chain in two, or compile it at run time with `Jit`"));
        }
        for (at, temporary) in plan.temporaries().iter().enumerate() {
            let (ty, len) = (temporary.element_type, temporary.len);
            let (name, element, zero) = (self.scratch(at), self.element(ty), self.zero(ty));
            self.line(format_args!(
                "let mut {name}: [{element}; {len}] = [{zero}; {len}];"
            ));
        }
        Ok(())
    }

    /// The last line.
    fn result(&mut self) {
        let value = match self.wanted.destination {
            Destination::Parameter => None,
            Destination::Constant => Some(self.dst()),
        };
        match (self.wanted.fallible, value) {
            (true, value) => {
                let value = value.as_deref().unwrap_or(UNIT);
                self.line(format_args!("::core::result::Result::Ok({value})"));
            }
            (false, Some(value)) => self.line(format_args!("{value}")),
            (false, None) => {}
        }
    }
}
