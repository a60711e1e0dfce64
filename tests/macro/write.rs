//! Writes `generated.rs`: each case as invocations of the macro, in several forms.

use crate::cases::describe::Case;
use crate::notation;
use std::sync::LazyLock;
use xslice::{Plan, Program, Signature};

/// Random cases beside those of the table, of which most are small, and large ones.
const RANDOM: u64 = 420;
const LARGE: u64 = 150;

/// A text for the compiler is shorter: lists of constants are long.
const LONG: usize = 2000;

/// The cases: the table's, then random ones, as far as they compile.
pub static CASES: LazyLock<Vec<(Case, String)>> = LazyLock::new(|| {
    let table = crate::cases::all().into_iter().filter_map(|case| {
        let text = case.text?.to_string();
        Some((case, text))
    });
    let small = (0..RANDOM).map(crate::random::case);
    let large = (0..LARGE).map(crate::random::large);
    let random = small.chain(large).map(|case| {
        let text = notation::text(&case);
        (case, text)
    });
    let all = table.chain(random.filter(|(_, text)| text.len() < LONG));
    all.filter(|(_, text)| plan(text).is_some()).collect()
});

/// The plan of a text whose parameters are all constants.
fn plan(text: &str) -> Option<Plan> {
    let program = Program::parse(text).ok()?;
    let signature = program
        .operands()
        .iter()
        .try_fold(Signature::new(), |signature, operand| {
            let declared = operand.declared.as_ref()?;
            let dims: Option<Vec<usize>> = declared.shape.clone()?.into_iter().collect();
            Some(signature.operand(declared.element_type, &dims?))
        });
    program.compile(&signature?).ok()
}

/// The source.
pub fn source() -> String {
    let mut text = String::from(
        "// Written by the test `generated_invocations_are_up_to_date`; not by hand.\n\n\
         use super::call::{Call, Outcome};\nuse xslice::xslice;\n\n",
    );
    let mut list = String::new();
    for (at, (case, notation)) in CASES.iter().enumerate() {
        let name = format!(
            "{}_{at}",
            case.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        );
        text += &function(case, notation, &name, at);
        list += &format!("    {name},\n");
    }
    text + "pub const CALLS: &[fn(&Call<'_>) -> Outcome] = &[\n" + &list + "];\n"
}

/// One case in two forms: table and random cases take turns through all of them.
fn function(case: &Case, notation: &str, name: &str, at: usize) -> String {
    let plan = plan(notation).expect("filtered");
    let program = Program::parse(notation).expect("filtered");
    let names: Vec<&str> = program
        .operands()
        .iter()
        .map(|operand| operand.name.as_str())
        .collect();
    let (element, len) = (rust(plan.element_type().name()), plan.output_len());
    let bytes = plan.output_len() * plan.element_type().size();
    let fallible = notation.contains("@ids")
        || notation.contains("@(")
        || names
            .iter()
            .any(|name| notation.contains(&format!("@{name}")));
    let question = if fallible { "?" } else { "" };
    let mut body = String::new();
    for (name, (ty, len)) in names.iter().zip(plan.operand_types()) {
        let element = rust(ty.name());
        body += &format!("    let {name} = call.operand::<{element}, {len}>({name:?});\n");
    }
    let to = format!(
        "    let mut y = call.destination::<{element}, {len}>();\n    xslice!({notation} => y){question};\n    call.same(&*y);\n"
    );
    body += &to;
    let item = item(notation, &names);
    match at % 3 {
        0 if bytes <= 16 << 10 => {
            body += &format!("    call.same(&xslice!({notation}){question});\n");
        }
        1 if item.is_some() && bytes <= 16 << 10 && !fallible && element != "String" => {
            let item = item.unwrap_or_default();
            let data = if program.operands().is_empty() {
                ""
            } else {
                "&"
            };
            let names = names.join(", &");
            body += &format!(
                "    xslice! {{ const fn run{item} }}\n    call.same(&run({data}{names}));\n"
            );
        }
        _ => {
            if let Some(item) = item {
                let operands: String = names.iter().map(|name| format!("&{name}, ")).collect();
                body += &format!(
                    "    xslice! {{ fn run{item} }}\n    let mut y = call.destination::<{element}, {len}>();\n    run({operands}&mut y){question};\n    call.same(&*y);\n    call.shape(&run::SHAPE);\n"
                );
            }
        }
    }
    let _ = case;
    format!("fn {name}(call: &Call<'_>) -> Outcome {{\n{body}    Ok(())\n}}\n\n")
}

/// The notation as a function: without its data operand.
fn item(notation: &str, names: &[&str]) -> Option<String> {
    let (types, chain) = notation.split_once('>')?;
    let chain = chain.trim_start();
    if chain.starts_with("onnx") {
        return Some(format!("{types}> {chain}"));
    }
    let data = names.first()?;
    if chain.contains(&format!("@{data}")) || chain.contains(&format!("@({data}")) {
        return None;
    }
    let stages = chain.strip_prefix(data)?.trim_start();
    let stages = stages.strip_prefix("|>").unwrap_or(stages);
    (!stages.is_empty()).then(|| format!("{types}> {stages}"))
}

fn rust(name: &str) -> &str {
    match name {
        "f16" => "xslice::half::f16",
        "bf16" => "xslice::half::bf16",
        "c64" => "xslice::num_complex::Complex<f32>",
        "c128" => "xslice::num_complex::Complex<f64>",
        "string" => "String",
        plain => plain,
    }
}
