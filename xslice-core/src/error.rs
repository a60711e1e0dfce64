//! One refusal, whatever the front door (I8): a stable code, who refuses, what, where, and what would be right.
//!
//! An [`Error`] is a boxed record of facts; its text is made from them in one place, [`fmt::Display`], so that the
//! library, the macro and the command line say the same words. Building one costs memory and time only when something
//! is refused.

use alloc::{
    borrow::Cow,
    boxed::Box,
    format,
    string::{String, ToString},
};
use core::fmt::{self, Write};

/// What is wrong, as a stable name and code. The documentation of each variant is the rule.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal $text:literal,)*) => {
        /// The kind of a refusal. [`ErrorKind::code`] and [`ErrorKind::name`] are stable.
        ///
        /// ```
        /// # use xslice_core::{ErrorKind, Program};
        /// let kind = Program::parse("x[::0]").unwrap_err().kind();
        /// assert_eq!((kind, kind.code(), kind.name()), (ErrorKind::StepZero, "E201", "step-zero"));
        /// assert!(kind.is_rule());
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ $name,)*
        }

        impl ErrorKind {
            /// Every kind, by ascending code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable code, such as `E201`. `E1..` notation, `E2..` rules of the operators, `E3..` sizes,
            /// `E4..` operands of a call, `E599` a defect.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The stable name, such as `step-zero`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

kinds! {
    /// The text does not follow the grammar.
    Syntax = "E101" "syntax",
    /// An operator that does not exist here.
    UnknownOperator = "E102" "unknown-operator",
    /// A version of an operator that does not exist.
    UnknownVersion = "E103" "unknown-version",
    /// An attribute is given twice.
    RepeatedAttribute = "E104" "repeated-attribute",
    /// No element type has this name.
    UnknownType = "E105" "unknown-type",
    /// An operand is used but not declared.
    UnknownOperand = "E106" "unknown-operand",
    /// An operand is declared but not used.
    UnusedOperand = "E107" "unused-operand",
    /// An operand is declared twice.
    RepeatedOperand = "E108" "repeated-operand",
    /// A bracket holds more entries than the operand has axes.
    TooManyIndices = "E109" "too-many-indices",
    /// A bracket holds two ellipses.
    TwoEllipses = "E110" "two-ellipses",
    /// A bracket holds two gathers.
    TwoGathers = "E111" "two-gathers",
    /// An integer and a gather in one bracket where `NumPy` would move an axis.
    MixedGather = "E112" "mixed-gather",
    /// A boolean mask.
    BooleanMask = "E113" "boolean-mask",
    /// A number does not fit its type.
    NumberRange = "E114" "number-range",
    /// A list whose parts differ in depth or length.
    RaggedList = "E115" "ragged-list",
    /// Brackets nested too deep.
    TooDeep = "E116" "too-deep",
    /// The declared result type differs from the computed one.
    ResultType = "E117" "result-type",

    /// Step or stride 0.
    StepZero = "E201" "step-zero",
    /// An axis outside `-rank..=rank-1`.
    AxisRange = "E202" "axis-range",
    /// An axis named twice.
    AxisRepeated = "E203" "axis-repeated",
    /// Parameters that must be equally long are not.
    LengthMismatch = "E204" "length-mismatch",
    /// More entries than the data has dimensions.
    TooManyEntries = "E205" "too-many-entries",
    /// A parameter has the wrong rank.
    ParameterRank = "E206" "parameter-rank",
    /// A parameter has the wrong element type.
    ParameterType = "E207" "parameter-type",
    /// The version of the operator does not take this element type.
    ElementType = "E208" "element-type",
    /// The operator needs data of rank 1 or more.
    RankZero = "E209" "rank-zero",
    /// A mask holds a value other than 0 and 1.
    MaskValue = "E210" "mask-value",
    /// More than one bit in an ellipsis mask.
    EllipsisMask = "E211" "ellipsis-mask",
    /// An index outside its axis.
    IndexRange = "E212" "index-range",
    /// A Range with delta 0.
    DeltaZero = "E213" "delta-zero",
    /// A Range whose count is not a finite number.
    CountNotFinite = "E214" "count-not-finite",
    /// A shape that does not hold the same number of elements.
    Reshape = "E215" "reshape",
    /// A required attribute or input is missing.
    MissingAttribute = "E216" "missing-attribute",
    /// An attribute or input that this version of the operator does not have.
    UnknownAttribute = "E217" "unknown-attribute",

    /// A size overflows or exceeds the caller's limit.
    TooLarge = "E301" "too-large",
    /// The allocator refused.
    OutOfMemory = "E302" "out-of-memory",

    /// A call with too few or too many operands.
    OperandCount = "E401" "operand-count",
    /// An operand of another element type than compiled or declared.
    OperandType = "E402" "operand-type",
    /// An operand of another shape than declared.
    OperandShape = "E403" "operand-shape",
    /// A buffer shorter than its layout needs.
    OperandLength = "E404" "operand-length",
    /// Strides that do not fit the shape or the result.
    OperandLayout = "E405" "operand-layout",
    /// A parameter operand has no value, or another than the kernel was compiled for.
    OperandValue = "E406" "operand-value",

    /// A defect of xslice, caught before it did harm.
    Internal = "E599" "internal",
}

impl ErrorKind {
    /// Whether the request itself is refused, by a rule of an operator's text (codes `E2..`) or because its result is too large;
    /// as opposed to how it is written (`E1..`), to the memory of this machine, and to the operands of a call (`E4..`).
    #[must_use]
    pub fn is_rule(self) -> bool {
        self == Self::TooLarge || self.code().starts_with("E2")
    }
}

/// A refusal. Display, and Debug too, give one line: who, where in a text, what, allowed, hint, code.
///
/// ```
/// # use xslice_core::{ElementType, ErrorKind, Program, Signature};
/// let signature = Signature::new().operand(ElementType::F32, &[4]);
/// let refusal = Program::parse("x[7]")?.compile(&signature).unwrap_err();
/// assert_eq!(refusal.kind(), ErrorKind::IndexRange);
/// assert_eq!(refusal.kind().code(), "E212");
/// assert_eq!((refusal.offending_value(), refusal.allowed_range()), (Some("7"), Some("-4..=3")));
/// assert_eq!(refusal.to_string().lines().count(), 1);
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Facts>);

