//! What is refused of a text before it is parsed as XML.
//!
//! The parser compares every attribute of an element, and every name space, with those before it: a file of a few megabytes would
//! keep it busy for minutes. One pass over the bytes counts both. It need not understand what is malformed: up to
//! the first malformed place it sees the same tags as the parser, which reads no further. Nor can the parser refuse memory: what it takes
//! is asked for here first.

use crate::error::{Fault, too_large};
use crate::files;

/// The layers with the most have a few dozen.
const MOST_ATTRIBUTES: usize = 100;

/// An IR declares none.
const MOST_NAMESPACES: usize = 16;

/// What a tag takes in the tree, and the text after it.
const TAG_BYTES: u64 = 128;

/// What an attribute takes in the tree.
const ATTRIBUTE_BYTES: u64 = 48;

/// How much more than the tree there is at a time: lists that grew, texts whose references are replaced, the layers.
const BESIDES: u64 = 3;

/// Refuses a text whose parsing would take time beyond its length, or whose tree more than `max_bytes`.
pub fn scan(text: &str, max_bytes: u64) -> Result<(), Fault> {
    time(text)?;
    memory(text, max_bytes)
}

/// Counts what the parser takes room for: as many tags and attributes as there are these signs, wherever they stand.
fn memory(text: &str, max_bytes: u64) -> Result<(), Fault> {
    let count = |sign: u8| text.bytes().filter(|byte| *byte == sign).count() as u64;
    let tree = text.len() as u64 + TAG_BYTES * count(b'<') + ATTRIBUTE_BYTES * count(b'=');
    if tree > max_bytes {
        return Err(too_large("the tree of the elements", tree, max_bytes));
    }
    files::admit(BESIDES * tree)
}

fn time(text: &str) -> Result<(), Fault> {
    let mut rest = text;
    let mut namespaces = 0;
    while let Some((_, tag)) = rest.split_once('<') {
        let end = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")]
            .into_iter()
            .find(|(start, _)| tag.starts_with(start));
        if let Some((start, end)) = end {
            let closed = tag[start.len()..].split_once(end);
            rest = closed.map_or("", |(_, rest)| rest);
            continue;
        }
        let mut attributes = 0;
        rest = tag;
        loop {
            let Some(at) = rest.find(['>', '"', '\'', '<']) else {
                return Ok(());
            };
            let (names, from) = rest.split_at(at);
            namespaces += names.matches("xmlns").count();
            let quote = &from[..1];
            rest = &from[1..];
            match quote {
                ">" => break,
                "<" => return Ok(()),
                _ => {}
            }
            attributes += 1;
            if attributes > MOST_ATTRIBUTES {
                return Err(too_many("attributes of one element", MOST_ATTRIBUTES));
            }
            if namespaces > MOST_NAMESPACES {
                return Err(too_many("name spaces", MOST_NAMESPACES));
            }
            rest = rest.split_once(quote).map_or("", |(_, rest)| rest);
        }
    }
    Ok(())
}

fn too_many(what: &str, most: usize) -> Fault {
    Fault::Format(format!("too many {what} (allowed: {most})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize, text: &str) -> String {
        let parts = (0..count).map(|n| text.replace('N', &n.to_string()));
        parts.collect()
    }

    fn refusal(text: &str) -> String {
        time(text).unwrap_err().to_string()
    }

    #[test]
    fn attributes_are_counted_in_each_element() {
        let hundred = numbered(MOST_ATTRIBUTES, " aN='>\"'");
        let fine = format!(
            "<a><!-- <b{hundred} c='' --><c{hundred}/><d e=\"'\"{}/></a>",
            ""
        );
        assert_eq!(time(&fine), Ok(()));
        let one_more = format!("<a><c{hundred} b=\"\"/></a>");
        assert!(refusal(&one_more).contains("attributes"));
        // Neither in a comment nor beyond its end is anything hidden.
        let behind = format!("<!-- <a '> -->{one_more}");
        assert!(refusal(&behind).contains("attributes"));
        let behind = format!("<?x <a '>?><a><![CDATA[ \" <b ']]>{one_more}");
        assert!(refusal(&behind).contains("attributes"));
    }

    #[test]
    fn what_the_tree_takes_is_limited_before_it_is_built() {
        for text in [
            "<a/>".repeat(1000),
            "<a b='".to_string() + &"=".repeat(4000),
        ] {
            let refusal = scan(&text, 100_000).unwrap_err().to_string();
            assert!(refusal.contains("the tree of the elements"), "{refusal}");
            assert!(refusal.contains("--max-bytes"), "{refusal}");
            assert_eq!(scan(&text, 1_000_000), Ok(()));
        }
    }

    #[test]
    fn name_spaces_are_counted_in_the_whole_text() {
        assert_eq!(time(&numbered(16, "<a xmlns:bN=''/>")), Ok(()));
        assert!(refusal(&numbered(17, "<a xmlns:bN=''/>")).contains("name spaces"));
        assert!(refusal(&format!("<a {}/>", numbered(17, "xmlns:bN='' "))).contains("name spaces"));
    }

    #[test]
    fn what_ends_early_is_left_to_the_parser() {
        for text in [
            "",
            "<",
            "<a",
            "<a b='",
            "<!--",
            "<![CDATA[",
            "<?",
            "<<<<<<",
            "<a <b <c",
            "a > b ' \"",
        ] {
            assert_eq!(time(text), Ok(()), "{text}");
        }
    }
}
