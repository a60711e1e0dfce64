//! One call: notation on an array.

use crate::{Element, Error, Input, Kernel, Layout, Program, Signature, Tensor, global};

/// An array that [`index()`] takes: nested Rust arrays, [`Tensor`], and with the feature `ndarray` any `ndarray` array or view. Tensors of
/// other types go into a [`Signature`], and as [`Input`]s to a [`Kernel`].
pub trait Array {
    /// What [`index()`] gives for it.
    type Indexed;

    /// Calls `use_it` with the elements, their type, shape and layout; what does not lie in one piece is copied first.
    ///
    /// # Errors
    /// Those of `use_it`; [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) for a copy.
    fn with<R>(
        &self,
        use_it: impl FnOnce(ArrayOperand<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// The result of a kernel, in the kind of this array.
    ///
    /// # Errors
    /// Whatever the kernel refuses.
    fn run(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<Self::Indexed, Error>;
}

/// An array as a kernel sees it: elements, shape, layout. Only an [`Array`] makes one.
#[derive(Clone, Debug)]
pub struct ArrayOperand<'a> {
    elements: Input<'a>,
    shape: Vec<usize>,
    layout: Option<Layout>,
}

impl ArrayOperand<'_> {
    fn add_to(&self, signature: Signature) -> Signature {
        let (ty, shape) = (self.elements.element_type(), &self.shape);
        match &self.layout {
            None => signature.operand(ty, shape),
            Some(layout) => signature.strided(ty, shape, &layout.strides, layout.offset),
        }
    }
}

/// The elements of `array` that `text` names, by the process-wide [`Jit`](crate::Jit).
///
/// `text` is the notation of [`Program::parse`] on one operand, whatever its name. A nested array or [`Tensor`] gives a [`Tensor`], an
/// `ndarray` array gives an `ndarray` array.
///
/// ```
/// let x = [[1, 2, 3], [4, 5, 6]];
/// let y = xslice::index(&x, "x[:, ::-1]")?;
/// assert_eq!(y.shape(), [2, 3]);
/// assert_eq!(y.to_vec::<i32>()?, [3, 2, 1, 6, 5, 4]);
/// # Ok::<(), xslice::Error>(())
/// ```
///
/// The text is parsed in each call; where one is used often, keep its [`Program`].
///
/// # Errors
/// What the notation and the operators refuse.
pub fn index<A: Array>(array: &A, text: &str) -> Result<A::Indexed, Error> {
    index_with(array, text, &[])
}

/// As [`index()`], with further operands: indices and run-time parameters, in the order in which the text declares or first uses them.
///
/// ```
/// use xslice::Tensor;
/// let table = [[0.0f32, 0.5], [1.0, 1.5], [2.0, 2.5]];
/// let rows = xslice::index_with(&table, "table[@ids]", &[&Tensor::vector(&[2, -3])])?;
/// assert_eq!(rows.to_vec::<f32>()?, [2.0, 2.5, 0.0, 0.5]);
/// # Ok::<(), xslice::Error>(())
/// ```
///
/// # Errors
/// What the notation and the operators refuse.
pub fn index_with<A: Array>(
    array: &A,
    text: &str,
    operands: &[&Tensor],
) -> Result<A::Indexed, Error> {
    let program = Program::parse(text)?;
    let parameters = program.parameters();
    array.with(|data| {
        let mut signature = data.add_to(Signature::new());
        let mut inputs = vec![data.elements];
        for (at, tensor) in operands.iter().enumerate() {
            signature = if parameters.get(at + 1) == Some(&true) {
                signature.value((*tensor).clone())
            } else {
                signature.operand(tensor.element_type(), tensor.shape())
            };
            inputs.push(tensor.as_input());
        }
        let kernel = global().compile(&program, &signature)?;
        A::run(&kernel, &inputs)
    })
}

fn run_to_tensor(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<Tensor, Error> {
    let plan = kernel.plan();
    let mut result = Tensor::zeros(plan.element_type(), plan.shape())?;
    kernel.run(inputs, result.as_output())?;
    Ok(result)
}

impl Array for Tensor {
    type Indexed = Tensor;

    fn with<R>(
        &self,
        use_it: impl FnOnce(ArrayOperand<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        use_it(ArrayOperand {
            elements: self.as_input(),
            shape: self.shape().to_vec(),
            layout: None,
        })
    }

    fn run(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<Tensor, Error> {
        run_to_tensor(kernel, inputs)
    }
}

/// An element, or an array of what is nested: the parts of a nested array.
pub trait Nested: Sized {
    /// The element type at the bottom.
    type Element: Element;

    /// Appends the dimensions below this level.
    fn dims(shape: &mut Vec<usize>);

    /// All elements below, row-major.
    fn flat(parts: &[Self]) -> &[Self::Element];
}

macro_rules! bottom {
    ($($element:ty),*) => {$(
        impl Nested for $element {
            type Element = Self;

            fn dims(_: &mut Vec<usize>) {}

            fn flat(parts: &[Self]) -> &[Self] {
                parts
            }
        }
    )*};
}

bottom!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    half::f16,
    half::bf16,
    f32,
    f64,
    String
);
bottom!(num_complex::Complex<f32>, num_complex::Complex<f64>);

impl<A: Nested, const N: usize> Nested for [A; N] {
    type Element = A::Element;

    fn dims(shape: &mut Vec<usize>) {
        shape.push(N);
        A::dims(shape);
    }

    fn flat(parts: &[Self]) -> &[A::Element] {
        A::flat(parts.as_flattened())
    }
}

impl<A: Nested, const N: usize> Array for [A; N] {
    type Indexed = Tensor;

    fn with<R>(
        &self,
        use_it: impl FnOnce(ArrayOperand<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut shape = Vec::new();
        Self::dims(&mut shape);
        // Nothing has any length: beside a 0, dimensions may have a product beyond all numbers.
        let elements = match shape.contains(&0) {
            true => &[],
            false => Self::flat(core::slice::from_ref(self)),
        };
        let elements = Input::from(elements);
        use_it(ArrayOperand {
            elements,
            shape,
            layout: None,
        })
    }

    fn run(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<Tensor, Error> {
        run_to_tensor(kernel, inputs)
    }
}

#[cfg(feature = "ndarray")]
impl<T, S, D> Array for ndarray::ArrayBase<S, D, T>
where
    T: Element,
    S: ndarray::Data<Elem = T>,
    D: ndarray::Dimension,
{
    type Indexed = ndarray::ArrayD<T>;

    fn with<R>(
        &self,
        use_it: impl FnOnce(ArrayOperand<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let (shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        // Of elements that repeat along an axis there is one.
        let mut distinct = self.view();
        for (axis, _) in strides
            .iter()
            .enumerate()
            .filter(|(_, stride)| **stride == 0)
        {
            distinct.slice_axis_inplace(ndarray::Axis(axis), (..1.min(shape[axis])).into());
        }
        // Elements between those of a view may be borrowed by others: only what lies in one piece is used in place.
        let copy;
        let elements = match distinct.as_slice_memory_order() {
            Some(elements) => elements,
            None => {
                let mut stride = 1;
                for (slot, &dim) in strides.iter_mut().zip(distinct.shape()).rev() {
                    *slot = if *slot == 0 { 0 } else { stride };
                    stride *= dim as isize;
                }
                copy = row_major(&distinct)?;
                &copy
            }
        };
        let back = |(&stride, &dim): (&isize, &usize)| (-stride).max(0) as usize * (dim - 1);
        let layout = (!elements.is_empty()).then(|| Layout {
            offset: strides.iter().zip(&shape).map(back).sum(),
            strides,
        });
        use_it(ArrayOperand {
            elements: Input::from(elements),
            shape,
            layout,
        })
    }

    fn run(kernel: &Kernel, inputs: &[Input<'_>]) -> Result<ndarray::ArrayD<T>, Error> {
        let shape = kernel.plan().shape().to_vec();
        let elements = kernel.collect::<T>(inputs)?;
        ndarray::ArrayD::from_shape_vec(shape, elements)
            .map_err(|error| Error::new(crate::ErrorKind::OperandShape, error.to_string()))
    }
}

/// The elements of a view, or a refusal where there is no memory for them.
#[cfg(feature = "ndarray")]
fn row_major<T: Element, D: ndarray::Dimension>(
    view: &ndarray::ArrayView<'_, T, D>,
) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(view.len())
        .map_err(|_| Error::out_of_memory(view.len().saturating_mul(size_of::<T>())))?;
    copy.extend(view.iter().cloned());
    Ok(copy)
}
