"""Writes the figures of a run into docs/benchmarks.md, its plots, and README.md: report.py FOLDER

FOLDER holds rust.json and, if Python's peers ran, python.json. Text between <!-- begin NAME --> and <!-- end NAME --> is replaced; the
words around it are written by hand.
"""

import json
import math
import os
import platform
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from statistics import geometric_mean, median

import plots

ROOT = Path(__file__).resolve().parents[2]
OURS = ["runner", "jit-keyed", "jit-baked", "macro"]
HAND = "hand"
RUST = ["ndarray", "candle", "onnxruntime"]
PYTHON = ["numpy", "torch", "jax", "openvino", "numba"]
SMALL = 10 << 10
NOISY = 1.25
# A difference below this is none.
EQUAL = 1.05
README_ROWS = ["yolo_focus_hw", "hflip_nhwc", "rgba_to_rgb", "bert_embed", "palette", "crop_flip", "big_copy"]


class Figures:
    """The rows of both processes, by workload and name."""

    def __init__(self, folder):
        rust = json.loads((folder / "rust.json").read_text())
        path = folder / "python.json"
        python = json.loads(path.read_text()) if path.exists() else {"rows": [], "versions": {}}
        self.versions, self.costs = python["versions"], {row["workload"]: row for row in rust["costs"]}
        self.rust, self.python = by_workload(rust["rows"]), by_workload(python["rows"])
        self.names = list(self.rust)
        expected = (ROOT / "xslice-cli/src/bench/workloads.rs").read_text()
        missing = [name for name in re.findall(r"^    (\w+) \(\w+", expected, re.M) if name not in self.rust]
        if missing:
            sys.exit(f"error: no report of a part of the workloads: {', '.join(missing)} were not run")
        self.present = [name for name in PYTHON if any(name in row for row in self.python.values())]

    def ratio(self, workload, name):
        row = (self.python if name in PYTHON else self.rust).get(workload, {}).get(name)
        return row and row["ratio"]

    def time(self, workload, name):
        row = self.rust[workload].get(name)
        return row and row["ns"]

    def spread(self, workload):
        rows = [table.get(workload, {}).get("memcpy") for table in (self.rust, self.python)]
        return [row["spread"] for row in rows if row]

    def size(self, workload):
        return self.costs[workload]["bytes"]

    def is_noisy(self, workload):
        return max(self.spread(workload)) > NOISY

    def large(self):
        return [name for name in self.names if self.size(name) >= SMALL]

    def beside(self, workload, name):
        """The ratio in units of our best in the same process: two processes never have the same memory."""
        ratio, row = self.ratio(workload, name), (self.python if name in PYTHON else self.rust).get(workload, {})
        return ratio and ratio / min(row[ours]["ratio"] for ours in OURS if ours in row)

    def best(self, workload, names):
        found = [ratio for name in names if (ratio := self.ratio(workload, name))]
        return min(found, default=None)


def by_workload(rows):
    table = {}
    for row in rows:
        table.setdefault(row["workload"], {})[row["strategy"]] = row
    return table


def digits(value):
    if value is None:
        return ""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def time(nanoseconds):
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{digits(nanoseconds / size)} {unit}"
    return f"{digits(nanoseconds)} ns"


def table(head, rows, left=1):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * left + "---:|" * (len(head) - left)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def marked(figures, workload):
    return workload + (" `*`" if figures.size(workload) < SMALL else "") + (" `~`" if figures.is_noisy(workload) else "")


def ratios(figures):
    columns = OURS + [HAND] + RUST + figures.present
    rows = []
    for workload in figures.names:
        cells = [figures.ratio(workload, name) for name in columns]
        # Below 10 KiB a call through Python is no rival.
        small = figures.size(workload) < SMALL
        rivals = {name: beside for name in columns if (beside := figures.beside(workload, name)) and not (small and name in PYTHON)}
        fastest = {name for name, beside in rivals.items() if beside <= 1.03 * min(rivals.values())}
        shown = [f"**{digits(cell)}**" if name in fastest else digits(cell) for cell, name in zip(cells, columns)]
        through = figures.python.get(workload, {})
        own = [through[name]["ratio"] for name in OURS if name in through]
        limit = time(figures.rust[workload]["memcpy"]["limit_ns"])
        rows.append([marked(figures, workload), limit] + shown + [digits(min(own, default=None))])
    head = ["workload", "limit"] + [name.removeprefix("jit-") for name in columns] + ["xslice from Python"]
    return table(head, rows)


def means(figures):
    rows = []
    for name in OURS + [HAND] + RUST + figures.present:
        done = [workload for workload in figures.large() if figures.ratio(workload, name)]
        if not done:
            continue
        beside = [figures.ratio(workload, name) / rival(figures, workload, name) for workload in done]
        mean = geometric_mean(figures.ratio(workload, name) for workload in done)
        rows.append([name, str(len(done)), digits(mean), digits(geometric_mean(beside)), digits(max(beside)), done[beside.index(max(beside))]])
    return rows


