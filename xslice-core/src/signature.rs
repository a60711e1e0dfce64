//! What a program is compiled for: types, shapes and strides of the operands, values of parameters, the layout of the result.

use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::list::List;
use crate::tensor::Tensor;
use alloc::{format, string::String, sync::Arc, vec::Vec};

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
    limit: Limit,
}

/// Bytes that may be asked for, and how many of them are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Limit {
    bytes: usize,
    spent: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            bytes: isize::MAX as usize,
            spent: 0,
        }
    }
}

impl Limit {
    /// Refuses more bytes than are left; `what` says what takes them.
    pub fn admit(self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), Error> {
        let left = self.bytes.saturating_sub(self.spent);
        if bytes <= left {
            return Ok(());
        }
        let of_all = match self.spent {
            0 => String::new(),
            _ => format!(" left of {}", self.bytes),
        };
        Err(Error::new(ErrorKind::TooLarge, what())
            .value(bytes)
            .allowed(format!("0..={left} bytes{of_all}"))
            .hint("raise the limit if this is wanted"))
    }
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
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature, interp};
    /// // A 2 x 3 matrix whose columns lie one after the other: its second row.
    /// let signature = Signature::new().strided(ElementType::I32, &[2, 3], &[1, 2], 0);
    /// let plan = Program::parse("x[1]")?.compile(&signature)?;
    /// let mut row = [0; 3];
    /// interp::run(&plan, &[(&[10, 11, 20, 21, 30, 31]).into()], (&mut row).into(), &mut Default::default())?;
    /// assert_eq!(row, [11, 21, 31]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
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
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature, Slice, Tensor};
    /// let tail = Program::chain("x").then(Slice::onnx(13).starts("from").ends([i64::MAX])).build()?;
    /// let signature = Signature::new()
    ///     .operand(ElementType::F32, &[10])
    ///     .value(Tensor::vector(&[-3]));
    /// assert_eq!(tail.output_shape(&signature)?, [3]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
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
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature, interp};
    /// // The second column of a 2 x 3 buffer.
    /// let signature = Signature::new().operand(ElementType::U8, &[2]).output(&[3], 1);
    /// let plan = Program::parse("x[::-1]")?.compile(&signature)?;
    /// let mut buffer = [0u8; 6];
    /// interp::run(&plan, &[(&[7u8, 8]).into()], (&mut buffer).into(), &mut Default::default())?;
    /// assert_eq!(buffer, [0, 8, 0, 0, 7, 0]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn output(mut self, strides: &[isize], offset: usize) -> Self {
        self.output = Some(Layout {
            strides: strides.to_vec(),
            offset,
        });
        self
    }

    /// Refuses a result, intermediate ones included, of more bytes than this, before memory is asked for; likewise indices and
    /// parameters known when compiling, if four times what they take together is more. By default `isize::MAX`.
    ///
    /// ```
    /// # use xslice_core::{ElementType, ErrorKind, Program, Signature};
    /// let signature = Signature::new().operand(ElementType::F64, &[1000]).limit(1024);
    /// let refusal = Program::parse("x[:500]")?.compile(&signature).unwrap_err();
    /// assert_eq!(refusal.kind(), ErrorKind::TooLarge);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit.bytes = bytes;
        self
    }

    /// So many bytes of the limit are spent: on other results of the same request.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let signature = Signature::new().operand(ElementType::F64, &[1000]).limit(6000).spent(2400);
    /// let refusal = Program::parse("x[:500]")?.compile(&signature).unwrap_err();
    /// assert_eq!(refusal.allowed_range(), Some("0..=3600 bytes left of 6000"));
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn spent(mut self, bytes: usize) -> Self {
        self.limit.spent = bytes;
        self
    }

    /// What a result may take.
    pub(crate) fn admitted(&self) -> Limit {
        self.limit
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
