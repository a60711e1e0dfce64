//! The Rust around the notation: `const`, operands, `=>`, attributes, visibility, names.
//!
//! What is Rust is kept as the tokens that the user wrote; the compiler judges it where it is used. What is notation goes to its
//! own parser, with the operand, whatever it is, as one name. Nothing is refused twice: a part that is missing here is missing there.

use crate::report::Refusal;
use crate::tokens::{Ends, Flat, Trees};
use proc_macro::{Delimiter, Ident, Span, TokenStream, TokenTree};
use xslice_core::notation::{self, TokenKind};

/// What an invocation is.
pub enum Invocation {
    Expression(Box<Expression>),
    Items(Vec<Item>),
}

/// `const <f32[2, 3]> x[1:] => y`
pub struct Expression {
    pub constant: Option<Span>,
    pub notation: Notation,
    /// The data, unless a generator makes it.
    pub source: Option<Rust>,
    pub destination: Option<Destination>,
}

/// Tokens of the user's own, and where they stand.
pub struct Rust {
    pub tokens: TokenStream,
    pub ends: Ends,
}

/// `=> y`
pub struct Destination {
    pub arrow: Ends,
    pub place: Rust,
}

/// `pub fn crop<f32[2, 3]> [1:]`
pub struct Item {
    pub attributes: TokenStream,
    /// Those of the attributes that decide whether the item exists, and whether it is documented.
    pub conditions: TokenStream,
    pub visibility: TokenStream,
    pub constant: Option<Span>,
    pub name: Ident,
    pub notation: Notation,
    /// The path of `#[xslice(crate = path)]`.
    pub root: Option<TokenStream>,
}

/// Types, source and stages.
#[derive(Default)]
pub struct Notation {
    pub flat: Flat,
    /// The declared operands besides the data.
    pub names: Vec<Ident>,
    /// The first token after the types.
    pub chain: usize,
    /// Whether there is a data operand.
    pub has_data: bool,
    /// Whether a part that no parser would miss has been refused already.
    pub is_refused: bool,
}

impl Notation {
    /// How the data of a function is called: as no operand is.
    pub fn data_name(&self) -> String {
        let mut name = String::from("src");
        while self.names.iter().any(|other| *other.to_string() == name) {
            name.push('_');
        }
        name
    }

    /// The first `@` that stands for a run-time operand or computed indices.
    pub fn run_time(&self) -> Option<notation::Span> {
        let tokens = self.flat.tokens();
        let at = tokens.windows(2).position(|pair| {
            matches!(pair[0].kind, TokenKind::Punct { char: '@', .. })
                && !matches!(pair[1].kind, TokenKind::Integer(_))
        })?;
        Some(tokens[at].span.start..tokens[at + 1].span.end)
    }

    /// The whole chain after the types.
    pub fn chain_ends(&self) -> Ends {
        self.flat.ends(&(self.chain..self.flat.len()))
    }
}

/// Takes an invocation apart; what is refused is added to `refusals`.
pub fn invocation(mut trees: Trees, refusals: &mut Vec<Refusal>) -> Invocation {
    if trees.peek().is_none() || starts_item(&mut trees) {
        let mut items = Vec::new();
        while trees.peek().is_some() {
            items.extend(item(&mut trees, refusals));
        }
        return Invocation::Items(items);
    }
    Invocation::Expression(Box::new(expression(trees, refusals)))
}

/// Whether an item begins here. An expression begins with `<` or `const <`.
fn starts_item(trees: &mut Trees) -> bool {
    let keyword = ["fn", "pub"].iter().any(|word| trees.is_ident(0, word));
    keyword || trees.is_punct(0, '#') || (trees.is_ident(0, "const") && !trees.is_punct(1, '<'))
}

fn expression(mut trees: Trees, refusals: &mut Vec<Refusal>) -> Expression {
    let constant = keyword(&mut trees, "const");
    let mut notation = Notation::default();
    types(&mut trees, &mut notation);
    let source = source(&mut trees, &mut notation);
    let mut destination = None;
    while trees.peek().is_some() {
        if trees.is_pair('=', '>') {
            destination = arrow(trees, refusals);
            break;
        }
        notation.flat.extend(trees.next());
    }
    Expression {
        constant,
        notation,
        source,
        destination,
    }
}

/// `=> y`
fn arrow(mut trees: Trees, refusals: &mut Vec<Refusal>) -> Option<Destination> {
    let first = trees.next()?.span();
    let last = trees.next()?.span();
    let arrow = (first, last);
    let tokens = trees.rest();
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let Some(start) = spans.next() else {
        let refusal = Refusal::syntax("`=>` without a destination", arrow);
        refusals.push(refusal.hint("write where the result goes: `=> y`"));
        return None;
    };
    let ends = (start, spans.last().unwrap_or(start));
    Some(Destination {
        arrow,
        place: Rust { tokens, ends },
    })
}

