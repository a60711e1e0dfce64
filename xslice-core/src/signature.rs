//! What a program is compiled for: types, shapes and strides of the operands, values of parameters, the layout of the result.

use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::list::List;
use crate::tensor::Tensor;
use alloc::{format, string::String, sync::Arc, vec::Vec};

/// Strides and offset of a buffer, in elements: `[i, j, ..]` lies at `offset + i * strides[0] + j * strides[1] + ..`.
///
/// ```
/// # use xslice_core::{ElementType, Layout, Signature};
/// let signature = Signature::new().strided(ElementType::U8, &[4, 4], &[-4, 1], 12); // bottom-up
/// let layout = Layout { strides: vec![-4, 1], offset: 12 };
/// assert_eq!(signature.operands()[0].layout, Some(layout));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Distance between neighbours on each axis, of any sign; 0 repeats.
    pub strides: Vec<isize>,
    /// Position of element `[0, 0, ...]` in the buffer.
    pub offset: usize,
}

/// What is known of one operand when a kernel is compiled: what [`Signature::operands`] gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperandType {
    /// The element type.
    pub element_type: ElementType,
    /// The dimensions, outermost first.
    pub shape: List<usize>,
    /// Strides and offset; `None` is row-major from the start of the buffer.
    pub layout: Option<Layout>,
    /// The value, for an operand that is a parameter.
    pub value: Option<Arc<Tensor>>,
}

impl OperandType {
    fn of_value(value: Arc<Tensor>) -> Self {
        Self {
            element_type: value.element_type(),
            shape: value.shape().into(),
            layout: None,
            value: Some(value),
        }
    }

    /// In the memory of the old shape.
    fn reshape(&mut self, shape: &[usize]) {
        self.shape.truncate(0);
        self.shape.extend(shape.iter().copied());
    }
}

/// Types, shapes and strides of the operands, the values of those that are parameters, and the layout of the result.
///
/// The operands stand in the order of [`Program::operands`](crate::Program::operands), and a call gives them in the same order. Sizes,
/// strides and offsets count elements. Where one operand changes from call to call, [`Signature::set_shape`],
/// [`Signature::set_strided`] and [`Signature::set_value`] change it in place.
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
    /// What all temporaries may take where a plan has some that it can do without; 0: it has only those that it needs, whatever they take.
    temporaries: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            bytes: isize::MAX as usize,
            spent: 0,
            temporaries: usize::MAX,
        }
    }
}

impl Limit {
    /// Whether a plan may have temporaries that it can do without.
    pub fn has_spare(self) -> bool {
        self.temporaries > 0
    }

    /// Whether it may have one of these if all take so many bytes then.
    pub fn has_room_for(self, bytes: usize) -> bool {
        bytes <= self.temporaries && bytes <= self.bytes.saturating_sub(self.spent)
    }

    /// Refuses more bytes of temporaries than are left, or than a plan may take that can do with fewer: it is made anew then, and nobody is told.
    pub fn admit_temporaries(
        self,
        bytes: usize,
        what: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        match self.temporaries {
            most @ 1.. if bytes > most => Err(Error::new(ErrorKind::TooLarge, what())),
            _ => self.admit(bytes, what),
        }
    }

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
            .hint(Signature::RAISE_LIMIT))
    }
}

