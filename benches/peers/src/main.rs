//! `peers OUT.json [--filter TEXT] [--rounds N]`: every workload by xslice, ndarray, candle and, where `ORT_DYLIB_PATH` names its shared
//! library, ONNX Runtime; then what machine code costs before the first call.

use std::process::ExitCode;
use xslice_cli::bench::prepared::{Prepared, Strategy};
use xslice_cli::bench::{json, measure, workloads};
use xslice_cli::{Fault, Result};
use xslice_peers::costs::Costs;
use xslice_peers::forms::Form;
use xslice_peers::in_onnxruntime::Library;
use xslice_peers::peers;

struct Args {
    out: String,
    filter: String,
    rounds: usize,
}

impl Args {
    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let out = words.next().filter(|word| !word.starts_with('-'))?;
        let mut args = Self {
            out,
            filter: String::new(),
            rounds: 40,
        };
        while let Some(word) = words.next() {
            let value = words.next()?;
            match word.as_str() {
                "--filter" => args.filter = value,
                "--rounds" => args.rounds = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(args)
    }
}

fn run(args: &Args) -> Result<()> {
    let library = match std::env::var_os("ORT_DYLIB_PATH") {
        Some(path) => Some(Library::load(&path)?),
        None => {
            eprintln!("onnxruntime: left out: ORT_DYLIB_PATH names no library");
            None
        }
    };
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for workload in workloads::all().filter(|workload| workload.name.contains(&args.filter)) {
        eprintln!("{}", workload.name);
        let mut prepared = Prepared::new(workload)?;
        let form = Form::new(workload)?;
        let mut peers = peers::prepare(&form, &mut prepared, library.as_ref())?;
        rows.push(measure(
            &mut prepared,
            &Strategy::ALL,
            &mut peers,
            args.rounds,
        )?);
        costs.push(Costs::measure(workload)?.json(workload.name, prepared.output().bytes()));
    }
    let costs = costs.join(",\n  ");
    let text = format!(
        "{{\"rows\": {}, \"costs\": [\n  {costs}\n]}}\n",
        json(&rows).trim_end()
    );
    std::fs::write(&args.out, text)
        .map_err(|error| Fault::File(format!("{}: {error}", args.out)))?;
    Ok(())
}

fn main() -> ExitCode {
    let Some(args) = Args::parse(std::env::args().skip(1)) else {
        eprintln!("usage: peers OUT.json [--filter TEXT] [--rounds N]");
        return ExitCode::from(2);
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
