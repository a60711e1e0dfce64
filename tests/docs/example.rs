//! An example of a document: a program in the notation, elements of its operands, and what it gives.

use xslice::{
    Element, ElementType, Error, ErrorKind, Program, Scratch, Signature, Tensor, half, interp,
    runner,
};

/// Runs an example and compares: `cell` holds the text, then operands such as `ids = [0, 2]`; `expected` holds elements, a type and
/// shape, the code and name of a refusal, or its whole line.
///
/// # Errors
/// What it gives instead.
pub fn check(cell: &[&str], expected: &str) -> Result<(), String> {
    let (text, operands) = cell.split_first().ok_or("no example")?;
    let is_right = match run(text, operands) {
        Err(error) => [error.to_string(), short(error.kind())].contains(&expected.to_string()),
        Ok(tensor) => {
            let is_refusal = ErrorKind::ALL
                .iter()
                .any(|&kind| expected.contains(&short(kind)));
            !is_refusal
                && (shape(&tensor) == expected
                    || tensor == elements(tensor.element_type(), expected))
        }
    };
    let given = || match run(text, operands) {
        Err(error) => error.to_string(),
        Ok(tensor) => format!("{tensor:?}"),
    };
    is_right
        .then_some(())
        .ok_or_else(|| format!("{text}\n  gives {}\n  not   {expected}\n", given()))
}

fn short(kind: ErrorKind) -> String {
    format!("{} {}", kind.code(), kind.name())
}

fn shape(tensor: &Tensor) -> String {
    let dims: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", tensor.element_type(), dims.join(", "))
}

/// What the text gives, by the interpreter and by the runner.
pub fn run(text: &str, operands: &[&str]) -> Result<Tensor, Error> {
    let program = Program::parse(text)?;
    let given: Vec<(&str, &str)> = operands
        .iter()
        .map(|operand| operand.split_once(" = ").expect("name = elements"))
        .collect();
    let mut signature = Signature::new();
    let mut tensors = Vec::new();
    for (operand, is_parameter) in program.operands().iter().zip(program.parameters()) {
        let declared = operand.declared.as_ref().expect("examples declare types");
        let ty = declared.element_type;
        let dims = declared.shape.iter().flatten();
        let shape: Vec<usize> = dims.map(|dim| dim.expect("a number")).collect();
        let value = given.iter().find(|(name, _)| *name == operand.name);
        let tensor = value.map_or_else(|| numbered(ty, &shape), |(_, value)| elements(ty, value));
        assert_eq!(tensor.shape(), shape, "{text}: `{}`", operand.name);
        signature = if is_parameter {
            signature.value(tensor.clone())
        } else {
            signature.operand(ty, &shape)
        };
        tensors.push(tensor);
    }
    for (name, _) in given {
        assert!(
            program
                .operands()
                .iter()
                .any(|operand| operand.name == name),
            "{text}: no `{name}`"
        );
    }
    let plan = program.compile(&signature)?;
    let inputs: Vec<_> = tensors.iter().map(Tensor::as_input).collect();
    let fresh = || Tensor::zeros(plan.element_type(), plan.shape());
    let (mut slow, mut fast) = (fresh()?, fresh()?);
    let mut scratch = Scratch::new();
    let by_runner = runner::run(&plan, &inputs, fast.as_output(), &mut scratch);
    let by_interpreter = interp::run(&plan, &inputs, slow.as_output(), &mut scratch);
    assert_eq!(by_runner, by_interpreter, "{text}");
    by_interpreter?;
    assert_eq!(slow, fast, "{text}");
    Ok(slow)
}

/// 0, 1, 2 and so on.
fn numbered(ty: ElementType, shape: &[usize]) -> Tensor {
    let count = xslice::element_count(shape).expect("a small operand");
    let words: Vec<String> = (0..count).map(|at| at.to_string()).collect();
    of_words(ty, shape, &words)
}

/// The tensor that a nested list of literals writes down.
fn elements(ty: ElementType, text: &str) -> Tensor {
    let (mut shape, mut counts, mut depth) = (Vec::new(), Vec::new(), 0);
    let (mut words, mut word) = (Vec::new(), String::new());
    for c in text.chars() {
        match c {
            '[' => {
                depth += 1;
                counts.push(0);
            }
            ']' | ',' => {
                if !word.trim().is_empty() {
                    words.push(std::mem::take(&mut word).trim().to_string());
                    *counts.last_mut().expect("a list is open") += 1;
                }
                word.clear();
                if c == ']' {
                    let count = counts.pop().expect("a list is open");
                    shape.resize(shape.len().max(depth), None);
                    let known = shape[depth - 1].get_or_insert(count);
                    assert_eq!(*known, count, "ragged: {text}");
                    depth -= 1;
                    if let Some(outer) = counts.last_mut() {
                        *outer += 1;
                    }
                }
            }
            c => word.push(c),
        }
    }
    if !word.trim().is_empty() {
        words.push(word.trim().to_string());
    }
    let shape: Vec<usize> = shape.into_iter().flatten().collect();
    of_words(ty, &shape, &words)
}

fn of_words(ty: ElementType, shape: &[usize], words: &[String]) -> Tensor {
    use ElementType as T;
    match ty {
        T::Bool => parsed::<bool>(shape, words),
        T::I8 => parsed::<i8>(shape, words),
        T::I16 => parsed::<i16>(shape, words),
        T::I32 => parsed::<i32>(shape, words),
        T::I64 => parsed::<i64>(shape, words),
        T::U8 => parsed::<u8>(shape, words),
        T::U16 => parsed::<u16>(shape, words),
        T::U32 => parsed::<u32>(shape, words),
        T::U64 => parsed::<u64>(shape, words),
        T::F16 => parsed::<half::f16>(shape, words),
        T::Bf16 => parsed::<half::bf16>(shape, words),
        T::F32 => parsed::<f32>(shape, words),
        T::F64 => parsed::<f64>(shape, words),
        T::C64 => parsed::<xslice::num_complex::Complex<f32>>(shape, words),
        T::C128 => parsed::<xslice::num_complex::Complex<f64>>(shape, words),
        T::String => {
            let strings = words.iter().map(|word| word.trim_matches('"').to_string());
            Tensor::from_strings(shape, strings.collect()).expect("a tensor of strings")
        }
    }
}

fn parsed<T: Element + std::str::FromStr>(shape: &[usize], words: &[String]) -> Tensor {
    let parse = |word: &String| word.parse::<T>().ok().unwrap_or_else(|| panic!("`{word}`"));
    let elements: Vec<T> = words.iter().map(parse).collect();
    Tensor::new(shape, &elements).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}