fn keyword(trees: &mut Trees, word: &str) -> Option<Span> {
    let found = trees.is_ident(0, word);
    found
        .then(|| trees.next().map(|tree| tree.span()))
        .flatten()
}

/// `<f32[2, 3], ids: i64[4]>`, as far as it goes.
fn types(trees: &mut Trees, notation: &mut Notation) {
    if trees.is_punct(0, '<') {
        while trees.peek().is_some() && !trees.is_punct(0, '|') {
            // Nothing after the types is opened yet: an operand may be an expression.
            if let Some(name) = trees.ident(0)
                && trees.is_punct(1, ':')
                && !trees.is_punct(2, ':')
            {
                notation.names.push(name);
            }
            let closes = trees.is_punct(0, '>');
            notation.flat.extend(trees.next());
            if closes {
                break;
            }
        }
    }
    notation.chain = notation.flat.len();
}

/// The data operand: a place, or an expression in parentheses. `None` before a generator.
fn source(trees: &mut Trees, notation: &mut Notation) -> Option<Rust> {
    let rust = match trees.peek_closed()? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            Some(trees.next()?)
        }
        // A fragment of `macro_rules`: a place or an expression.
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let mut inner = Trees::new(group.stream());
            let is_expression = place(&mut inner).is_some_and(|_| inner.peek().is_some())
                || matches!(
                    inner.peek(),
                    Some(TokenTree::Group(_) | TokenTree::Punct(_))
                );
            if is_expression {
                trees.next_closed()
            } else {
                None
            }
        }
        _ => None,
    };
    let trees = match rust {
        Some(expression) => vec![expression],
        None => place(trees)?,
    };
    let ends = (trees.first()?.span(), trees.last()?.span());
    let name: String = trees.iter().map(ToString::to_string).collect();
    notation.has_data = true;
    notation.flat.push(TokenKind::Ident(name.into()), ends);
    Some(Rust {
        tokens: trees.into_iter().collect(),
        ends,
    })
}

/// `self.frames.0`, `images::FIRST`; nothing if it is a path to an operator.
fn place(trees: &mut Trees) -> Option<Vec<TokenTree>> {
    trees.ident(0)?;
    let mut len = 1;
    while trees.is_punct(len, ':') && trees.is_punct(len + 1, ':') && trees.ident(len + 2).is_some()
    {
        len += 3;
    }
    if trees.is_punct(len, '@') {
        return None;
    }
    while trees.is_punct(len, '.') && is_field(trees.peek_at(len + 1)) {
        len += 2;
    }
    (0..len).map(|_| trees.next()).collect()
}

/// A name, or numbers as the compiler cuts them: `0`, `0.1`.
fn is_field(tree: Option<&TokenTree>) -> bool {
    match tree {
        Some(TokenTree::Ident(_)) => true,
        Some(TokenTree::Literal(literal)) => {
            let text = literal.to_string();
            text.chars()
                .all(|char| char.is_ascii_digit() || char == '.')
        }
        _ => false,
    }
}