def rival(figures, workload, name):
    """xslice's macro, measured in the same process."""
    return (figures.python if name in PYTHON else figures.rust)[workload]["macro"]["ratio"]


def gain(figures, workload, slow, fast):
    """Nanoseconds that a call saves; 0 if the difference is none."""
    before, after = figures.time(workload, slow), figures.time(workload, fast)
    if before is None or after is None:
        return None
    return before - after if max(before, after) / min(before, after) > EQUAL else 0.0


def calls(cost, saved):
    if saved is None:
        return None
    return max(1, math.ceil(cost / saved)) if saved > 0 else math.inf


def break_even(figures):
    """By workload: calls after which keyed and baked beat the runner, and baked beats keyed that exists."""
    result = {}
    for workload in figures.names:
        cost = figures.costs[workload]
        result[workload] = (
            calls(cost["keyed"] - cost["plan"], gain(figures, workload, "runner", "jit-keyed")),
            calls(cost["baked"] - cost["plan"], gain(figures, workload, "runner", "jit-baked")),
            calls(cost["baked"] - (cost["rebind"] or cost["plan"]), gain(figures, workload, "jit-keyed", "jit-baked")),
        )
    return result


def break_even_table(figures):
    rows = []
    for workload, counts in break_even(figures).items():
        cost = figures.costs[workload]
        times = [time(figures.time(workload, name)) if figures.time(workload, name) else "" for name in OURS]
        costs = [time(cost[key]) if cost[key] else "" for key in ("plan", "rebind", "keyed", "baked")]
        shown = ["" if count is None else "never" if math.isinf(count) else f"{count:,}" for count in counts]
        rows.append([marked(figures, workload)] + times + costs + shown)
    head = ["workload", "runner", "keyed", "baked", "macro", "plan", "rebind", "compile keyed", "compile baked"]
    return table(head + ["keyed pays after", "baked pays after", "baked over keyed after"], rows)


def names_of(items):
    return ", ".join(items) if items else "none"


def lessons(figures):
    counts = break_even(figures)

    def sure(at):
        return [name for name in figures.names if counts[name][at] is not None and not math.isinf(counts[name][at])]

    def loses(slow, fast):
        return [name for name in figures.names if (gain(figures, name, slow, fast) or 0) < 0]

    jit = sorted(set(sure(0)) | set(sure(1)), key=figures.names.index)
    after = [min(counts[name][0], counts[name][1]) for name in jit]
    engines = OURS[:3]
    ahead, behind = [], []
    for name in figures.names:
        best = min(time for engine in engines if (time := figures.time(name, engine)))
        macro = figures.time(name, "macro")
        (ahead if macro * EQUAL < best else behind if macro > best * EQUAL else []).append(name)
    total = len(figures.names)
    beaten = []
    for name in figures.large():
        rivals = {peer: beside for peer in RUST + figures.present if (beside := figures.beside(name, peer))}
        peer = min(rivals, key=rivals.get, default=None)
        if peer and rivals[peer] * EQUAL < 1:
            beaten.append(f"{name} ({peer})")
    by_hand = {name: beside for name in figures.names if (beside := figures.beside(name, HAND))}
    slower = [f"{name} ({1 / beside:.2f})" for name, beside in by_hand.items() if beside * EQUAL < 1]
    lines = [
        f"- **The loop by hand** is more than {EQUAL - 1:.0%} faster than every strategy of xslice on {len(slower)} of {len(by_hand)} rows; beside them how many times its time the best strategy takes: {names_of(slower)}.",
        f"- **Machine code over the runner**: it is faster on {len(jit)} of {total} rows, and pays after "
        + (f"{min(after):,} to {max(after):,} calls, median {median(after):,.0f}" if after else "no number of calls")
        + f". It is slower than the runner on {names_of(sorted(set(loses('runner', 'jit-keyed')) & set(loses('runner', 'jit-baked')), key=figures.names.index))}.",
        f"- **Baked over keyed**: faster on {len(sure(2))} rows ({names_of(sure(2))}), slower on {len(loses('jit-keyed', 'jit-baked'))} ({names_of(loses('jit-keyed', 'jit-baked'))}), equal on the rest.",
        f"- **The macro over all engines**: faster than each on {len(ahead)} rows ({names_of(ahead)}), behind the best on {len(behind)} ({names_of(behind)}). It compiles with the program, so it pays from the first call wherever it is ahead.",
        f"- **A library is faster** than every strategy of xslice on {len(beaten)} of {len(figures.large())} rows of 10 KiB and more ({names_of(beaten)}).",
        f"- **Noise**: `memcpy` spread by more than {NOISY} on {sum(map(figures.is_noisy, figures.names))} of {total} rows (`~`). Differences below {EQUAL - 1:.0%} count as none.",
    ]
    return "\n".join(lines)


