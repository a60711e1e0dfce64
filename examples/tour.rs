//! The bundled models on every engine, compared and timed: `cargo run --release --example tour`.
//!
//! Each model of `examples/models` is read, compiled and run on all of its data sets by the interpreter, the runner, the JIT with
//! keyed and with baked code, and the JIT that decides by itself. Every result must equal the stored one in type, shape and every bit.
//! Then the first data set is timed; one call of a model makes all of its outputs. Exit code 1 if anything differs.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use xslice::ir::PlannedNest;
use xslice::{
    Input, Jit, Kernel, Plan, Program, Scratch, Signature, Strategy, Tensor, interp, runner,
};
use xslice_cli::call::Call;
use xslice_cli::files::{self, DEFAULT_MAX_BYTES};
use xslice_cli::import::{self, Model, Options};
use xslice_cli::onnx::{Message, ModelProto};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    match tour(&folder) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every engine gave every expected result.
fn tour(folder: &Path) -> Result<bool> {
    let paths = model_files(folder)?;
    let cases: Vec<Case> = paths
        .iter()
        .map(|path| Case::read(path))
        .collect::<Result<_>>()?;
    let mut differences = Vec::new();
    let mut facts = vec![FACTS.map(String::from).to_vec()];
    for case in &cases {
        differences.extend(case.differences()?);
        facts.push(case.facts()?);
    }
    println!("{}", aligned(&facts, 4));
    let mut times = vec![TIMES.map(String::from).to_vec()];
    for (at, case) in cases.iter().enumerate() {
        progress(&format!(
            "timing {} of {}: {}",
            at + 1,
            cases.len(),
            case.name
        ));
        times.push(case.times()?);
    }
    progress("");
    println!("{}{LEGEND}", aligned(&times, 1));
    for remark in remarks(&cases)? {
        println!("{remark}");
    }
    for difference in &differences {
        println!("DIFFERENT: {difference}");
    }
    let verdict = match differences.len() {
        0 => "all equal".to_string(),
        count => format!("{count} differences"),
    };
    println!(
        "\n{} models, {} engines: {verdict}",
        cases.len(),
        Kind::ALL.len()
    );
    Ok(differences.is_empty())
}

const FACTS: [&str; 6] = ["model", "operators", "result", "nests", "bytes", "view"];

const TIMES: [&str; 9] = [
    "ns a call",
    "memcpy",
    "interp",
    "runner",
    "keyed",
    "baked",
    "auto",
    "plan us",
    "code us",
];

const LEGEND: &str = "
memcpy   a copy of the result's bytes, for comparison
interp   the reference, element by element        runner   precompiled moves, nothing to compile
keyed    machine code for a structure             baked    machine code for these very shapes
auto     runner or machine code as it pays, found in the cache again at every call
plan us  once: from the operators to a verified plan, in microseconds
code us  once: from there to baked machine code, in microseconds
nests    loop nests by what their innermost part does; a chain of operators becomes one
view     the result is also there without moving anything, as strides into an input";

/// Overwrites the last line of a terminal; silent elsewhere.
fn progress(text: &str) {
    let mut out = io::stdout();
    if out.is_terminal() {
        let _ = write!(out, "\r{text}\x1b[K").and_then(|()| out.flush());
    }
}

/// What makes the times mean something else than the heads of their columns say.
fn remarks(cases: &[Case]) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    if cfg!(debug_assertions) {
        remarks.push("built without --release: the times say little".to_string());
    }
    let jit = Jit::with_strategy(Strategy::Baked);
    if jit.strategy() == Strategy::Runner {
        remarks.push("XSLICE_JIT=off: keyed, baked and auto are the runner".to_string());
    }
    for case in cases {
        kernels(&jit, case, &case.sets[0])?;
    }
    for (reason, count) in jit.stats().reasons {
        remarks.push(format!("{count} kernels ran on the runner: {reason}"));
    }
    Ok(remarks)
}

