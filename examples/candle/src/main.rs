//! A program of xslice as an operator of candle: it reads candle's own memory by candle's strides, whatever view it is given, and writes
//! the result once. Results are compared with those of candle's operators.
//!
//! `cargo run --release --manifest-path examples/candle/Cargo.toml`

use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CustomOp1, CustomOp2, Device, Error, Layout, Result, Shape, Tensor, WithDType,
};
use xslice::half::{bf16, f16};
use xslice::{Element, ElementType, Gather, Input, Kernel, Program, Signature};

/// Slices, gathers and chains of them, of one operand or two.
struct DataMovement(Program);

impl DataMovement {
    fn forward(&self, operands: &[(&CpuStorage, &Layout)]) -> Result<(CpuStorage, Shape)> {
        let mut signature = Signature::new();
        let mut inputs = Vec::new();
        for (storage, layout) in operands {
            let (element_type, input) = lend(storage)?;
            let strides: Vec<isize> = layout.stride().iter().map(|&by| by as isize).collect();
            signature =
                signature.strided(element_type, layout.dims(), &strides, layout.start_offset());
            inputs.push(input);
        }
        // In a loop it is found in the cache.
        let kernel = xslice::global().compile(&self.0, &signature);
        let kernel = kernel.map_err(Error::wrap)?;
        let shape = Shape::from(kernel.plan().shape());
        Ok((result(&kernel, &inputs)?, shape))
    }
}

/// What candle holds, as xslice reads it: the same memory.
fn lend(storage: &CpuStorage) -> Result<(ElementType, Input<'_>)> {
    fn typed<T: Element>(elements: &[T]) -> Result<(ElementType, Input<'_>)> {
        Ok((T::TYPE, elements.into()))
    }
    match storage {
        CpuStorage::U8(elements) => typed(elements),
        CpuStorage::U32(elements) => typed(elements),
        CpuStorage::I64(elements) => typed(elements),
        CpuStorage::F16(elements) => typed(elements),
        CpuStorage::BF16(elements) => typed(elements),
        CpuStorage::F32(elements) => typed(elements),
        CpuStorage::F64(elements) => typed(elements),
        _ => candle_core::bail!("this example leaves {:?} out", storage.dtype()),
    }
}

/// Runs the kernel into memory that candle then owns.
fn result(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<CpuStorage> {
    fn typed<T: Element + WithDType>(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<CpuStorage> {
        let elements = kernel.collect::<T>(inputs).map_err(Error::wrap)?;
        Ok(T::to_cpu_storage_owned(elements))
    }
    match kernel.plan().element_type() {
        ElementType::U8 => typed::<u8>(kernel, inputs),
        ElementType::U32 => typed::<u32>(kernel, inputs),
        ElementType::I64 => typed::<i64>(kernel, inputs),
        ElementType::F16 => typed::<f16>(kernel, inputs),
        ElementType::Bf16 => typed::<bf16>(kernel, inputs),
        ElementType::F32 => typed::<f32>(kernel, inputs),
        ElementType::F64 => typed::<f64>(kernel, inputs),
        other => candle_core::bail!("this example leaves {other} out"),
    }
}

impl CustomOp1 for DataMovement {
    fn name(&self) -> &'static str {
        "xslice"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        self.forward(&[(storage, layout)])
    }
}

impl CustomOp2 for DataMovement {
    fn name(&self) -> &'static str {
        "xslice"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.forward(&[(s1, l1), (s2, l2)])
    }
}

/// Width backwards, alpha left out, of pixels that lie channels last but are seen channels first.
fn backwards(cpu: &Device) -> Result<()> {
    let pixels = Tensor::arange(0u8, 24, cpu)?.reshape((2, 3, 4))?;
    let seen = pixels.permute((2, 0, 1))?;
    let op = DataMovement(Program::parse("x[:3, :, ::-1]").map_err(Error::wrap)?);
    let flipped = seen.apply_op1_no_bwd(&op)?;
    println!("x {:?}, strides {:?}", seen.dims(), seen.stride());
    println!("x[:3, :, ::-1] {:?}", flipped.dims());
    for channel in flipped.to_vec3::<u8>()? {
        println!("  {channel:?}");
    }

    let order = Tensor::new(&[2u32, 1, 0], cpu)?;
    let by_candle = seen
        .narrow(0, 0, 3)?
        .contiguous()?
        .index_select(&order, 2)?;
    assert_eq!(flipped.to_vec3::<u8>()?, by_candle.to_vec3::<u8>()?);
    Ok(())
}

/// Rows of a transposed table by ONNX's Gather: negative indices count from the end, and what is out of range is refused.
fn gather(cpu: &Device) -> Result<()> {
    let whole = Tensor::arange(0f32, 15., cpu)?.reshape((3, 5))?;
    let table = whole.narrow(1, 1, 4)?.t()?;
    assert_eq!(table.stride(), [1, 5]);
    let gather = Gather::onnx(13).indices("indices");
    let program = Program::chain("table").then(gather).build();
    let op = DataMovement(program.map_err(Error::wrap)?);
    let rows = table.apply_op2_no_bwd(&Tensor::new(&[3i64, -4, -1], cpu)?, &op)?;
    println!("table {:?}, strides {:?}", table.dims(), table.stride());
    println!("rows 3, -4, -1 {:?}", rows.dims());
    for row in rows.to_vec2::<f32>()? {
        println!("  {row:?}");
    }

    let counted = Tensor::new(&[3u32, 0, 3], cpu)?;
    let table_of_candle = table.contiguous()?;
    let by_candle = table_of_candle.index_select(&counted, 0)?;
    assert_eq!(rows.to_vec2::<f32>()?, by_candle.to_vec2::<f32>()?);

    for index in [-1i64, 4] {
        let index = Tensor::new(&[index], cpu)?;
        assert!(table_of_candle.index_select(&index, 0).is_err());
    }

    let refused = table.apply_op2_no_bwd(&Tensor::new(&[0i64, 4], cpu)?, &op);
    let error = refused.expect_err("row 4 of 4");
    // candle writes a backtrace below where one is asked for.
    let error = error.to_string();
    let line = error.lines().next().unwrap_or_default();
    println!("error: {line}");
    assert!(line.contains("`indices[1]` = 4 is out of range"), "{line}");
    Ok(())
}

fn main() -> Result<()> {
    backwards(&Device::Cpu)?;
    gather(&Device::Cpu)
}
