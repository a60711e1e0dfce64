//! What a program is compiled for: types, shapes and strides of the operands, values of parameters, the layout of the result.

use crate::elem::ElementType;
use crate::list::List;
use crate::tensor::Tensor;
use alloc::{sync::Arc, vec::Vec};

/// Strides and offset of a buffer, in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Distance between neighbours on each axis, of any sign; 0 repeats.
    pub strides: Vec<isize>,
    /// Position of element `[0, 0, ...]` in the buffer.
    pub offset: usize,
}

/// What is known of one operand when a kernel is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperandType {
    /// The element type.
    pub element_type: ElementType,
    /// The dimensions.
    pub shape: List<usize>,
    /// Strides and offset; `None` is row-major from the start of the buffer.
    pub layout: Option<Layout>,
    /// The value, for an operand that is a parameter.
    pub value: Option<Arc<Tensor>>,
}

/// Types, shapes and strides of the operands, the values of those that are parameters, and the layout of the result.
///
/// ```
/// use xslice_core::{ElementType, Signature, Tensor};
/// let signature = Signature::new()
///     .operand(ElementType::F32, &[1, 32, 512, 128])
///     .strided(ElementType::U8, &[4, 4], &[-4, 1], 12)
///     .value(Tensor::vector(&[128]));
/// assert_eq!(signature.operands().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    operands: Vec<OperandType>,
    output: Option<Layout>,
    max_bytes: Option<usize>,
}

impl Signature {
    /// No operands yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Then an operand, row-major.
    #[must_use]
    pub fn operand(mut self, element_type: ElementType, shape: &[usize]) -> Self {
        self.operands.push(OperandType {
            element_type,
            shape: shape.into(),
            layout: None,
            value: None,
        });
        self
    }

    /// Then an operand with strides and offset, in elements; strides of any sign.
    #[must_use]
    pub fn strided(
        mut self,
        element_type: ElementType,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Self {
        let layout = Some(Layout {
            strides: strides.to_vec(),
            offset,
        });
        self.operands.push(OperandType {
            element_type,
            shape: shape.into(),
            layout,
            value: None,
        });
        self
    }

    /// Then a parameter operand with its value.
    #[must_use]
    pub fn value(mut self, tensor: impl Into<Arc<Tensor>>) -> Self {
        let value = tensor.into();
        self.operands.push(OperandType {
            element_type: value.element_type(),
            shape: value.shape().into(),
            layout: None,
            value: Some(value),
        });
        self
    }

    /// The result goes to these strides and offset, in elements, of a larger buffer.
    #[must_use]
    pub fn output(mut self, strides: &[isize], offset: usize) -> Self {
        self.output = Some(Layout {
            strides: strides.to_vec(),
            offset,
        });
        self
    }

    /// Refuses a result, intermediate ones included, of more bytes than this, before memory is asked for. By default
    /// `isize::MAX`.
    #[must_use]
    pub fn limit(mut self, max_bytes: usize) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// The limit.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        self.max_bytes.unwrap_or(isize::MAX as usize)
    }

    /// About the bytes of memory that it takes, values of parameters included.
    #[must_use]
    pub fn memory(&self) -> usize {
        let values = self.operands.iter().filter_map(|o| o.value.as_deref());
        size_of::<Self>()
            + self.operands.capacity() * size_of::<OperandType>()
            + values.map(Tensor::memory).sum::<usize>()
    }

    /// The operands.
    #[must_use]
    pub fn operands(&self) -> &[OperandType] {
        &self.operands
    }

    /// The layout of the result; `None` is row-major.
    #[must_use]
    pub fn output_layout(&self) -> Option<&Layout> {
        self.output.as_ref()
    }
}