def machine(figures):
    flags = set(processor("flags").split())
    vectors = [name for name in ("avx2", "avx512f", "avx512vbmi") if name in flags]
    caches = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        caches.append(f"L{level} {kind.lower()} {size}")
    spreads = sorted(spread for name in figures.names for spread in figures.spread(name))
    lock = (ROOT / "benches/peers/Cargo.lock").read_text()
    crates = [(name, re.search(rf'name = "{name}"\nversion = "([^"]+)"', lock)) for name in ("ndarray", "candle-core", "ort")]
    versions = [output("rustc", "--version").rsplit(" (")[0]]
    versions += [f"{name} {match[1]}" for name, match in crates if match]
    versions += [f"{name} {version}" for name, version in figures.versions.items()]
    rows = [
        ["processor", f"{processor('model name')}, {os.cpu_count()} cores seen, {' '.join(vectors)}; one thread is used"],
        ["caches", ", ".join(caches)],
        ["system", f"{platform.system()} {platform.release()}"],
        ["date, commit", f"{date.today()}, {output('git', 'describe', '--always', '--dirty', '--abbrev=9')}"],
        ["versions", ", ".join(versions)],
        ["spread of `memcpy` (p90 / min)", f"median {median(spreads):.2f}, worst {spreads[-1]:.2f}"],
        ["noisy rows (`~`)", noisy(figures)],
    ]
    missing = [name for name in RUST if not any(name in row for row in figures.rust.values())]
    missing += [name for name in PYTHON if name not in figures.present]
    if missing:
        rows.append(["not installed", names_of(missing)])
    return table(["", ""], rows, 2)


def noisy(figures):
    names = [name for name in figures.names if figures.is_noisy(name)]
    return f"all {len(names)}" if len(names) == len(figures.names) else names_of(names)


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def readme(figures):
    costs, tiny = figures.costs.values(), figures.rust["tiny_1d"]
    rows = [
        ["a call that moves 7 floats: runner / keyed / baked / macro", " / ".join(time(tiny[name]["ns"]) for name in OURS if name in tiny)],
        ["`compile` of a known program and signature", time(median(cost["hit"] for cost in costs))],
        ["`compile` of a known structure with new numbers", time(median(cost["rebind"] for cost in costs if cost["rebind"]))],
        ["`compile` with Cranelift really run: keyed / baked", " / ".join(time(median(cost[key] for cost in costs)) for key in ("keyed", "baked"))],
    ]
    lines = [f"By `benches/peers/run`, on {os.cpu_count()} cores of {processor('model name')}, {date.today()}, medians over the workloads:", "", table(["cost", ""], rows), ""]
    rows = []
    for name in README_ROWS:
        peers = {peer: ratio for peer in RUST + figures.present if (ratio := figures.ratio(name, peer))}
        fastest = sorted(peers, key=peers.get)[:2]
        beside = [f"{peer} {digits(peers[peer])}" for peer in fastest] + [""] * (2 - len(fastest))
        rows.append([marked(figures, name)] + [digits(figures.ratio(name, ours)) for ours in OURS] + beside)
    head = ["time / limit of the memory", "runner", "keyed", "baked", "macro", "fastest peer", "second"]
    return "\n".join(lines + [table(head, rows)])


def processor(field):
    path = Path("/proc/cpuinfo")
    match = re.search(rf"^{field}\s*: (.*)", path.read_text(), re.M) if path.exists() else None
    return match[1] if match else platform.machine()


def replace(path, blocks):
    text = path.read_text()
    for name, block in blocks.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            sys.exit(f"error: {path} has no block {name}")
        before, rest = text.split(begin, 1)
        text = f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end, 1)[1]}"
    path.write_text(text)
    print(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    figures = Figures(Path(sys.argv[1]))
    mean_rows = means(figures)
    head = ["", "rows", "ratio", "beside the macro", "at worst", "on"]
    docs = ROOT / "docs"
    replace(
        docs / "benchmarks.md",
        {
            "machine": machine(figures),
            "ratios": ratios(figures),
            "means": table(head, mean_rows),
            "break-even": break_even_table(figures),
            "lessons": lessons(figures),
        },
    )
    replace(ROOT / "README.md", {"measured": readme(figures)})
    bars = [(name, float(mean.replace(",", "")), name in OURS) for name, _, mean, *_ in mean_rows]
    plots.bars(docs / "benchmarks-means.svg", "Geometric mean of time / limit, rows of 10 KiB and more (1 = memory)", bars)
    series = ["limit of the memory", "best library of Rust", "best library of Python", "loop by hand"]
    rows = []
    for name in figures.large():
        groups = [[beside for peer in group if (beside := figures.beside(name, peer))] for group in (RUST, PYTHON, [HAND])]
        rows.append((name, [1 / figures.best(name, OURS)] + [min(group, default=None) for group in groups]))
    plots.dots(docs / "benchmarks-rows.svg", "Time in units of xslice's best strategy in the same process (below 1: faster than xslice)", series, rows)
    series = ["keyed over the runner", "baked over the runner", "baked over keyed that exists"]
    rows = [(name, [None if count is None or math.isinf(count) else count for count in counts]) for name, counts in break_even(figures).items()]
    plots.dots(docs / "benchmarks-calls.svg", "Calls after which machine code has paid for its compilation (no mark: never)", series, [row for row in rows if any(row[1])])


if __name__ == "__main__":
    main()