/// Columns as wide as their cells; from `numbers` on they are aligned at the right.
fn aligned(rows: &[Vec<String>], numbers: usize) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let width = width(column);
            if column < numbers {
                format!("{cell:width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The models below the folder, in the order of their names.
fn model_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let list = |error| format!("cannot list {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(list)? {
        let directory = entry?.path();
        let files = ["model.onnx", "model.xml"].map(|file| directory.join(file));
        found.extend(files.into_iter().find(|file| file.exists()));
    }
    if found.is_empty() {
        return Err(format!("no model below {}", folder.display()).into());
    }
    found.sort();
    Ok(found)
}

/// A model with its data sets.
struct Case {
    name: String,
    operators: String,
    model: Model,
    sets: Vec<DataSet>,
}

/// Values for the inputs of a model, and what its outputs must be.
struct DataSet {
    inputs: Vec<Arc<Tensor>>,
    expected: Vec<Tensor>,
    /// One for each output.
    signatures: Vec<Signature>,
}

impl Case {
    fn read(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(path);
        let model = import::load(path, &Options::default())?;
        let set = |at| folder.join(format!("test_data_set_{at}"));
        let mut folders: Vec<PathBuf> = (0..).map(set).take_while(|set| set.exists()).collect();
        if folders.is_empty() {
            folders.push(folder.to_path_buf());
        }
        let sets = folders.iter().map(|folder| DataSet::read(&model, folder));
        let name = folder.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            operators: operators(path)?,
            sets: sets.collect::<Result<_>>()?,
            model,
        })
    }

    fn programs(&self) -> impl Iterator<Item = &Program> {
        self.model.outputs.iter().map(|output| &output.program)
    }

    /// What each engine gives wrongly on each data set.
    fn differences(&self) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        for (number, set) in self.sets.iter().enumerate() {
            for kind in Kind::ALL {
                let mut outputs = set.fresh_outputs()?;
                let mut engine = Engine::new(kind, self, set)?;
                engine.run(self, set, &set.operands(), &mut outputs)?;
                if outputs != set.expected {
                    differences.push(format!("{kind:?} on {}, data set {number}", self.name));
                }
            }
        }
        Ok(differences)
    }

    /// What the model moves, on its first data set.
    fn facts(&self) -> Result<Vec<String>> {
        let set = &self.sets[0];
        let mut nests = BTreeMap::new();
        let mut views = 0;
        for (program, signature) in self.programs().zip(&set.signatures) {
            views += usize::from(program.view(signature)?.is_some());
            for name in moves(&program.compile(signature)?) {
                *nests.entry(name).or_insert(0) += 1;
            }
        }
        let nests: Vec<String> = nests
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        let bytes: usize = set.expected.iter().map(|tensor| tensor.bytes().len()).sum();
        let view = if views == set.expected.len() {
            "yes"
        } else {
            ""
        };
        Ok(vec![
            self.name.clone(),
            self.operators.clone(),
            results(&set.expected),
            nests.join(", "),
            bytes.to_string(),
            view.to_string(),
        ])
    }

    /// Times on the first data set.
    fn times(&self) -> Result<Vec<String>> {
        let set = &self.sets[0];
        let operands = set.operands();
        let mut copies: Vec<Vec<u8>> = set.expected.iter().map(|t| t.bytes().to_vec()).collect();
        let mut outputs = set.fresh_outputs()?;
        let mut engines = Vec::new();
        for kind in Kind::ALL {
            engines.push(Engine::new(kind, self, set)?);
        }
        let mut best = [f64::INFINITY; 1 + Kind::ALL.len()];
        // Interleaved, so that a disturbance of the machine does not hit one engine alone.
        for _ in 0..ROUNDS {
            best[0] = best[0].min(nanoseconds(|| {
                for (copy, tensor) in copies.iter_mut().zip(&set.expected) {
                    copy.copy_from_slice(black_box(tensor.bytes()));
                    black_box(copy);
                }
                Ok(())
            })?);
            for (best, engine) in best[1..].iter_mut().zip(&mut engines) {
                *best = best.min(nanoseconds(|| {
                    engine.run(self, set, black_box(&operands), &mut outputs)
                })?);
            }
        }
        let (plan, code) = self.compile_times(set)?;
        let mut row = vec![self.name.clone()];
        row.extend(best.map(|ns| format!("{ns:.0}")));
        row.extend([plan, code].map(|us| format!("{us:.0}")));
        Ok(row)
    }

    /// Microseconds for the plans of all outputs, and from there to machine code in a new JIT.
    fn compile_times(&self, set: &DataSet) -> Result<(f64, f64)> {
        let (mut plan, mut both) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            black_box(plans(self, set)?);
            let planned = start.elapsed().as_secs_f64() * 1e6;
            let jit = Jit::with_strategy(Strategy::Baked);
            let start = Instant::now();
            black_box(kernels(&jit, self, set)?);
            let compiled = start.elapsed().as_secs_f64() * 1e6;
            plan = plan.min(planned);
            both = both.min(compiled);
        }
        Ok((plan, (both - plan).max(0.0)))
    }
}