#[derive(Clone, PartialEq, Eq)]
struct Facts {
    kind: ErrorKind,
    text: Cow<'static, str>,
    node: Option<String>,
    operator: Option<Cow<'static, str>>,
    parameter: Option<Cow<'static, str>>,
    axis: Option<usize>,
    position: Option<usize>,
    place: Option<Place>,
    value: Option<String>,
    allowed: Option<Cow<'static, str>>,
    hint: Option<Cow<'static, str>>,
}

/// Where in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    byte: usize,
    column: usize,
}

impl Error {
    /// A refusal of `kind`; `text` is a lower-case sentence that names the offending value and its place.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Facts {
            kind,
            text: text.into(),
            node: None,
            operator: None,
            parameter: None,
            axis: None,
            position: None,
            place: None,
            value: None,
            allowed: None,
            hint: None,
        }))
    }

    /// A defect of xslice itself, caught; `text` says what was found.
    #[cold]
    #[must_use]
    pub fn internal(text: impl fmt::Display) -> Self {
        let text = format!("internal error: {text}");
        Self::new(ErrorKind::Internal, text).hint("please report it")
    }

    /// The allocator does not have `bytes` bytes.
    #[cold]
    #[must_use]
    pub fn out_of_memory(bytes: usize) -> Self {
        let text = format!("the allocator refused {bytes} bytes");
        Self::new(ErrorKind::OutOfMemory, text)
            .value(bytes)
            .hint("give the kernel a smaller request, or a lower limit to refuse it earlier")
    }

    /// The same refusal, naming the parameter, operand or attribute. The first name given stays.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.parameter.get_or_insert(name.into());
        self
    }

    /// The same refusal, of that parameter if it names none; its words name it too.
    pub(crate) fn of_parameter(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        if self.0.parameter.is_none() {
            let name = name.into();
            self.0.text = format!("`{name}`: {}", self.0.text).into();
            self.0.parameter = Some(name);
        }
        self
    }

    /// The same refusal, naming the axis (counted from 0).
    #[must_use]
    pub fn axis(mut self, axis: usize) -> Self {
        self.0.axis = Some(axis);
        self
    }

    /// The same refusal, with the position of the offender in its parameter: flat, in row-major order; in a bracket the number of the entry.
    #[must_use]
    pub fn position(mut self, position: usize) -> Self {
        self.0.position = Some(position);
        self
    }

    /// The same refusal, at byte `byte` of `text`.
    #[must_use]
    pub fn in_text(mut self, text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let column = before.chars().count() + 1;
        self.0.place = Some(Place { byte, column });
        self
    }

    /// The same refusal, with the offending value.
    #[must_use]
    pub fn value(mut self, value: impl ToString) -> Self {
        self.0.value = Some(value.to_string());
        self
    }

    /// The same refusal, with what would have been allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<Cow<'static, str>>) -> Self {
        self.0.allowed = Some(allowed.into());
        self
    }

    /// The same refusal, with advice on the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same refusal, naming the operator (`onnx::Slice@13`). The first name given stays.
    #[must_use]
    pub fn operator(mut self, operator: impl Into<Cow<'static, str>>) -> Self {
        self.0.operator.get_or_insert(operator.into());
        self
    }

    /// The same refusal, naming the node of a model. The first name given stays.
    #[must_use]
    pub fn node(mut self, node: impl Into<String>) -> Self {
        self.0.node.get_or_insert(node.into());
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operator that refuses.
    #[must_use]
    pub fn operator_name(&self) -> Option<&str> {
        self.0.operator.as_deref()
    }

    /// The node of the model that refuses.
    #[must_use]
    pub fn node_name(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// The parameter, operand or attribute.
    #[must_use]
    pub fn parameter_name(&self) -> Option<&str> {
        self.0.parameter.as_deref()
    }

    /// The axis, counted from 0.
    #[must_use]
    pub fn axis_number(&self) -> Option<usize> {
        self.0.axis
    }

    /// The position of the offender in its parameter: flat, in row-major order; in a bracket the number of the entry, except that
    /// `indices` are a parameter of their own, and that a comma which is missing has none. For the place in a text see [`Error::text_position`].
    ///
    /// ```
    /// # use xslice_core::Program;
    /// let refusal = Program::parse("x[:, ::0]").unwrap_err();
    /// assert_eq!(refusal.to_string(), "index: column 8: `step[1]` = 0 (allowed: any value but 0) [E201 step-zero]");
    /// assert_eq!(refusal.offender_position(), Some(1));
    /// assert_eq!((refusal.text_position(), refusal.column_number()), (Some(7), Some(8)));
    /// ```
    #[must_use]
    pub fn offender_position(&self) -> Option<usize> {
        self.0.position
    }

    /// Where the offending token begins in the text that was parsed, in bytes from 0. `None` where no text is refused: rules that need
    /// shapes are applied to programs.
    #[must_use]
    pub fn text_position(&self) -> Option<usize> {
        self.0.place.map(|place| place.byte)
    }

    /// The same place in characters from 1, as messages show it. Line breaks count as characters.
    #[must_use]
    pub fn column_number(&self) -> Option<usize> {
        self.0.place.map(|place| place.column)
    }

    /// The offending value.
    #[must_use]
    pub fn offending_value(&self) -> Option<&str> {
        self.0.value.as_deref()
    }

    /// What is allowed.
    #[must_use]
    pub fn allowed_range(&self) -> Option<&str> {
        self.0.allowed.as_deref()
    }

    /// Advice on the next step.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

/// Characters of a token that a refusal shows.
const SHOWN: usize = 40;

/// The text on one line, its end left out where it is long.
pub(crate) fn cut(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown = String::new();
    for c in chars.by_ref().take(SHOWN) {
        match c {
            '"' | '\'' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if chars.next().is_some() {
        shown.push_str("...");
    }
    shown
}

/// `1 axis`, `2 axes`.
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// More characters of one refusal are left out: a list of a user may be of any length.
const MOST_CHARACTERS: usize = 1000;

/// Whether a character may not stand in a message of one line.
#[must_use]
pub fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Writes one line: names out of models and texts may hold line breaks and other control characters.
struct OneLine<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
}

impl fmt::Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match self.left {
                0 => return Ok(()),
                1 => self.out.write_char('…')?,
                _ => self.out.write_char(if breaks_line(c) { ' ' } else { c })?,
            }
            self.left -= 1;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = &*self.0;
        let f = &mut OneLine {
            out,
            left: MOST_CHARACTERS,
        };
        if let Some(node) = &facts.node {
            write!(f, "node `{}`: ", node.escape_debug())?;
        }
        if let Some(operator) = &facts.operator {
            write!(f, "{operator}: ")?;
        }
        if let Some(place) = facts.place {
            write!(f, "column {}: ", place.column)?;
        }
        f.write_str(&facts.text)?;
        if let Some(allowed) = &facts.allowed {
            write!(f, " (allowed: {allowed})")?;
        }
        if let Some(hint) = &facts.hint {
            write!(f, "; {hint}")?;
        }
        write!(out, " [{} {}]", facts.kind.code(), facts.kind.name())
    }
}

/// What `fn main() -> Result<(), Error>` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {}
