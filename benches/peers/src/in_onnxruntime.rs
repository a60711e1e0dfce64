//! Workloads by ONNX Runtime, on one thread, with operands and result bound beforehand: nothing is copied or allocated in a call.

use crate::forms::{Array, Form};
use crate::onnx;
use crate::peers::{Verified, by_type, elements, failed, put};
use ort::environment::Environment;

use ort::memory::Allocator;
use ort::session::{IoBinding, Session};
use ort::value::{DynValue, PrimitiveTensorElementType, Tensor};
use std::ffi::OsStr;
use std::fmt::Debug;
use std::marker::PhantomData;
use xslice::ElementType;
use xslice_cli::Result;
use xslice_cli::bench::Peer;
use xslice_cli::bench::data::{Data, Held};

const NAME: &str = "onnxruntime";

/// The shared library.
pub struct Library(Environment);

impl Library {
    /// Loads it.
    ///
    /// # Errors
    /// A file that is not ONNX Runtime, or too old.
    pub fn load(path: &OsStr) -> Result<Self> {
        let builder = ort::init_from(path).map_err(|error| failed(NAME, error))?;
        builder
            .build()
            .map(Self)
            .map_err(|error| failed(NAME, error))
    }
}

struct InOnnxRuntime<T> {
    session: Session,
    binding: IoBinding,
    ty: PhantomData<T>,
}

/// The workload, with its operands copied.
pub fn prepare(form: &Form, operands: &[Data], library: &Library) -> Result<Box<dyn Verified>> {
    by_type!(form.part.ty, typed(form, operands, library))
}

fn typed<T>(form: &Form, operands: &[Data], library: &Library) -> Result<Box<dyn Verified>>
where
    T: Held + PrimitiveTensorElementType + Debug,
{
    let build = || -> ort::Result<(Session, IoBinding)> {
        let session = Session::builder(&library.0)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .commit_from_memory(&onnx::model(form))?;
        let binding = session.create_binding()?;
        Ok((session, binding))
    };
    let (session, mut binding) = build().map_err(|error| failed(NAME, error))?;
    let mut bind = |name: &str, value: DynValue| {
        let bound = binding.bind_input(name, &value);
        bound.map_err(|error| failed(NAME, error))
    };
    for (name, array, data) in [
        ("x", &form.x, operands.first()),
        ("ids", &form.ids, operands.get(1)),
    ] {
        if let (Some(array), Some(data)) = (array, data) {
            bind(name, by_type!(array.ty, tensor(array, data))?)?;
        }
    }
    if form.range.is_some() {
        let scalar = Array {
            ty: form.part.ty,
            shape: Vec::new(),
        };
        for (name, value) in ["start", "limit", "delta"]
            .into_iter()
            .zip(form.range.unwrap_or_default())
        {
            bind(name, number(&scalar, value)?)?;
        }
    }
    let shape = form.output().shape;
    let room = Tensor::<T>::new(&Allocator::default(), shape);
    let bound = room.and_then(|room| binding.bind_output("y", room));
    bound.map_err(|error| failed(NAME, error))?;
    Ok(Box::new(InOnnxRuntime::<T> {
        session,
        binding,
        ty: PhantomData,
    }))
}

/// A start, a limit or a step.
fn number(scalar: &Array, value: f64) -> Result<DynValue> {
    let mut data = Data::zeros(scalar.ty, 1)?;
    match scalar.ty {
        ElementType::F32 => put(&mut data, &[value as f32])?,
        _ => put(&mut data, &[value as i64])?,
    }
    by_type!(scalar.ty, tensor(scalar, &data))
}

fn tensor<T>(array: &Array, data: &Data) -> Result<DynValue>
where
    T: Held + PrimitiveTensorElementType + Debug,
{
    let elements = elements::<T>(data)?;
    let mut tensor = Tensor::<T>::new(&Allocator::default(), array.shape.as_slice())
        .map_err(|error| failed(NAME, error))?;
    let (_, room) = tensor.extract_tensor_mut();
    room.copy_from_slice(elements);
    Ok(tensor.into_dyn())
}

impl<T: Held + PrimitiveTensorElementType> Peer for InOnnxRuntime<T> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, _: &[Data], _: &mut Data, times: u64) -> Result<()> {
        for _ in 0..times {
            let outputs = self.session.run_binding(&self.binding);
            outputs.map_err(|error| failed(NAME, error))?;
        }
        Ok(())
    }
}

impl<T: Held + PrimitiveTensorElementType> Verified for InOnnxRuntime<T> {
    fn result(&mut self, output: &mut Data) -> Result<()> {
        let outputs = self.session.run_binding(&self.binding);
        let outputs = outputs.map_err(|error| failed(NAME, error))?;
        let (_, values) = outputs["y"]
            .try_extract_tensor::<T>()
            .map_err(|error| failed(NAME, error))?;
        put(output, values)
    }
}