impl DataSet {
    fn read(model: &Model, folder: &Path) -> Result<Self> {
        let inputs: Vec<Arc<Tensor>> = read_tensors(folder, "input")?
            .into_iter()
            .map(Arc::new)
            .collect();
        let expected = read_tensors(folder, "output")?;
        if (inputs.len(), expected.len()) != (model.inputs.len(), model.outputs.len()) {
            return Err(format!("{} is not a whole data set", folder.display()).into());
        }
        let call = Call::new(inputs.clone(), DEFAULT_MAX_BYTES);
        let programs = model.outputs.iter().map(|output| &output.program);
        Ok(Self {
            signatures: programs.map(|program| call.signature(program)).collect(),
            expected,
            inputs,
        })
    }

    fn operands(&self) -> Vec<Input<'_>> {
        self.inputs.iter().map(|tensor| tensor.as_input()).collect()
    }

    fn fresh_outputs(&self) -> Result<Vec<Tensor>> {
        let zeros = |like: &Tensor| Tensor::zeros(like.element_type(), like.shape());
        let outputs: Result<_, xslice::Error> = self.expected.iter().map(zeros).collect();
        Ok(outputs?)
    }
}

/// `input_0.pb`, `input_1.pb` and so on, or the same as `.npy`.
fn read_tensors(folder: &Path, kind: &str) -> Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    loop {
        let names = ["pb", "npy"].map(|ext| format!("{kind}_{}.{ext}", tensors.len()));
        let mut paths = names.iter().map(|name| folder.join(name));
        let Some(path) = paths.find(|path| path.exists()) else {
            return Ok(tensors);
        };
        tensors.push(files::read_tensor(&path, None, DEFAULT_MAX_BYTES)?.1);
    }
}

/// The operators of a model file that choose or regroup elements, each with how often it occurs.
fn operators(path: &Path) -> Result<String> {
    let file = fs::read(path)?;
    let names: Vec<String> = if files::extension(path).as_deref() == Some("onnx") {
        let graph = ModelProto::decode(&file[..])?.graph.unwrap_or_default();
        graph.node.into_iter().map(|node| node.op_type).collect()
    } else {
        let text = String::from_utf8(file)?;
        let types = text.split("type=\"").skip(1);
        types
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_string()))
            .collect()
    };
    let mut counts: Vec<(String, usize)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            _ if !["Slice", "StridedSlice", "Gather", "Range", "Reshape"].contains(&&*name) => {}
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let words = counts.iter().map(|(name, count)| match count {
        1 => name.clone(),
        _ => format!("{count} {name}"),
    });
    Ok(words.collect::<Vec<_>>().join(", "))
}