/// One function. After a refusal goes on at the next one.
fn item(trees: &mut Trees, refusals: &mut Vec<Refusal>) -> Option<Item> {
    let mut attributes = Attributes::default();
    attributes.read(trees, refusals);
    let mut visibility = TokenStream::new();
    if trees.is_ident(0, "pub") {
        visibility.extend(trees.next());
        let scope = matches!(trees.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        visibility.extend(scope.then(|| trees.next()).flatten());
    }
    let constant = keyword(trees, "const");
    let name = if keyword(trees, "fn").is_some() {
        trees.ident(0)
    } else {
        None
    };
    let Some(name) = name else {
        refusals.push(no_function(trees));
        trees.next();
        skip_item(trees);
        return None;
    };
    trees.next();
    let notation = body(trees, &name, refusals);
    Some(Item {
        attributes: attributes.all,
        conditions: attributes.conditions,
        visibility,
        constant,
        name,
        notation,
        root: attributes.root,
    })
}

fn no_function(trees: &mut Trees) -> Refusal {
    let (shown, span) = match trees.peek() {
        Some(tree) => (format!("unexpected `{tree}`"), tree.span()),
        None => (String::from("unexpected end"), Span::call_site()),
    };
    Refusal::syntax(shown.lines().next().unwrap_or_default(), (span, span))
        .allowed("`fn` and a name")
        .hint("a function is written `pub fn crop<f32[4, 6]> [1:, ::2]`")
}

fn skip_item(trees: &mut Trees) {
    while trees.peek().is_some() && !starts_item(trees) {
        trees.next();
    }
}

/// What stands between the name of a function and the next one. Its data is put in front: the notation reads a chain on it.
fn body(trees: &mut Trees, name: &Ident, refusals: &mut Vec<Refusal>) -> Notation {
    let mut notation = Notation::default();
    let span = (name.span(), name.span());
    types(trees, &mut notation);
    let mut path = String::new();
    let mut len = 0;
    while let Some(ident) = trees.ident(len) {
        path += &ident.to_string();
        len += 1;
        if !(trees.is_punct(len, ':') && trees.is_punct(len + 1, ':')) {
            break;
        }
        path += "::";
        len += 2;
    }
    let is_bracket = matches!(trees.peek(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket);
    let is_operator = len > 0 && trees.is_punct(len, '@');
    if !is_bracket && !is_operator {
        refusals.push(no_stage(trees, span));
        notation.is_refused = true;
        skip_item(trees);
        return notation;
    }
    notation.has_data = is_bracket || !notation::is_generator(&path);
    if notation.has_data {
        let data = notation.data_name();
        notation.flat.push(TokenKind::Ident(data.into()), span);
    }
    if notation.has_data && is_operator {
        for (char, joint) in [('|', true), ('>', false)] {
            notation.flat.push(TokenKind::Punct { char, joint }, span);
        }
    }
    while trees.peek().is_some() && !starts_item(trees) {
        if trees.is_pair('=', '>') {
            refusals.push(arrow_in_item(trees));
            skip_item(trees);
            break;
        }
        notation.flat.extend(trees.next());
    }
    notation
}

fn no_stage(trees: &mut Trees, name: Ends) -> Refusal {
    let ends = starts_item(trees);
    let stands = match trees.peek() {
        Some(tree) if !ends => Some((format!("unexpected `{tree}`"), tree.span())),
        _ => None,
    };
    let (text, ends) = match stands {
        Some((text, span)) => (text, (span, span)),
        None => (String::from("a function that does nothing"), name),
    };
    Refusal::syntax(text.lines().next().unwrap_or_default(), ends)
        .allowed("a bracket such as `[1:]`, or an operator such as `onnx::Slice@13(...)`")
        .hint("the data of a function is its first parameter and is not named")
}

fn arrow_in_item(trees: &mut Trees) -> Refusal {
    let first = trees
        .next()
        .map_or_else(Span::call_site, |tree| tree.span());
    let last = trees.next().map_or(first, |tree| tree.span());
    Refusal::syntax("`=>` in a function", (first, last))
        .hint("the last parameter of the function is its destination: leave `=> ...` out")
}

#[derive(Default)]
struct Attributes {
    all: TokenStream,
    conditions: TokenStream,
    root: Option<TokenStream>,
}

impl Attributes {
    fn read(&mut self, trees: &mut Trees, refusals: &mut Vec<Refusal>) {
        while trees.is_punct(0, '#') {
            let Some(TokenTree::Group(group)) = trees.peek_at(1) else {
                return;
            };
            let mut inner = Trees::new(group.stream());
            let name = inner.ident(0).map(|ident| ident.to_string());
            let hides = match inner.peek_at(1) {
                Some(TokenTree::Group(what)) => Trees::new(what.stream()).is_ident(0, "hidden"),
                _ => false,
            };
            let attribute = [trees.next(), trees.next()].into_iter().flatten();
            let attribute: TokenStream = attribute.collect();
            match (name.as_deref(), hides) {
                (Some("xslice"), _) => self.own(inner, refusals),
                (Some("cfg"), _) | (Some("doc"), true) => {
                    self.conditions.extend(attribute.clone());
                    self.all.extend(attribute);
                }
                _ => self.all.extend(attribute),
            }
        }
    }

    /// `xslice(crate = path)`
    fn own(&mut self, mut inner: Trees, refusals: &mut Vec<Refusal>) {
        let name = inner.next();
        let mut path = match inner.next() {
            Some(TokenTree::Group(group)) => Trees::new(group.stream()),
            _ => Trees::new(TokenStream::new()),
        };
        let named = keyword(&mut path, "crate").is_some() && path.is_punct(0, '=');
        path.next();
        if named && path.peek().is_some() {
            self.root = Some(path.rest());
            return;
        }
        let span = name.map_or_else(Span::call_site, |tree| tree.span());
        let refusal = Refusal::syntax(
            "an attribute of `xslice!` that it does not know",
            (span, span),
        );
        refusals.push(refusal.allowed("`#[xslice(crate = path)]`"));
    }
}

impl Extend<TokenTree> for Flat {
    fn extend<I: IntoIterator<Item = TokenTree>>(&mut self, trees: I) {
        trees.into_iter().for_each(|tree| self.tree(&tree));
    }
}
