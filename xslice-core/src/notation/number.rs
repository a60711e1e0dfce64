//! Number literals: where they end, and what they are worth.
//!
//! Rust's rules, without suffixes. Integers are read in `i128`, so that a sign in front can be applied before the value has to fit
//! `i64`; floats stay text until their type is known, and are then rounded once.

use crate::error::{Error, ErrorKind};
use alloc::{format, string::String};

/// The parts of a number literal.
pub(super) struct Shape {
    /// Bytes without the suffix.
    pub body: usize,
    /// Bytes in all; 0 if the text starts with no number.
    pub end: usize,
    /// Whether it is a float.
    pub float: bool,
}

/// The number that `text` starts with. `0..3` starts with `0`, `1.x` with `1`, `1.` is a float.
pub(super) fn scan(text: &str) -> Shape {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return Shape {
            body: 0,
            end: 0,
            float: false,
        };
    }
    let (mut body, mut float) = match (bytes[0], bytes.get(1)) {
        (b'0', Some(b'x')) => (run(text, 2, |c| c.is_ascii_hexdigit() || c == '_'), false),
        (b'0', Some(b'o' | b'b')) => (run(text, 2, is_digit), false),
        _ => fraction(text, run(text, 0, is_digit)),
    };
    if bytes[0] != b'0' || !matches!(bytes.get(1), Some(b'x' | b'o' | b'b')) {
        let end = exponent(text, body);
        float |= end > body;
        body = end;
    }
    let end = run(text, body, super::token::is_word);
    float |= matches!(&text[body..end], "f32" | "f64");
    Shape { body, end, float }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c == '_'
}

/// The end of the characters from `start` on that `fits` takes.
fn run(text: &str, start: usize, fits: impl Fn(char) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.find(|c| !fits(c)).unwrap_or(rest.len())
}

/// The end of a fraction after the digits, and whether there is one. A second point or a name after the point makes it none.
fn fraction(text: &str, digits: usize) -> (usize, bool) {
    let mut rest = text[digits..].chars();
    if rest.next() != Some('.') {
        return (digits, false);
    }
    match rest.next() {
        Some(c) if c.is_ascii_digit() => (run(text, digits + 1, is_digit), true),
        Some(c) if c == '.' || c == '_' || c.is_alphabetic() => (digits, false),
        _ => (digits + 1, true),
    }
}

/// The end of an exponent, or `start` if there is none: without a digit, `e` begins a suffix.
fn exponent(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let Some(after) = rest.strip_prefix(['e', 'E']) else {
        return start;
    };
    let sign = usize::from(after.starts_with(['+', '-']));
    let end = run(text, start + 1 + sign, is_digit);
    let has_digit = text[start + 1 + sign..end].contains(|c: char| c.is_ascii_digit());
    if has_digit { end } else { start }
}

/// The value of an integer literal, with its sign, in `i64`.
pub(super) fn integer(literal: &str, negative: bool) -> Result<i64, Error> {
    let shape = scan(literal);
    let (body, suffix) = literal.split_at(shape.body);
    if !suffix.is_empty() {
        return Err(has_suffix(body, suffix));
    }
    let (radix, name, digits) = match body.get(..2) {
        Some("0x") => (16, "a hex digit", &body[2..]),
        Some("0o") => (8, "an octal digit", &body[2..]),
        Some("0b") => (2, "a binary digit", &body[2..]),
        _ => (10, "a digit", body),
    };
    let mut value = Some(0i128);
    let mut any = false;
    for digit in digits.chars().filter(|c| *c != '_') {
        let Some(digit) = digit.to_digit(radix) else {
            let text = format!(
                "`{digit}` in `{}` is not {name}",
                super::words::cut(literal)
            );
            return Err(Error::new(ErrorKind::Syntax, text).value(super::words::cut(literal)));
        };
        any = true;
        value = value
            .and_then(|value| value.checked_mul(radix.into()))
            .and_then(|value| value.checked_add(digit.into()));
    }
    if !any {
        let shown = super::words::cut(literal);
        return Err(Error::new(ErrorKind::Syntax, format!("`{shown}` has no digit")).value(shown));
    }
    let signed = value.map(|value| if negative { -value } else { value });
    match signed.map(i64::try_from) {
        Some(Ok(value)) => Ok(value),
        Some(Err(_)) | None => Err(out_of_range(literal, negative)),
    }
}

/// The value of an integer literal that counts `what`, of which there are at most `most`.
pub(super) fn count<T: TryFrom<u64>>(literal: &str, what: &str, most: u64) -> Result<T, Error> {
    let value = match integer(literal, false) {
        Ok(value) => u64::try_from(value).ok().filter(|value| *value <= most),
        Err(error) if error.kind() != ErrorKind::NumberRange => return Err(error),
        Err(_) => None,
    };
    match value.and_then(|value| T::try_from(value).ok()) {
        Some(value) => Ok(value),
        None => {
            let shown = super::words::cut(literal);
            let text = format!("{what} {shown} is too large");
            let error = Error::new(ErrorKind::NumberRange, text).value(shown);
            Err(error.allowed(format!("0..={most}")))
        }
    }
}

fn out_of_range(literal: &str, negative: bool) -> Error {
    let sign = if negative { "-" } else { "" };
    let shown = format!("{sign}{}", super::words::cut(literal));
    Error::new(
        ErrorKind::NumberRange,
        format!("number {shown} does not fit i64"),
    )
    .value(shown)
    .allowed(format!("{}..={}", i64::MIN, i64::MAX))
    .hint("`i64::MAX` and `i64::MIN` can be written by name")
}

/// A float literal without `_`, ready for `str::parse`.
pub(super) fn float(literal: &str, negative: bool) -> Result<String, Error> {
    let (body, suffix) = literal.split_at(scan(literal).body);
    if !suffix.is_empty() {
        return Err(has_suffix(body, suffix));
    }
    let sign = negative.then_some('-');
    let digits = body.chars().filter(|c| *c != '_');
    Ok(sign.into_iter().chain(digits).collect())
}

fn has_suffix(body: &str, suffix: &str) -> Error {
    let (body, suffix) = (super::words::cut(body), super::words::cut(suffix));
    Error::new(
        ErrorKind::Syntax,
        format!("number `{body}{suffix}` has the suffix `{suffix}`"),
    )
    .value(format!("{body}{suffix}"))
    .hint(format!("numbers have no suffix here: write `{body}`"))
}
