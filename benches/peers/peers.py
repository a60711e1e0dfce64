"""Python peers beside xslice's kernels, in one process: peers.py LIBRARY OUT.json [--filter TEXT] [--rounds N]

LIBRARY is libxslice_peers.so. Operands are xslice's buffers, read by all. Each peer is compared with xslice bit for bit before it is
timed (a Range of floats, which is computed, within 1e-3), runs on one thread, and writes into memory made beforehand where its interface
allows. A peer that is not installed, or cannot say a workload, is left out, and that is said. A round times every subject in turn, each
repeated for a millisecond; the figure is the minimum.
"""

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

import argparse
import ctypes
import importlib
import json
import sys
from time import perf_counter_ns

import numpy as np

SAMPLE = 1_000_000
WARMING = 3  # calls before those that count
ENOUGH = 3_000_000_000
LEAST_ROUNDS = 5
TYPES = {"u8": "uint8", "f16": "float16", "f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}


class Workload:
    """A workload of the library, and its buffers as arrays."""

    def __init__(self, library, name):
        self.library, self.handle = library, library.xslice_open(name.encode())
        if not self.handle:
            sys.exit(f"error: no workload {name}")
        described = json.loads(library.xslice_describe(self.handle))
        self.name, self.form = name, described["form"]
        self.strategies, self.copies, self.traffic = (described[key] for key in ("strategies", "copies", "traffic"))
        self.chains, self.range = self.form["chains"], self.form["range"]
        self.x = self.array(library.xslice_operand(self.handle, 0), self.form["x"])
        self.ids = self.array(library.xslice_operand(self.handle, 1), self.form["ids"])
        self.output = self.array(library.xslice_output(self.handle), self.form["output"])
        size = ctypes.c_size_t()
        model = library.xslice_model(self.handle, ctypes.byref(size))
        self.model = ctypes.string_at(model, size.value)
        self.dtype = self.output.dtype

    @staticmethod
    def array(address, form):
        if form is None:
            return None
        dtype, shape = np.dtype(TYPES[form["type"]]), tuple(form["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
        return np.frombuffer(memory, dtype, count).reshape(shape)

    def run(self, strategy, times=1):
        if self.library.xslice_run(self.handle, self.strategies[strategy], times):
            sys.exit(f"error: {self.name} by {strategy}")

    def inputs(self):
        """The inputs of the ONNX model."""
        if self.range:
            return {key: np.array(value, self.dtype) for key, value in zip(("start", "limit", "delta"), self.range)}
        return {key: value for key, value in (("x", self.x), ("ids", self.ids)) if value is not None}

    def room(self):
        """As much memory as the result has, at the start of a line like ours, and its parts."""
        spare = np.empty(self.output.nbytes + 64, np.uint8)
        start = -spare.ctypes.data % 64
        room = spare[start : start + self.output.nbytes].view(self.dtype).reshape(self.output.shape)
        room[...] = 0
        parts = room.reshape(max(len(self.chains), 1), *self.form["part"]["shape"])
        return room, list(parts)


def picks(step):
    """The index of a slice, as NumPy takes it."""
    return tuple(pick if isinstance(pick, int) else slice(*pick) for pick in step["slice"])


def by_numpy(workload):
    room, parts = workload.room()
    if workload.range:
        return lambda: np.arange(*workload.range, dtype=workload.dtype), None
    x, ids, calls = workload.x, workload.ids, []
    for chain, part in zip(workload.chains, parts):
        last, before = chain[-1], chain[:-1]
        if before and "take" in last:
            raise NotImplementedError("a look-up that is not first")
        if before and "take" in before[0]:
            # A pass of its own, then the slice.
            temporary = np.take(x, ids, axis=before[0]["take"])
            index, axis = picks(last), before[0]["take"]

            def call(part=part):
                np.take(x, ids, axis=axis, out=temporary, mode="clip")
                np.copyto(part, temporary[index])

        elif "take" in last:

            def call(part=part, axis=last["take"]):
                np.take(x, ids, axis=axis, out=part, mode="clip")

        else:
            indices = [picks(step) for step in chain]

            def call(part=part, indices=indices):
                view = x
                for index in indices:
                    view = view[index]
                np.copyto(part, view)

        calls.append(call)
    return together(calls), lambda: room


def together(calls):
    if len(calls) == 1:
        return calls[0]

    def call():
        for each in calls:
            each()

    return call


def by_torch(workload):
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    room, parts = workload.room()
    kind = getattr(torch, str(workload.dtype))
    if workload.range:
        out = torch.from_numpy(room)
        return lambda: torch.arange(*workload.range, dtype=kind, out=out), lambda: out.numpy()
    x = torch.from_numpy(workload.x)
    ids = None if workload.ids is None else torch.from_numpy(workload.ids.reshape(-1))
    calls = []
    for chain, part in zip(workload.chains, parts):
        out, steps = torch.from_numpy(part), []
        for at, step in enumerate(chain):
            if "take" in step:
                axis = step["take"]
                shape = list(workload.x.shape)
                shape[axis : axis + 1] = [ids.shape[0]]
                target = out.view(shape) if at + 1 == len(chain) else torch.empty(shape, dtype=kind)
                whole = list(workload.x.shape)
                whole[axis : axis + 1] = workload.ids.shape

                def take(view, axis=axis, target=target, whole=whole):
                    return torch.index_select(view, axis, ids, out=target).view(whole)

                steps.append(take)
            else:
                steps.append(torch_slice(torch, step))
        written = "take" in chain[-1]

        def call(out=out, steps=steps, written=written):
            view = x
            for step in steps:
                view = step(view)
            if not written:
                out.copy_(view)

        calls.append(call)
    return together(calls), lambda: room


def torch_slice(torch, step):
    """torch has no negative steps: the axis is sliced forwards, then flipped."""
    index, flipped = [], []
    for axis, pick in enumerate(step["slice"]):
        if isinstance(pick, list) and pick[2] < 0:
            start, end, stride = pick
            length = len(range(start, -1 if end is None else end, stride))
            index.append(slice(start + (length - 1) * stride, start + 1, -stride))
            flipped.append(axis)
        else:
            index.append(pick if isinstance(pick, int) else slice(*pick))
    index = tuple(index)
    if flipped:
        return lambda view: torch.flip(view[index], flipped)
    return lambda view: view[index]


def by_jax(workload):
    import jax
    import jax.numpy as jnp

    if workload.range:
        # Nothing may be known beforehand but the length.
        length = workload.output.size

        @jax.jit
        def run(start, delta):
            return start + jnp.arange(length, dtype=workload.dtype) * delta

        arguments = [jnp.asarray(workload.range[at], workload.dtype) for at in (0, 2)]
    else:

        @jax.jit
        def run(x, ids=None):
            results = []
            for chain in workload.chains:
                view = x
                for step in chain:
                    if "take" in step:
                        view = jnp.take(view, ids, axis=step["take"], mode="clip")
                    else:
                        view = view[picks(step)]
                results.append(view)
            return results[0] if len(results) == 1 else jnp.concatenate(results)

        arguments = [jnp.array(value) for value in (workload.x, workload.ids) if value is not None]
    return lambda: run(*arguments).block_until_ready(), None


def by_openvino(workload):
    import openvino

    core = openvino.Core()
    model = core.read_model(workload.model, b"")
    # Otherwise it rounds: floats to the type that the processor multiplies fastest.
    precision = "f16" if workload.dtype == np.float16 else "f32"
    hint = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision}
    request = core.compile_model(model, "CPU", hint).create_infer_request()
    for name, value in workload.inputs().items():
        request.set_tensor(name, openvino.Tensor(value, shared_memory=True))
    return request.infer, lambda: request.get_output_tensor(0).data


def by_numba(workload):
    import numba

    room, parts = workload.room()
    x = workload.x
    if workload.dtype == np.float16:
        # numba has no such type, and moves bits as well.
        x, parts = x.view(np.uint16), [part.view(np.uint16) for part in parts]
    if workload.range:
        start, _, delta = (workload.dtype.type(value) for value in workload.range)

        @numba.njit(cache=False)
        def fill(out, start, delta):
            for at in range(out.size):
                out[at] = start + at * delta

        return lambda: fill(room, start, delta), lambda: room
    calls = []
    for chain, part in zip(workload.chains, parts):
        if "take" in chain[0]:
            calls.append(numba_rows(numba, x, workload.ids, chain[0]["take"], part))
            continue
        space = {}
        exec(f"def copy(out, x):\n    out[...] = x{''.join(text(step) for step in chain)}\n", space)
        copy = numba.njit(space["copy"])
        calls.append(lambda copy=copy, part=part: copy(part, x))
    return together(calls), lambda: room


def text(step):
    """A slice with its numbers as constants."""
    parts = []
    for pick in step["slice"]:
        if isinstance(pick, int):
            parts.append(str(pick))
        else:
            start, end, stride = pick
            parts.append(f"{start}:{'' if end is None else end}:{stride}")
    return f"[{', '.join(parts)}]"


def numba_rows(numba, x, ids, axis, part):
    """A look-up along one axis, as [before, rows, after]; the result may have fewer after."""
    shape = x.shape
    before, after = int(np.prod(shape[:axis], dtype=np.int64)), int(np.prod(shape[axis + 1 :], dtype=np.int64))
    x, ids = x.reshape(before, shape[axis], after), ids.reshape(-1)
    out = part.reshape(before, ids.size, -1)

    @numba.njit
    def rows(out, x, ids):
        for a in range(out.shape[0]):
            for b in range(out.shape[1]):
                row = ids[b]
                if row < 0:
                    row += x.shape[1]
                if row < 0 or row >= x.shape[1]:
                    raise IndexError
                for c in range(out.shape[2]):
                    out[a, b, c] = x[a, row, c]

    return lambda: rows(out, x, ids)


PEERS = {"numpy": by_numpy, "torch": by_torch, "jax": by_jax, "openvino": by_openvino, "numba": by_numba}


def installed():
    found, versions = {}, {}
    for name, make in PEERS.items():
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        found[name], versions[name] = make, module.__version__.split("-")[0]
    try:
        versions["onnxruntime"] = importlib.import_module("onnxruntime").__version__
    except ImportError:
        pass
    return found, versions


def is_same(workload, result, expected):
    result = np.ascontiguousarray(result).reshape(-1)
    if result.dtype != expected.dtype or result.size != expected.size:
        return False
    if workload.range and workload.dtype.kind == "f":
        return np.allclose(result, expected, rtol=1e-3, atol=1e-7)
    return bytes(result.data) == bytes(expected.data)


def subjects(workload, peers):
    """What is timed: name and a function of the number of calls."""
    run, copy, handle = workload.library.xslice_run, workload.library.xslice_copy, workload.handle
    timed = {f"copy {at}": lambda times, at=at: copy(handle, at, times) for at in range(workload.copies)}
    for name in ("runner", "jit-keyed", "jit-baked", "macro"):
        if name in workload.strategies:
            at = workload.strategies[name]
            timed[name] = repeated(lambda at=at: run(handle, at, 1))
    workload.run("runner")
    expected = workload.output.reshape(-1).copy()
    for name, make in peers.items():
        try:
            call, result = make(workload)
            returned = call()
            same = is_same(workload, result() if result else np.asarray(returned), expected)
        except Exception as error:  # whatever a library raises for what it cannot do
            print(f"{workload.name}: {name}: left out: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
            continue
        if same:
            timed[name] = repeated(call)
        else:
            print(f"{workload.name}: {name}: left out: another result", file=sys.stderr)
    return timed


def repeated(call):
    def run(times):
        for _ in range(times):
            call()

    return run


def elapsed(run, times):
    run(WARMING)
    start = perf_counter_ns()
    run(times)
    return perf_counter_ns() - start


def calibrate(run):
    times = 1
    while (took := elapsed(run, times)) < SAMPLE:
        times *= min(max(SAMPLE * 5 // 4 // max(took, 1), 2), 100)
    return times


def measure(workload, peers, rounds):
    timed = subjects(workload, peers)
    repeats = {name: calibrate(run) for name, run in timed.items()}
    samples = {name: [] for name in timed}
    start = perf_counter_ns()
    for number in range(rounds):
        if number >= LEAST_ROUNDS and perf_counter_ns() - start > ENOUGH:
            break
        # Who comes first finds the caches as others left them, so each round begins with the next one.
        first = number % len(timed)
        turns = list(timed.items())
        for name, run in turns[first:] + turns[:first]:
            samples[name].append(elapsed(run, repeats[name]) / repeats[name])
    least = {name: min(times) for name, times in samples.items()}
    limit = min(time for name, time in least.items() if name.startswith("copy "))
    copies = sorted(samples["copy 0"])
    spread = copies[-(-len(copies) * 9 // 10) - 1] / copies[0]
    rows = []
    for name, time in least.items():
        if name.startswith("copy ") and name != "copy 0":
            continue
        row = {"workload": workload.name, "strategy": "memcpy" if name == "copy 0" else name, "ns": round(time, 3)}
        row |= {"limit_ns": round(limit, 3), "traffic": round(workload.traffic, 4)}
        row |= {"ratio": round(time / limit / workload.traffic, 4), "spread": round(spread, 4)}
        rows.append(row)
    return rows


def load(path):
    library = ctypes.CDLL(path)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in [
        ("names", ctypes.c_char_p, []),
        ("open", pointer, [ctypes.c_char_p]),
        ("describe", ctypes.c_char_p, [pointer]),
        ("model", pointer, [pointer, ctypes.POINTER(size)]),
        ("operand", pointer, [pointer, size]),
        ("output", pointer, [pointer]),
        ("run", ctypes.c_int, [pointer, size, ctypes.c_uint64]),
        ("copy", ctypes.c_int, [pointer, size, ctypes.c_uint64]),
        ("close", None, [pointer]),
    ]:
        function = getattr(library, f"xslice_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("out")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    library = load(args.library)
    peers, versions = installed()
    rows = []
    for name in library.xslice_names().decode().split("\n"):
        if args.filter in name:
            print(name, file=sys.stderr)
            workload = Workload(library, name)
            rows += measure(workload, peers, args.rounds)
            library.xslice_close(workload.handle)
    with open(args.out, "w") as file:
        json.dump({"rows": rows, "versions": {"python": sys.version.split()[0], **versions}}, file, indent=1)


if __name__ == "__main__":
    main()
