//! Long lines of the emitter's text, broken as rustfmt breaks them.
//!
//! The emitter writes a statement a line, whatever its length. Decided here: where such a line is broken. Only what the emitter writes is
//! known: signatures, calls, arrays, tuples, assignments. What cannot be broken, a long literal, stays as rustfmt leaves it.

/// rustfmt's `max_width`.
const WIDTH: usize = 100;

/// rustfmt's `fn_call_width` and `array_width`.
const GROUP: usize = 60;

/// rustfmt's `short_array_element_width_threshold`.
const SHORT: usize = 10;

/// The same text with no line longer than it must be.
pub fn lay_out(text: &str) -> String {
    let mut laid = String::with_capacity(text.len());
    for line in text.lines() {
        let statement = line.trim_start();
        let indent = line.len() - statement.len();
        laid.push_str(&" ".repeat(indent));
        match statement.strip_suffix('{') {
            Some(head) if head.contains("fn ") => laid.push_str(&signature(head, indent)),
            Some(_) if statement.starts_with("if ") => laid.push_str(&condition(statement, indent)),
            _ => laid.push_str(&broken(statement, indent)),
        }
        laid.push('\n');
    }
    laid.replace("{\n}", "{}")
}

/// What opens a function; one parameter a line, if it is too long.
fn signature(head: &str, indent: usize) -> String {
    let fits = indent + head.len() < WIDTH;
    let group = groups(head).into_iter().find(|_| !fits);
    let laid = group.map_or_else(|| head.to_string(), |group| vertical(head, &group, indent));
    laid + "{"
}

/// A condition and the brace after it, which stands below a value that does.
fn condition(text: &str, indent: usize) -> String {
    let laid = broken(text, indent);
    match laid.strip_suffix(" {").filter(|_| laid.contains(" =\n")) {
        Some(value) => format!("{value}\n{:indent$}{{", ""),
        None => laid,
    }
}

/// A statement or an expression.
fn broken(text: &str, indent: usize) -> String {
    let groups = groups(text);
    let too_long = indent + text.len() > WIDTH;
    // A literal is never broken: where it is too long, nothing around it gains.
    let fits = |item: &&str| indent + 4 + item.len() < WIDTH || !item.contains("b\"");
    if too_long && !groups.iter().all(|group| group.items.iter().all(fits)) {
        return text.to_string();
    }
    let below = |to: &str, value: &str| {
        let value = broken(value, indent + 4);
        format!("{to} =\n{:width$}{value}", "", width = indent + 4)
    };
    let halves = text.split_once(" = ").filter(|_| too_long);
    let is_wider = halves.is_some_and(|(_, value)| indent + 4 + value.len() > WIDTH);
    let is_wide = |group: &&Group<'_>| group.width() > GROUP || is_wider;
    if let Some(wide) = groups.iter().rfind(is_wide) {
        return match (text.as_bytes()[wide.open], halves) {
            (b'[', _) if wide.items.iter().all(|item| item.len() <= SHORT) => {
                filled(text, wide, indent)
            }
            (_, Some((to, value))) if indent + wide.open >= WIDTH => below(to, value),
            _ => vertical(text, wide, indent),
        };
    }
    halves.map_or_else(|| text.to_string(), |(to, value)| below(to, value))
}

/// Brackets, from one of its sides to the other, and what commas divide in it.
struct Group<'a> {
    open: usize,
    close: usize,
    items: Vec<&'a str>,
}

impl Group<'_> {
    fn width(&self) -> usize {
        let items: usize = self.items.iter().map(|item| item.len()).sum();
        items + 2 * self.items.len().saturating_sub(1)
    }
}

/// The outermost groups of a text. An index is none: it is never broken.
fn groups(text: &str) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    let (mut depth, mut open, mut start) = (0, 0, 0);
    let mut items = Vec::new();
    let mut before = ' ';
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                while let Some((_, char)) = chars.next().filter(|(_, char)| *char != '"') {
                    if char == '\\' {
                        chars.next();
                    }
                }
            }
            '(' | '[' => {
                if depth == 0 {
                    let is_index = char == '[' && (before.is_alphanumeric() || before == '_');
                    (open, start) = (at, at + 1);
                    items.clear();
                    if is_index {
                        start = usize::MAX;
                    }
                }
                depth += 1;
            }
            ')' | ']' => {
                depth -= 1;
                if depth == 0 && start != usize::MAX {
                    if start < at {
                        items.push(text[start..at].trim());
                    }
                    let items = std::mem::take(&mut items);
                    let close = at;
                    groups.push(Group { open, close, items });
                }
            }
            ',' if depth == 1 && start != usize::MAX => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = char;
    }
    groups
}

/// One item a line.
fn vertical(text: &str, group: &Group<'_>, indent: usize) -> String {
    let mut laid = format!("{}\n", &text[..=group.open]);
    for item in &group.items {
        let item = broken(item, indent + 4);
        laid += &format!("{:width$}{item},\n", "", width = indent + 4);
    }
    laid + &format!("{:indent$}{}", "", &text[group.close..])
}

/// As many items on a line as fit, as rustfmt counts: with a comma and a space after each.
fn filled(text: &str, group: &Group<'_>, indent: usize) -> String {
    let mut laid = text[..=group.open].to_string();
    let mut room = 0;
    for item in &group.items {
        let needed = item.len() + 2;
        if needed > room {
            laid += &format!("\n{:width$}{item},", "", width = indent + 4);
            room = WIDTH - (indent + 4 + item.len() + 2);
        } else {
            laid += &format!(" {item},");
            room -= needed;
        }
    }
    laid + &format!("\n{:indent$}{}", "", &text[group.close..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays() {
        let text = "fn run(x: &[f32; 4]) {\n    dst[d..d + 2].copy_from_slice(&x[s..s + 2]);\n}\n";
        assert_eq!(lay_out(text), text);
    }

    #[test]
    fn arguments_stand_below_each_other() {
        let text = "    check(ids, 0, &[(1024, 1)], 30522, (\"a, name (of) some \\\"length\", 0, &[8, 128]))?;\n";
        let laid = "    check(\n        ids,\n        0,\n        &[(1024, 1)],\n        30522,\n        \
                    (\"a, name (of) some \\\"length\", 0, &[8, 128]),\n    )?;\n";
        assert_eq!(lay_out(text), laid);
    }

    #[test]
    fn short_elements_fill_lines() {
        let list: Vec<_> = (100..130).map(|number| number.to_string()).collect();
        let laid = lay_out(&format!("    const A: [u8; 30] = [{}];\n", list.join(", ")));
        let lengths: Vec<_> = laid.lines().map(str::len).collect();
        assert_eq!(lengths, [25, 97, 67, 6], "{laid}");
    }
}
