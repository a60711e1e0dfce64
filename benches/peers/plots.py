"""Two plots as SVG that bring their own background, so that they are legible on light and on dark pages."""

import math

STYLE = """<style>
  .card { fill: #ffffff } text { fill: #1f2328; font: 12px system-ui, sans-serif } .soft { fill: #59636e } .grid { stroke: #d1d9e0 }
  .s0 { fill: #0969da } .s1 { fill: #bc4c00 } .s2 { fill: #8250df } .s3 { fill: #818b98 }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117 } text { fill: #f0f6fc } .soft { fill: #9198a1 } .grid { stroke: #3d444d }
    .s0 { fill: #4493f8 } .s1 { fill: #f0883e } .s2 { fill: #ab7df8 } .s3 { fill: #656c76 }
  }
</style>"""
WIDTH, LEFT, RIGHT = 820, 150, 30


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def label(x, y, text, anchor="start", kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'


def axis(values, top, bottom):
    """A logarithmic axis over the values: its lines, and where a value stands."""
    low = math.floor(math.log10(min([1.0, *values])) * 2) / 2
    high = max(math.ceil(math.log10(max(values)) * 4) / 4, low + 0.5)

    def place(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / (high - low)

    parts = []
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 2, 5):
            value = digit * 10.0**power
            if low - 1e-9 <= math.log10(value) <= high + 1e-9:
                x = place(value)
                parts.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
                parts.append(label(x, bottom + 16, f"{value:g}" if value < 10000 else f"{value:,.0f}", "middle", "soft"))
    return parts, place


def write(path, height, title, parts):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    card = f'<rect class="card" width="{WIDTH}" height="{height}" rx="6"/>'
    path.write_text("\n".join([head, STYLE, card, label(16, 24, title), *parts, "</svg>"]) + "\n")
    print(path)


def bars(path, title, rows):
    """A bar for each (name, value, is ours)."""
    top, step = 40, 22
    bottom = top + step * len(rows)
    parts, place = axis([value for _, value, _ in rows], top, bottom)
    for at, (name, value, ours) in enumerate(rows):
        y = top + step * at
        start, end = place(1.0), place(max(value, 1.01))
        parts.append(label(LEFT - 8, y + 15, name, "end"))
        parts.append(f'<rect class="s{0 if ours else 3}" x="{start:.1f}" y="{y + 4}" width="{end - start:.1f}" height="{step - 8}" rx="2"/>')
        parts.append(label(end + 5, y + 15, f"{value:.2f}"))
    write(path, bottom + 30, title, parts)


def mark(series, x, y):
    """A circle, a square, a diamond, a bar, one above the other: told apart without colours, and where values are equal."""
    y += 4 * (series - 1)
    if series == 0:
        return f'<circle class="s0" cx="{x:.1f}" cy="{y}" r="4"/>'
    if series == 3:
        return f'<rect class="s3" x="{x - 1.5:.1f}" y="{y - 17}" width="3" height="18"/>'
    turn = f' transform="rotate(45 {x:.1f} {y})"' if series == 2 else ""
    return f'<rect class="s{series}" x="{x - 3.5:.1f}" y="{y - 3.5}" width="7" height="7"{turn}/>'


def dots(path, title, series, rows):
    """A line for each (name, values), a mark for each value that there is."""
    top, step = 64, 20
    bottom = top + step * len(rows)
    values = [value for _, row in rows for value in row if value]
    parts, place = axis(values, top, bottom)
    for at, name in enumerate(series):
        x = 22 + at * 795 // len(series)
        parts += [mark(at, x, 42 - 4 * (at - 1)), label(x + 10, 46, name)]
    for at, (name, row) in enumerate(rows):
        y = top + step * at + step // 2
        parts.append(label(LEFT - 8, y + 4, name, "end"))
        # The first series last, on top.
        parts += [mark(which, place(value), y) for which, value in reversed(list(enumerate(row))) if value]
    write(path, bottom + 30, title, parts)
