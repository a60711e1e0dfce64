//! Pictures as SVG: text only, no scripts, legible on light and dark paper.
//!
//! Colors that depend on the paper are classes, so that `prefers-color-scheme` chooses; the colors of taken cells are the same on both.
//! Every foreign text is escaped here, and nothing is longer than a line.

use super::picture::{Axis, Board, Panel, Picture, Taken};
use std::fmt::Write as _;

/// A picture, and what stands around it.
pub struct Sheet {
    /// What is drawn.
    pub heading: String,
    /// The drawing.
    pub picture: Picture,
    /// Lines below it, each with a name.
    pub captions: Vec<(&'static str, String)>,
    /// The plan in its printed form.
    pub plan: String,
}

const STYLE: &str = "\
text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px}
.paper{fill:#ffffff}.ink{fill:#1b1c20}.soft{fill:#5d6069}.cell{fill:#e6e8ee}.line{stroke:#c3c6cf;fill:none}
.b{font-weight:bold}.s{font-size:10px}.m{text-anchor:middle}.e{text-anchor:end}
@media (prefers-color-scheme:dark){.paper{fill:#15171c}.ink{fill:#e9eaee}.soft{fill:#a2a6b1}.cell{fill:#2b2f3a}.line{stroke:#4a4f5c}}
";

/// Characters of a line of text.
const LINE_CHARS: usize = 112;

/// Lines of one text.
const MOST_LINES: usize = 24;

/// The width of a character of 12 pixels.
const CHAR: f64 = 7.3;
const MARGIN: f64 = 20.0;
const LINE: f64 = 17.0;
const CELL_HEIGHT: f64 = 22.0;
/// The room of `…` where coordinates are left out.
const GAP: f64 = 18.0;

/// The colors of the order, from first to last: dark to light, told apart without color vision too.
const TONES: [[f64; 3]; 5] = [
    [72.0, 36.0, 117.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

/// From this tone on, dark text is the legible one.
const LIGHT: f64 = 0.45;

/// The whole file.
pub fn draw(sheets: &[Sheet]) -> String {
    let mut canvas = Canvas {
        body: String::new(),
        width: 0.0,
        y: MARGIN,
    };
    for sheet in sheets {
        canvas.sheet(sheet);
    }
    let (width, height) = (canvas.width + MARGIN, canvas.y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
        canvas.body
    )
}

struct Canvas {
    body: String,
    width: f64,
    y: f64,
}

impl Canvas {
    fn sheet(&mut self, sheet: &Sheet) {
        self.paragraph(MARGIN, "ink b", &sheet.heading);
        self.y += LINE / 2.0;
        let Picture {
            source,
            result,
            notes,
        } = &sheet.picture;
        let top = self.y;
        let mut left = MARGIN;
        if let Some(source) = source {
            left = self.board(left, top, source);
            let bottom = std::mem::replace(&mut self.y, top);
            let middle = top + 4.5 * LINE;
            self.arrow(left + 12.0, middle);
            left += 64.0;
            self.board(left, top, result);
            self.y = self.y.max(bottom);
        } else {
            self.board(left, top, result);
        }
        self.y += LINE / 2.0;
        self.legend(result);
        for note in notes {
            self.paragraph(MARGIN, "ink", note);
        }
        for (name, line) in &sheet.captions {
            self.named(name, line);
        }
        self.y += LINE / 2.0;
        for line in sheet.plan.lines().take(MOST_LINES) {
            self.text(MARGIN, self.y, "soft", line);
            self.y += LINE;
        }
        self.y += MARGIN;
    }

    /// Draws a board, moves down below it, and says where it ends to the right.
    fn board(&mut self, left: f64, top: f64, board: &Board) -> f64 {
        self.y = top;
        self.text(left, self.y, "ink", &board.title);
        let mut right = left + CHAR * board.title.chars().take(LINE_CHARS).count() as f64;
        self.y += LINE;
        let cell = cell_width(board);
        for panel in &board.panels {
            right = right.max(self.panel(left, panel, cell));
        }
        let hidden = board.all_panels - board.panels.len();
        if board.panels.is_empty() || board.panels.iter().all(|panel| panel.cells.is_empty()) {
            self.text(left, self.y, "soft", "empty");
            self.y += LINE;
        } else if hidden > 0 {
            self.text(
                left,
                self.y,
                "soft s",
                &format!("… {hidden} more of {} panels", board.all_panels),
            );
            self.y += LINE;
        }
        self.width = self.width.max(right);
        right
    }

    fn panel(&mut self, left: f64, panel: &Panel, cell: f64) -> f64 {
        if !panel.outer.is_empty() {
            let outer: Vec<_> = panel.outer.iter().map(ToString::to_string).collect();
            self.text(
                left,
                self.y,
                "soft",
                &format!("[{}, :, :]", outer.join(", ")),
            );
            self.y += LINE;
        }
        let digits = panel
            .rows
            .shown
            .last()
            .map_or(1, |row| row.to_string().len());
        let x0 = left + 8.0 + 6.2 * digits as f64;
        let (columns, right) = offsets(&panel.columns, x0, cell);
        for (x, column) in columns.iter().zip(&panel.columns.shown) {
            self.text(
                x + cell / 2.0,
                self.y - 2.0,
                "soft s m",
                &column.to_string(),
            );
        }
        let (rows, bottom) = offsets(&panel.rows, self.y + 3.0, CELL_HEIGHT);
        for ((y, row), cells) in rows.iter().zip(&panel.rows.shown).zip(&panel.cells) {
            self.text(x0 - 5.0, y + 15.0, "soft s e", &row.to_string());
            for (x, takens) in columns.iter().zip(cells) {
                self.cell(*x, *y, cell, takens);
            }
        }
        self.dots(&panel.columns, &columns, |canvas, x| {
            let y = (rows.first().unwrap_or(&0.0) + bottom) / 2.0 + 4.0;
            canvas.text(x - GAP / 2.0, y, "soft m", "…");
        });
        self.dots(&panel.rows, &rows, |canvas, y| {
            canvas.text((x0 + right) / 2.0, y - GAP / 2.0 + 4.0, "soft m", "⋮");
        });
        self.y = bottom + LINE;
        right
    }

    /// Marks each place before which coordinates are left out.
    fn dots(&mut self, axis: &Axis, places: &[f64], mark: impl Fn(&mut Self, f64)) {
        for (pair, place) in axis.shown.windows(2).zip(places.iter().skip(1)) {
            if pair[1] != pair[0] + 1 {
                mark(self, *place);
            }
        }
    }

    fn cell(&mut self, x: f64, y: f64, width: f64, takens: &[Taken]) {
        let (w, h) = (width - 2.0, CELL_HEIGHT - 2.0);
        let Some(first) = takens.first() else {
            let _ = writeln!(
                self.body,
                "<rect class=\"cell\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h}\" rx=\"2\"/>"
            );
            return;
        };
        let again = if takens.len() > 1 { "+" } else { "" };
        let paths: Vec<_> = takens
            .iter()
            .take(8)
            .map(|taken| taken.path.as_str())
            .collect();
        let ink = if first.tone < LIGHT {
            "#ffffff"
        } else {
            "#14151a"
        };
        let _ = writeln!(
            self.body,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h}\" rx=\"2\" fill=\"{}\"/>\
             <text class=\"s m\" x=\"{:.1}\" y=\"{:.1}\" fill=\"{ink}\">{}{again}</text></g>",
            escaped(&paths.join("; "), 8 * LINE_CHARS),
            tone(first.tone),
            x + w / 2.0,
            y + 14.0,
            first.order
        );
    }

    fn arrow(&mut self, x: f64, y: f64) {
        let _ = writeln!(
            self.body,
            "<path class=\"line\" stroke-width=\"2\" d=\"M{x:.1} {y:.1}h34m-7 -6l7 6l-7 6\"/>"
        );
    }

    /// What numbers and colors mean.
    fn legend(&mut self, result: &Board) {
        let taken = || {
            result
                .panels
                .iter()
                .flat_map(|panel| panel.cells.iter().flatten().flatten())
        };
        let (Some(first), Some(last)) = (taken().next(), taken().last()) else {
            return;
        };
        let steps = 24;
        let mut x = MARGIN;
        let first = first.order.to_string();
        self.text(x, self.y, "soft s", &first);
        x += 6.2 * first.len() as f64 + 6.0;
        for step in 0..steps {
            let color = tone(f64::from(step) / f64::from(steps - 1));
            let y = self.y - 9.0;
            let _ = writeln!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"6\" height=\"10\" fill=\"{color}\"/>"
            );
            x += 5.5;
        }
        let text = format!(
            "{}   number and color: the place in the result; + where one is taken more than once",
            last.order
        );
        self.text(x + 8.0, self.y, "soft s", &text);
        self.width = self.width.max(x + 8.0 + 6.2 * text.len() as f64);
        self.y += LINE * 1.5;
    }

    fn named(&mut self, name: &str, line: &str) {
        self.text(MARGIN, self.y, "ink b", name);
        self.paragraph(MARGIN + 9.0 * CHAR, "ink", line);
    }

    fn paragraph(&mut self, x: f64, class: &str, text: &str) {
        for line in text.lines().flat_map(wrapped).take(MOST_LINES) {
            self.text(x, self.y, class, &line);
            self.y += LINE;
        }
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        if !class.contains('m') && !class.contains(" s") {
            let chars = text.chars().take(LINE_CHARS).count();
            self.width = self.width.max(x + CHAR * chars as f64);
        }
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>",
            escaped(text, LINE_CHARS)
        );
    }
}

/// The width that the longest number of a board needs.
fn cell_width(board: &Board) -> f64 {
    let cells = board
        .panels
        .iter()
        .flat_map(|panel| panel.cells.iter().flatten());
    let orders = cells.filter_map(|takens| Some((takens.first()?.order, takens.len())));
    let digits = orders.map(|(order, count)| order.to_string().len() + usize::from(count > 1));
    let columns = board
        .panels
        .iter()
        .filter_map(|panel| panel.columns.shown.last());
    let digits = digits.chain(columns.map(|column| column.to_string().len()));
    f64::max(26.0, 6.2 * digits.max().unwrap_or(1) as f64 + 10.0)
}

/// Where each coordinate begins, and where the last one ends.
fn offsets(axis: &Axis, start: f64, size: f64) -> (Vec<f64>, f64) {
    let mut at = start;
    let mut before = None;
    let mut offsets = Vec::with_capacity(axis.shown.len());
    for &coordinate in &axis.shown {
        if before.is_some_and(|before| coordinate != before + 1) {
            at += GAP;
        }
        before = Some(coordinate);
        offsets.push(at);
        at += size;
    }
    (offsets, at)
}

fn tone(at: f64) -> String {
    let place = at.clamp(0.0, 1.0) * (TONES.len() - 1) as f64;
    let lower = (place as usize).min(TONES.len() - 2);
    let part = place - lower as f64;
    let channel = |c: usize| TONES[lower][c] * (1.0 - part) + TONES[lower + 1][c] * part;
    let [r, g, b] = [0, 1, 2].map(|c| channel(c).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Lines of at most [`LINE_CHARS`], less what a name beside them takes; broken at spaces where there are some.
fn wrapped(text: &str) -> Vec<String> {
    const ROOM: usize = LINE_CHARS - 9;
    let mut lines = vec![String::new()];
    let mut room = ROOM;
    for word in text.split_inclusive(' ') {
        let mut word: Vec<char> = word.chars().collect();
        while !word.is_empty() {
            if room < word.len() && room < ROOM {
                lines.push(String::new());
                room = ROOM;
            }
            let rest = word.split_off(word.len().min(ROOM));
            room = room.saturating_sub(word.len());
            if let Some(line) = lines.last_mut() {
                line.extend(word);
            }
            word = rest;
        }
    }
    lines
}

/// At most `most` characters as XML: markup is escaped, and what XML does not have is replaced.
fn escaped(text: &str, most: usize) -> String {
    let mut xml = String::with_capacity(text.len().min(4 * most));
    for (at, char) in text.chars().enumerate() {
        if at + 1 == most && text.chars().nth(most).is_some() {
            xml.push('…');
            break;
        }
        match char {
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '&' => xml.push_str("&amp;"),
            '"' => xml.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            char if char.is_control() => xml.push('\u{fffd}'),
            char => xml.push(char),
        }
    }
    xml
}
