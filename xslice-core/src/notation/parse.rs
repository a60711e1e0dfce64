//! The grammar outside of brackets: types, sources, stages, operators.
//!
//! Recursive descent; a function stands at the first token of what it is named after. `None` means refused, and the refusal is
//! recorded: the caller goes on at the next comma or pipe.

use super::ast::{
    Argument, Chain, Float, Integer, Label, Name, Operator, Source, Stage, Text, Type, Types, Value,
};
use super::cursor::{Parser, Reader, syntax};
use super::{Delimiter, Diagnostic, Token, TokenKind, number, operator, words};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

const STAGE: &str = "an operator such as `onnx::Slice@13(...)` or a bracket such as `[1:]`";

/// What to do about a dimension that is no number.
const fn no_literal(reader: Reader, is_name: bool) -> &'static str {
    match (reader, is_name) {
        (Reader::Text, _) => {
            "write the number; where it is known only at run time, leave `<...>` out: shapes then come with the signature"
        }
        (Reader::Macro, true) => {
            "a macro cannot read constants: write the number, pass it by `macro_rules!`, or use `Jit`"
        }
        (Reader::Macro, false) => "write the number; where it is known only at run time, use `Jit`",
    }
}

/// The tree of a text, as far as it parses, and what is refused.
pub(super) fn text(tokens: &[Token<'_>], reader: Reader) -> (Option<Text>, Vec<Diagnostic>) {
    match Parser::new(tokens, reader) {
        Ok(mut parser) => (parser.text(), parser.diagnostics),
        Err(diagnostic) => (None, alloc::vec![diagnostic]),
    }
}

impl Parser<'_, '_> {
    fn text(&mut self) -> Option<Text> {
        if self.at_end() {
            return self.expected("an operand such as `x[1:]`, or an operator", "");
        }
        let keyword = self.peek().and_then(TokenKind::ident);
        if matches!(keyword, Some("const" | "fn" | "pub")) && self.look(1).is_some_and(starts_form)
        {
            let text = format!("`{}` belongs to the macro", keyword.unwrap_or_default());
            return self
                .refuse_here(syntax(text).hint("a text begins with `<...>` or the operand"));
        }
        let types = if self.is('<') {
            Some(self.types()?)
        } else {
            None
        };
        let chain = self.chain()?;
        let mut result = None;
        if self.is_pair('-', '>') {
            self.advance(2);
            result = self.data_type();
            if result.is_some() && !self.at_end() {
                self.expected::<()>("the end", "`-> type` comes last");
            }
        } else if !self.at_end() {
            self.left_over("`[`, `|>`, `->` or the end");
        }
        Some(Text {
            types,
            chain,
            result,
        })
    }

    /// Refuses what stands after a chain.
    fn left_over(&mut self, allowed: &'static str) {
        let hint = if self.is_pair('=', '>') {
            "a destination `=>` belongs to the macro; at run time the kernel is given its output"
        } else if self.is('|') {
            "the pipe `|>` is written without a space"
        } else if self.is('@') {
            "a run-time operand stands in a bracket: `[@ids]`"
        } else if self.is('.') || self.is(':') {
            "the operand is a single name here; fields and paths belong to the macro"
        } else if self.reader == Reader::Macro && self.is_open(Delimiter::Parenthesis) {
            "an operand that is no place stands in parentheses: `(image.pixels())[1:]`"
        } else if self.is_open(Delimiter::Parenthesis) {
            "an operator is written with namespace and version: `onnx::Slice@13(...)`"
        } else {
            ""
        };
        self.expected::<()>(allowed, hint);
    }

    /// `<f32[2, 3], ids: i64[4]>`
    fn types(&mut self) -> Option<Types> {
        self.advance(1);
        let data = if self.looks(1, ':') && !self.looks(2, ':') {
            let error = syntax(format!("{} names the first type", self.shown()))
                .hint("the first type is that of the data operand and has no name: `<f32[2, 3], ids: i64[4]>`");
            self.refuse_here(error)
        } else {
            self.data_type()
        };
        let mut operands = Vec::new();
        let mut whole = data.is_some();
        loop {
            self.end_of_type(whole)?;
            if !self.eat(',') || self.is('>') {
                break;
            }
            let declaration = self.declaration();
            whole = matches!(declaration, Some((_, Some(_))));
            operands.extend(declaration);
        }
        self.advance(1);
        Some(Types { data, operands })
    }

    /// Goes to the next comma or the end of the types; what stands between is refused if the type before was `whole`. `None` if the types
    /// have no end.
    fn end_of_type(&mut self, whole: bool) -> Option<()> {
        let is_end = |parser: &Self| parser.is(',') || parser.is('>');
        let refused = whole && !is_end(self);
        if refused {
            self.expected::<()>("`,` or `>`", "");
        }
        self.skip_until(|parser| {
            is_end(parser) || parser.is_pair('|', '>') || parser.is_pair('-', '>')
        });
        match is_end(self) {
            true => Some(()),
            false if refused || !whole => None,
            false => self.expected("`,` or `>`", ""),
        }
    }

    /// `ids: i64[4]`
    fn declaration(&mut self) -> Option<(Name, Option<Type>)> {
        const WHAT: &str = "a declaration such as `ids: i64[4]`";
        let name = self.name(WHAT)?;
        if !self.eat(':') {
            return self.expected("`:` and the type", "only the first type has no name");
        }
        let ty = self.data_type();
        Some((name, ty))
    }

    /// `f32[2, 3]`, `f32`
    fn data_type(&mut self) -> Option<Type> {
        let start = self.at;
        let element = self.element_type();
        let element = match element {
            // What stands after an unknown name is still looked at.
            None if self.at == start => return None,
            other => other,
        };
        let shape = if self.is_open(Delimiter::Bracket) {
            let dims = self.group(Self::dimension);
            if dims.broken {
                return None;
            }
            Some(dims.items.into_iter().flatten().collect())
        } else {
            None
        };
        Some(Type {
            element: element?,
            shape,
            span: self.since(start),
        })
    }

    /// `f32`; steps over an unknown name too.
    pub(super) fn element_type(&mut self) -> Option<ElementType> {
        let span = self.here();
        let name = self.name("an element type such as `f32`")?.text;
        if let Some(ty) = ElementType::from_name(&name) {
            return Some(ty);
        }
        let names = ElementType::ALL.iter().map(|ty| ty.name());
        let cut = words::cut(&name);
        let error = Error::new(
            ErrorKind::UnknownType,
            format!("unknown element type `{cut}`"),
        )
        .value(cut)
        .allowed(words::listed(names.clone()));
        let near = words::nearest_type(&name, names);
        self.refuse(span, words::meant(error, near))
    }

    fn dimension(&mut self) -> Option<usize> {
        let start = self.at;
        let is_name = matches!(self.peek(), Some(TokenKind::Ident(_)));
        let hint = no_literal(self.reader, is_name);
        let not_literal = |what: String, value: String| {
            let error = syntax(format!("{what} as a dimension")).value(value);
            error.hint(hint)
        };
        match self.peek() {
            Some(TokenKind::Integer(text)) => {
                self.advance(1);
                let value = number::count(text, "dimension", isize::MAX as u64);
                value.map_or_else(|error| self.refuse(self.since(start), error), Some)
            }
            Some(token) if token.is_punct('-') => {
                let span = self.ahead(2);
                let shown = self.look(1).map(ToString::to_string).unwrap_or_default();
                let error = Error::new(ErrorKind::NumberRange, format!("dimension -{shown}"))
                    .value(format!("-{shown}"))
                    .allowed("0 and above")
                    .hint(hint);
                self.refuse(span, error)
            }
            Some(token) if token.is_punct('?') => {
                self.refuse_here(not_literal("the unknown `?`".into(), "?".into()))
            }
            Some(TokenKind::Ident(name)) => {
                let name = words::cut(name);
                self.refuse_here(not_literal(format!("the name `{name}`"), name))
            }
            Some(TokenKind::Float(text)) => {
                let float = words::cut(text);
                self.refuse_here(not_literal(format!("the float {float}"), float))
            }
            _ => self.expected("a dimension: 0 and above", ""),
        }
    }

    /// A source and its stages; ends before what belongs to neither.
    pub(super) fn chain(&mut self) -> Option<Chain> {
        let source = self.source()?;
        let mut stages = Vec::new();
        let mut after_operator = matches!(source, Source::Generator(_));
        loop {
            let stage = if self.is_open(Delimiter::Bracket) {
                if after_operator {
                    let error = syntax("a bracket directly after an operator")
                        .hint("pipe into it: `|> [...]`");
                    self.refuse_here::<()>(error);
                }
                self.bracket().map(Stage::Bracket)
            } else if self.is_pair('|', '>') {
                self.advance(2);
                self.stage()
            } else {
                break;
            };
            after_operator = matches!(stage, Some(Stage::Operator(_)));
            stages.extend(stage);
        }
        Some(Chain { source, stages })
    }

    fn source(&mut self) -> Option<Source> {
        match self.peek() {
            Some(TokenKind::Ident(_)) if self.is_path() => self.operator().map(Source::Generator),
            Some(TokenKind::Ident(_)) => self.name("an operand").map(Source::Operand),
            Some(TokenKind::Open(Delimiter::Parenthesis)) => {
                let error = syntax("an expression as operand").allowed("a name, or an operator");
                self.refuse_here(error.hint("expressions belong to the macro; name the operand"))
            }
            Some(TokenKind::Open(Delimiter::Bracket)) => {
                let error = syntax("a bracket without an operand")
                    .hint("write the operand first: `x[...]`");
                self.refuse_here(error)
            }
            Some(token) if token.is_punct('@') => self.expected(
                "a name, or an operator",
                "the data operand is written without `@`",
            ),
            _ => self.expected("a name, or an operator such as `onnx::Range@11(...)`", ""),
        }
    }

    /// Whether the name here is one of an operator: a path, or a name with a version.
    fn is_path(&self) -> bool {
        self.looks(1, '@') || self.looks(1, ':') && self.looks(2, ':')
    }

    /// What stands after a pipe. After a refusal goes on at the next one.
    fn stage(&mut self) -> Option<Stage> {
        let stage = match self.peek() {
            Some(TokenKind::Open(Delimiter::Bracket)) => return self.bracket().map(Stage::Bracket),
            Some(TokenKind::Ident(_)) if self.is_path() => self.operator().map(Stage::Operator),
            Some(TokenKind::Ident(_)) => self.expected(
                STAGE,
                "an operator is written with namespace and version: `onnx::Slice@13(...)`",
            ),
            Some(token) if token.is_punct('@') => {
                self.expected(STAGE, "a gather is a bracket: `|> [@ids]`")
            }
            _ => self.expected(STAGE, ""),
        };
        if stage.is_none() {
            self.skip_until(|parser| parser.is_pair('|', '>') || parser.is_pair('-', '>'));
        }
        stage
    }

    /// `onnx::Slice@13(starts = [0], ends = [8])`
    fn operator(&mut self) -> Option<Operator> {
        let start = self.at;
        let path = self.path()?;
        let version = match operator::find(&path.text) {
            Ok(_) => self.in_operator(&Label(&path.text, None), |parser| parser.version(&path)),
            // Perhaps an operand was meant.
            Err(_) => self.version(&path),
        }?;
        let head = self.since(start);
        let label = Label(&path.text, Some(version.0));
        let arguments = self.in_operator(&label, |parser| {
            if !parser.is_open(Delimiter::Parenthesis) {
                return parser.expected("`(` and the arguments", "");
            }
            Some(parser.group(Self::argument))
        })?;
        Some(Operator {
            path,
            version,
            arguments: arguments.items.into_iter().flatten().collect(),
            broken: arguments.broken,
            head,
        })
    }

    /// Names joined by two colons.
    fn path(&mut self) -> Option<Name> {
        let start = self.at;
        let mut text = self.name("a name")?.text;
        while self.is(':') && self.looks(1, ':') {
            self.advance(2);
            text.push_str("::");
            text.push_str(&self.name("a name after `::`")?.text);
        }
        Some(Name {
            text,
            span: self.since(start),
        })
    }

    /// `@13`, after a path
    fn version(&mut self, path: &Name) -> Option<(u32, super::Span)> {
        if !self.eat('@') {
            let hint = if path.text.contains(':') {
                "an operator is written with its version: `onnx::Slice@13(...)`; an operand is a single name"
            } else {
                "an operator is written with namespace and version: `onnx::Slice@13(...)`"
            };
            return self.expected("`@` and the version of the operator", hint);
        }
        let span = self.here();
        let Some(TokenKind::Integer(text)) = self.peek() else {
            let hint = "a run-time operand stands in a bracket: `x[@ids]`";
            return self.expected("the version of the operator, such as 13", hint);
        };
        self.advance(1);
        match number::count(text, "version", u32::MAX.into()) {
            Ok(value) => Some((value, span)),
            Err(error) => self.refuse(span, error),
        }
    }

    /// `starts = [0]`
    fn argument(&mut self) -> Option<Argument> {
        let name = self.name("an argument such as `starts = [0]`")?;
        let (value, span) = self.in_parameter(&name.text, |parser| {
            if !parser.eat('=') {
                return parser.expected("`=` and a value", "arguments are written `name = value`");
            }
            let start = parser.at;
            Some((parser.value()?, parser.since(start)))
        })?;
        Some(Argument { name, value, span })
    }

    fn value(&mut self) -> Option<Value> {
        const WHAT: &str = "a number, a list such as `[0, 2]`, `@name`, or the name of a dialect";
        if self.starts_integer() {
            return match self.look(usize::from(self.is('-'))) {
                Some(TokenKind::Float(_)) => self.float().map(Value::Float),
                _ => self.integer().map(Value::Integer),
            };
        }
        match self.peek() {
            Some(TokenKind::Float(_)) => self.float().map(Value::Float),
            Some(TokenKind::Open(Delimiter::Bracket)) => self.list().map(Value::List),
            Some(token) if token.is_punct('@') => self.tensor().map(Value::Tensor),
            Some(TokenKind::Ident(_)) => self.name(WHAT).map(Value::Name),
            _ => self.expected(WHAT, ""),
        }
    }

    /// Whether an integer, or a minus, stands here.
    pub(super) fn starts_integer(&self) -> bool {
        match self.peek() {
            Some(TokenKind::Integer(_)) => true,
            Some(TokenKind::Ident(name)) => {
                matches!(&**name, "i32" | "i64") && self.looks(1, ':') && self.looks(2, ':')
            }
            Some(token) => token.is_punct('-'),
            None => false,
        }
    }

    /// `-3`, `0x1F`, `i64::MAX`
    pub(super) fn integer(&mut self) -> Option<Integer> {
        let start = self.at;
        if let Some(ty) = self.peek().and_then(TokenKind::ident) {
            let value = match (ty, self.look(3).and_then(TokenKind::ident)) {
                ("i32", Some("MIN")) => i64::from(i32::MIN),
                ("i32", Some("MAX")) => i64::from(i32::MAX),
                ("i64", Some("MIN")) => i64::MIN,
                ("i64", Some("MAX")) => i64::MAX,
                _ => {
                    self.advance(3);
                    return self.expected("`MIN` or `MAX`", "");
                }
            };
            self.advance(4);
            return Some(Integer {
                value,
                span: self.since(start),
            });
        }
        let negative = self.eat('-');
        match self.peek() {
            Some(TokenKind::Integer(text)) => {
                self.advance(1);
                let span = self.since(start);
                match number::integer(text, negative) {
                    Ok(value) => Some(Integer { value, span }),
                    Err(error) => self.refuse(span, error),
                }
            }
            Some(TokenKind::Float(_)) => self.float_as_index(start),
            Some(TokenKind::Ident(_)) => self.expected(
                "an integer literal after `-`",
                "names and constants are not read; write the number, or `i64::MIN`",
            ),
            _ => self.expected("an integer", ""),
        }
    }

    fn float(&mut self) -> Option<Float> {
        let start = self.at;
        let negative = self.eat('-');
        let Some(TokenKind::Float(text)) = self.peek() else {
            return self.expected("a float", "");
        };
        self.advance(1);
        let span = self.since(start);
        match number::float(text, negative) {
            Ok(text) => Some(Float { text, span }),
            Err(error) => self.refuse(span, error),
        }
    }

    pub(super) fn name(&mut self, what: &'static str) -> Option<Name> {
        let span = self.here();
        match self.peek() {
            Some(TokenKind::Ident(text)) => {
                self.advance(1);
                Some(Name {
                    text: text.to_string(),
                    span,
                })
            }
            _ => self.expected(what, ""),
        }
    }
}

/// Whether a token after `const`, `fn` or `pub` shows that it is the keyword and not an operand of that name.
fn starts_form(token: &TokenKind<'_>) -> bool {
    matches!(token, TokenKind::Ident(_)) || token.is_punct('<')
}