/// Type and shape of the results: `4 x f32[1,3,32,32]`.
fn results(tensors: &[Tensor]) -> String {
    let mut text = Vec::<(String, usize)>::new();
    for tensor in tensors {
        let dims: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
        let this = format!("{}[{}]", tensor.element_type(), dims.join(","));
        match text.last_mut() {
            Some((last, count)) if *last == this => *count += 1,
            _ => text.push((this, 1)),
        }
    }
    let words = text.iter().map(|(this, count)| match count {
        1 => this.clone(),
        _ => format!("{count} x {this}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What the innermost part of each nest does.
fn moves(plan: &Plan) -> Vec<&'static str> {
    let name = |planned: &PlannedNest| planned.schedule().map_or("clone", |s| s.inner().name());
    plan.nests().map(name).collect()
}

/// The ways to run a model.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Interp,
    Runner,
    Keyed,
    Baked,
    Auto,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Interp,
        Self::Runner,
        Self::Keyed,
        Self::Baked,
        Self::Auto,
    ];
}

/// A model made ready to run, one part for each output.
enum Engine {
    Interp(Vec<Plan>, Scratch),
    Runner(Vec<Plan>, Scratch),
    Kernels(Vec<Kernel>),
    Auto(Box<Jit>),
}

impl Engine {
    fn new(kind: Kind, case: &Case, set: &DataSet) -> Result<Self> {
        let jit = Jit::with_strategy;
        Ok(match kind {
            Kind::Interp => Self::Interp(plans(case, set)?, Scratch::new()),
            Kind::Runner => Self::Runner(plans(case, set)?, Scratch::new()),
            Kind::Keyed => Self::Kernels(kernels(&jit(Strategy::Keyed), case, set)?),
            Kind::Baked => Self::Kernels(kernels(&jit(Strategy::Baked), case, set)?),
            Kind::Auto => {
                let jit = jit(Strategy::Auto);
                for _ in 0..ASKED {
                    kernels(&jit, case, set)?;
                }
                Self::Auto(Box::new(jit))
            }
        })
    }

    /// All outputs of the model.
    fn run(
        &mut self,
        case: &Case,
        set: &DataSet,
        inputs: &[Input<'_>],
        outputs: &mut [Tensor],
    ) -> Result<(), xslice::Error> {
        let mut outputs = outputs.iter_mut().map(Tensor::as_output);
        match self {
            Self::Interp(plans, scratch) => plans
                .iter()
                .zip(outputs)
                .try_for_each(|(plan, output)| interp::run(plan, inputs, output, scratch)),
            Self::Runner(plans, scratch) => plans
                .iter()
                .zip(outputs)
                .try_for_each(|(plan, output)| runner::run(plan, inputs, output, scratch)),
            Self::Kernels(kernels) => kernels
                .iter()
                .zip(outputs)
                .try_for_each(|(kernel, output)| kernel.run(inputs, output)),
            Self::Auto(jit) => case
                .programs()
                .zip(&set.signatures)
                .zip(&mut outputs)
                .try_for_each(|((program, signature), output)| {
                    jit.compile(program, signature)?.run(inputs, output)
                }),
        }
    }
}

/// The JIT that decides by itself has been asked so often that it has decided.
const ASKED: usize = 32;

fn plans(case: &Case, set: &DataSet) -> Result<Vec<Plan>> {
    let pairs = case.programs().zip(&set.signatures);
    let plans: Result<_, xslice::Error> = pairs
        .map(|(program, signature)| program.compile(signature))
        .collect();
    Ok(plans?)
}

fn kernels(jit: &Jit, case: &Case, set: &DataSet) -> Result<Vec<Kernel>> {
    let pairs = case.programs().zip(&set.signatures);
    let kernels: Result<_, xslice::Error> = pairs
        .map(|(program, signature)| jit.compile(program, signature))
        .collect();
    Ok(kernels?)
}

/// Measurements of each engine; the smallest counts.
const ROUNDS: usize = 8;

/// Nanoseconds of a call, in the best of the batches that fit into a millisecond or two.
fn nanoseconds(mut call: impl FnMut() -> Result<(), xslice::Error>) -> Result<f64> {
    let mut batch = 1u32;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    loop {
        let start = Instant::now();
        for _ in 0..batch {
            call()?;
        }
        let time = start.elapsed();
        best = best.min(time.as_secs_f64() * 1e9 / f64::from(batch));
        if time < Duration::from_micros(20) {
            batch *= 2;
        } else if begin.elapsed() > Duration::from_millis(1) {
            return Ok(best);
        }
    }
}