impl Signature {
    /// The hint of refusals that a larger [`limit`](Self::limit) admits. For whoever knows where the limit came from, and says that.
    #[doc(hidden)]
    pub const RAISE_LIMIT: &str = "raise the limit if this is wanted";

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
        self.operands.push(OperandType::of_value(tensor.into()));
        self
    }

    /// Another shape of operand `at`, which is counted from 0. Its element type stays, and so do strides and offset if it has some: a cache
    /// that grows in its buffer, say. Nothing is allocated for up to four axes, or as many as it had.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let program = Program::parse("cache[:, -2:]")?;
    /// // A buffer for 512 steps of 4 heads, and how many steps are in it.
    /// let mut signature = Signature::new().strided(ElementType::F32, &[4, 0, 64], &[512 * 64, 64, 1], 0);
    /// for (steps, window) in [(1, 1), (2, 2), (3, 2)] {
    ///     signature.set_shape(0, &[4, steps, 64])?;
    ///     assert_eq!(program.output_shape(&signature)?, [4, window, 64]);
    /// }
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Nothing is changed then. [`ErrorKind::OperandCount`] if there is no such operand; [`ErrorKind::OperandShape`] if its shape is that
    /// of its value. Whether strides fit the shape is decided when a program is compiled.
    pub fn set_shape(&mut self, at: usize, shape: &[usize]) -> Result<(), Error> {
        self.without_value(at)?.reshape(shape);
        Ok(())
    }

    /// Another shape, strides and offset of operand `at`, in elements: what [`Signature::strided`] says of a new one. Its element type stays.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let mut signature = Signature::new().operand(ElementType::I32, &[2, 3]);
    /// signature.set_strided(0, &[3, 2], &[1, 3], 0)?; // the same elements, transposed
    /// let view = Program::parse("x[1]")?.view(&signature)?.expect("slices are affine");
    /// assert_eq!((&view.strides[..], view.offset), (&[3][..], 1));
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Signature::set_shape`].
    pub fn set_strided(
        &mut self,
        at: usize,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<(), Error> {
        let operand = self.without_value(at)?;
        operand.reshape(shape);
        let layout = operand.layout.get_or_insert_default();
        layout.strides.clear();
        layout.strides.extend_from_slice(strides);
        layout.offset = offset;
        Ok(())
    }

    /// Another value of parameter operand `at`, and with it another type and shape: what [`Signature::value`] says of a new one. An
    /// `Arc<Tensor>` is shared, not copied.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature, Slice, Tensor};
    /// let tail = Program::chain("x").then(Slice::onnx(13).starts("from").ends([i64::MAX])).build()?;
    /// let mut signature = Signature::new()
    ///     .operand(ElementType::F32, &[10])
    ///     .value(Tensor::vector(&[0]));
    /// for from in [7, -3] {
    ///     signature.set_value(1, Tensor::vector(&[from]))?;
    ///     assert_eq!(tail.output_shape(&signature)?, [3]);
    /// }
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::OperandCount`] if there is no such operand; nothing is changed then.
    pub fn set_value(&mut self, at: usize, tensor: impl Into<Arc<Tensor>>) -> Result<(), Error> {
        *self.at(at)? = OperandType::of_value(tensor.into());
        Ok(())
    }

    fn at(&mut self, at: usize) -> Result<&mut OperandType, Error> {
        let count = self.operands.len();
        self.operands.get_mut(at).ok_or_else(|| {
            let text = format!("operand {at} is set, and the signature has {count}");
            Error::new(ErrorKind::OperandCount, text)
                .position(at)
                .value(at)
                .allowed(match count {
                    0 => String::from("none: add it first"),
                    _ => format!("0..={}", count - 1),
                })
        })
    }

    /// The operand, if its shape may be set.
    fn without_value(&mut self, at: usize) -> Result<&mut OperandType, Error> {
        let operand = self.at(at)?;
        match &operand.value {
            None => Ok(operand),
            Some(value) => Err(Error::new(
                ErrorKind::OperandShape,
                format!("operand {at} has the shape of its value"),
            )
            .position(at)
            .allowed(format!("{:?}", value.shape()))
            .hint("`Signature::set_value` changes both")),
        }
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

    /// `bytes` bytes of the limit are spent, on other results of the same request.
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

    /// Bytes that all temporaries of a plan may take where it has some only to be quicker: as many as the [`limit`](Self::limit) admits if
    /// this is not said. Emitted code has them on its stack; with 0, what one nest can say is one.
    #[doc(hidden)]
    #[must_use]
    pub fn temporaries(mut self, bytes: usize) -> Self {
        self.limit.temporaries = bytes;
        self
    }

    /// What a result may take.
    pub(crate) fn admitted(&self) -> Limit {
        self.limit
    }

    /// About the bytes of memory that it takes, values of parameters included.
    #[must_use]
    pub fn memory(&self) -> usize {
        let layout = |layout: &Layout| size_of_val(&layout.strides[..]);
        let operands = self.operands.iter().map(|operand| {
            let value = operand.value.as_deref().map_or(0, Tensor::memory);
            operand.shape.heap_bytes() + operand.layout.as_ref().map_or(0, layout) + value
        });
        size_of::<Self>()
            + self.operands.capacity() * size_of::<OperandType>()
            + self.output.as_ref().map_or(0, layout)
            + operands.sum::<usize>()
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

#[cfg(test)]
mod tests;
