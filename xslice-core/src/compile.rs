//! From a program and a signature to a plan: the one way that every front door goes.
//!
//! The values of a program are taken in order. What leads to the result becomes a [`CoordMap`]; what only decides shapes is computed at
//! once from the values in the signature. A gather adds its check, a reshape that no map expresses writes a temporary, as do indices that
//! other indices pick, and at the end the last map is lowered into the result.

use crate::access::{Access, Buffer, Names};
use crate::coord::{CoordMap, Mapped};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::move_;
use crate::nest::schedule::constant_in;
use crate::nest::{LoopNest, Parts, Source};
use crate::op::{OnnxRange, Op, Param};
use crate::plan::{
    Direct, OperandNeed, Origin, Plan, PlannedNest, Step, Tested, View, refuse_count,
};
use crate::program::{Apply, Program, Value};
use crate::resolve::{self, AxisIndex, Known, Params, literal, range};
use crate::scratch::Temporary;
use crate::signature::{Layout, Limit, OperandType, Signature};
use crate::tensor::{MOST_AXES, Tensor, byte_count, element_count};
use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

mod gather;
mod layout;
mod maps;
mod parameters;
#[cfg(test)]
mod tests;

use layout::{expect_distinct, expect_operand, expect_result, layout_access, layout_len};
use maps::Maps;
use parameters::Parameter;

/// More lookups than this in one access end a chain: each is a load for every element.
const MOST_LOOKUPS: usize = 8;

/// A plan has seldom more: the check of a gather, and a nest.
const USUAL_STEPS: usize = 2;

impl Program {
    /// The plan for these shapes and parameter values: resolved, composed, lowered, simplified, scheduled, verified.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let signature = Signature::new().operand(ElementType::U8, &[2, 3]);
    /// let plan = Program::parse("x[:, ::-1]")?.compile(&signature)?;
    /// assert_eq!((plan.element_type(), plan.shape()), (ElementType::U8, &[2, 3][..]));
    /// assert!(plan.to_string().contains("dst[3*i + j] <- x[2 + 3*i - j]"));
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Every refusal of the operators, in the order of the program.
    pub fn compile(&self, signature: &Signature) -> Result<Plan, Error> {
        self.built(signature, |mut builder, signature| {
            let result = builder.program(self, signature)?;
            builder.finish(result, signature.output_layout())
        })
    }

    /// What a builder makes; anew, and without temporaries that only make a plan quicker, where these have taken the room of others.
    fn built<T>(
        &self,
        signature: &Signature,
        make: impl Fn(Builder, &Signature) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let built = |signature: &Signature| {
            let mut builder = Builder::new(self, signature.admitted());
            builder.operands(self, signature)?;
            make(builder, signature)
        };
        match built(signature) {
            Err(error)
                if error.kind() == ErrorKind::TooLarge && signature.admitted().has_spare() =>
            {
                built(&signature.clone().temporaries(0))
            }
            made => made,
        }
    }

    /// The shape of the result alone, without a plan.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let signature = Signature::new()
    ///     .operand(ElementType::F32, &[30522, 768])
    ///     .operand(ElementType::I64, &[8, 128]);
    /// assert_eq!(Program::parse("table[@ids, :384]")?.output_shape(&signature)?, [8, 128, 384]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn output_shape(&self, signature: &Signature) -> Result<Vec<usize>, Error> {
        self.output_type(signature).map(|(_, shape)| shape)
    }

    /// Element type and shape of the result alone.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn output_type(&self, signature: &Signature) -> Result<(ElementType, Vec<usize>), Error> {
        self.built(signature, |mut builder, signature| {
            let result = builder.program(self, signature)?;
            Ok((result.ty, result.dims.to_vec()))
        })
    }

    /// The zero-copy view, where the composed map is affine over one operand; `None` where elements have to move.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Program, Signature};
    /// let signature = Signature::new().operand(ElementType::I32, &[3, 4]);
    /// let view = Program::parse("x[1:, ::-1]")?.view(&signature)?.expect("slices are affine");
    /// assert_eq!((&view.shape[..], &view.strides[..], view.offset), (&[2, 4][..], &[4, -1][..], 7));
    /// assert!(Program::parse("x[[2, 0, 1]]")?.view(&signature)?.is_none());
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn view(&self, signature: &Signature) -> Result<Option<View>, Error> {
        self.built(signature, |mut builder, signature| {
            let map = builder.program(self, signature)?;
            let (Source::Buffer(Buffer::Operand(operand)), true, true) =
                (map.source, map.access.is_affine(), builder.steps.is_empty())
            else {
                return Ok(None);
            };
            let strides = map.access.strides.iter();
            Ok(Some(View {
                operand,
                shape: map.dims.to_vec(),
                strides: strides.map(|&stride| stride as isize).collect(),
                offset: usize::try_from(map.access.offset).unwrap_or_default(),
            }))
        })
    }

    /// The map from the coordinates of the result, of that name, to its source, in the printed form. For `xslice explain`.
    ///
    /// # Errors
    /// As [`Program::compile`].
    #[doc(hidden)]
    pub fn map(&self, signature: &Signature, result: &str) -> Result<String, Error> {
        self.built(signature, |mut builder, signature| {
            let map = builder.program(self, signature)?;
            Ok(format!("{result}{}", Mapped(&map, Names(&builder.names))))
        })
    }
}

/// The parts of a plan while it grows.
struct Builder {
    names: Arc<[String]>,
    operands: Vec<OperandNeed>,
    constants: Vec<Arc<Tensor>>,
    /// Bytes of the constants that are not the program's.
    own_constants: usize,
    temporaries: Vec<Temporary>,
    steps: Vec<Step>,
    limit: Limit,
    /// What indices and parameters that are known before the call cost, in bytes of the limit.
    known_cost: usize,
    /// A check that refuses every call has been added: nothing after it ever runs.
    doomed: bool,
}

impl Builder {
    fn new(program: &Program, limit: Limit) -> Self {
        Self {
            names: program.names().clone(),
            steps: Vec::with_capacity(USUAL_STEPS),
            limit,
            ..Self::empty()
        }
    }

    /// Takes the operands of the program as they are given.
    fn operands(&mut self, program: &Program, signature: &Signature) -> Result<(), Error> {
        let (declared, given) = (program.operands(), signature.operands());
        if declared.len() != given.len() {
            return Err(refuse_count(program.names(), given.len()));
        }
        self.operands.reserve_exact(given.len());
        for (operand, ty) in declared.iter().zip(given) {
            let name = &operand.name;
            expect_operand(operand.declared.as_ref(), name, ty.element_type, &ty.shape)
                .map_err(|error| error.parameter(name.clone()))?;
            self.operand(ty)
                .map_err(|error| error.of_parameter(name.clone()))?;
        }
        Ok(())
    }

    fn empty() -> Self {
        Self {
            names: Arc::default(),
            operands: Vec::new(),
            constants: Vec::new(),
            own_constants: 0,
            temporaries: Vec::new(),
            steps: Vec::new(),
            limit: Limit::default(),
            known_cost: 0,
            doomed: false,
        }
    }

    fn operand(&mut self, given: &OperandType) -> Result<(), Error> {
        admit_rank(given.shape.len())?;
        let len = match &given.layout {
            None => element_count(&given.shape)?,
            Some(layout) => layout_len(layout, &given.shape, given.element_type)?,
        };
        byte_count(len, given.element_type)?;
        self.operands.push(OperandNeed {
            ty: given.element_type,
            len,
            exact: given.layout.is_none(),
            value: given.value.clone(),
        });
        Ok(())
    }

    /// The map of the result; steps for everything that has to run before it.
    fn program(
        &mut self,
        program: &Program,
        signature: &Signature,
    ) -> Result<Box<CoordMap>, Error> {
        let roles = program.roles();
        let count = program.result().index() + 1;
        let mut maps = Maps::with_capacity(count);
        let mut result = None;
        let mut known: Vec<Option<Parameter>> = Vec::new();
        if roles.iter().any(|role| role.parameter) {
            known.resize(count, None);
        }
        for (at, value) in program.values().iter().enumerate().take(count) {
            if roles[at].parameter {
                known[at] = Some(match value {
                    Value::Constant(tensor) => Parameter::Elements(tensor.clone()),
                    Value::Operand(operand) => match &signature.operands()[*operand].value {
                        Some(tensor) => Parameter::Elements(tensor.clone()),
                        None => {
                            return Err(resolve::value_missing(&program.operands()[*operand].name));
                        }
                    },
                    Value::Apply(apply) => {
                        let result = self.evaluate(apply, &known, roles[at].read);
                        result.map_err(|error| apply.named(error))?
                    }
                });
            }
            let map = match value {
                _ if !roles[at].moved => None,
                Value::Constant(tensor) => Some(Box::new(self.constant(tensor))),
                Value::Operand(operand) => {
                    let given = &signature.operands()[*operand];
                    Some(operand_map(*operand, given, self))
                }
                Value::Apply(apply) => {
                    let map = self.apply(apply, &mut maps, &known);
                    Some(map.map_err(|error| apply.named(error))?)
                }
            };
            match map {
                Some(map) if at + 1 == count => result = Some(map),
                Some(map) => maps.keep(at, map, roles[at].reads),
                None => {}
            }
        }
        let result = result
            .ok_or_else(|| Error::new(ErrorKind::UnknownOperand, "the program has no result"))?;
        expect_result(program.result_type(), result.ty, &result.dims)?;
        self.admit(result.ty, &result.dims)?;
        Ok(result)
    }

    fn constant(&mut self, tensor: &Arc<Tensor>) -> CoordMap {
        let at = self.constant_slot(tensor);
        let source = Source::Buffer(Buffer::Constant(at));
        CoordMap::whole(tensor.element_type(), source, tensor.shape(), tensor.len())
    }

    /// A constant that the program does not have.
    fn own(&mut self, tensor: Tensor) -> Arc<Tensor> {
        self.own_constants += tensor.memory();
        Arc::new(tensor)
    }

    fn constant_slot(&mut self, tensor: &Arc<Tensor>) -> usize {
        let known = self
            .constants
            .iter()
            .position(|known| Arc::ptr_eq(known, tensor));
        known.unwrap_or_else(|| {
            self.constants.push(tensor.clone());
            self.constants.len() - 1
        })
    }

    /// The map of an operator's result, which is small enough; a temporary if it has become too deep.
    fn apply(
        &mut self,
        apply: &Apply,
        maps: &mut Maps,
        known: &[Option<Parameter>],
    ) -> Result<Box<CoordMap>, Error> {
        let map = self.mapped(apply, maps, known)?;
        self.admit(map.ty, &map.dims)?;
        if map.access.lookup_count() > MOST_LOOKUPS {
            return self.materialize(map);
        }
        Ok(map)
    }

    fn mapped(
        &mut self,
        apply: &Apply,
        maps: &mut Maps,
        known: &[Option<Parameter>],
    ) -> Result<Box<CoordMap>, Error> {
        let op = &apply.op;
        let lookup = |name: &'static str| match op.param(name) {
            None => Known::Absent,
            Some(Param::Constant(tensor)) => Known::Value(tensor),
            Some(Param::Value(id)) => match known.get(id.index()) {
                Some(Some(Parameter::Elements(tensor))) => Known::Value(tensor),
                Some(Some(Parameter::Range(_)) | None) | None => Known::Later,
            },
            Some(Param::Operand(_)) => Known::Later,
        };
        // What was constant when the program was built has been validated then; of indices that move only their type matters, below.
        if !op.selects() && op.params().any(|(_, param)| param.value().is_some()) {
            resolve::validate(op, &lookup)?;
        }
        if let Op::OnnxRange(range) = op {
            return self.range(range, &lookup).map(Box::new);
        }
        let indices = self.indices(op, maps)?;
        let Some(mut data) = apply.data.and_then(|id| maps.read(id)) else {
            return Err(Error::new(
                ErrorKind::OperandCount,
                "the data operand is missing",
            ));
        };
        op.check_data_type(data.ty)?;
        if let Op::Reshape(reshape) = op {
            let dims = resolve::reshaped(op, reshape, &lookup, &data.dims)?;
            return self.reshaped(data, &dims).map(Box::new);
        }
        let axes = resolve::axes(op, &lookup, &data.dims)?;
        admit_rank(axes.len())?;
        let Some(indices) = indices else {
            data.select(&axes, None);
            return Ok(data);
        };
        let axis = consumed_before_gather(&axes);
        let origin = Origin {
            operator: apply.label.clone(),
            node: apply.node.clone(),
            axis,
            dims: indices.dims.clone(),
        };
        admit_rank(axes.len() + indices.dims.len())?;
        let (index, dims) = self.gather(indices, data.dims[axis], origin)?;
        data.select(&axes, Some((&index, &dims)));
        Ok(data)
    }

    fn reshaped(&mut self, data: Box<CoordMap>, dims: &[usize]) -> Result<CoordMap, Error> {
        admit_rank(dims.len())?;
        if let Some(map) = data.reshape(dims) {
            return Ok(map);
        }
        // A row-major temporary takes every shape.
        let CoordMap {
            ty,
            source,
            src_len,
            ..
        } = *self.materialize(data)?;
        Ok(CoordMap::whole(ty, source, dims, src_len))
    }

    /// The map of the indices of a gather, of a type that they may have.
    fn indices(&mut self, op: &Op, maps: &mut Maps) -> Result<Option<Box<CoordMap>>, Error> {
        // Where there are indices, they are all the parameters there are.
        let Some((name, indices)) = op.params().next().filter(|_| op.selects()) else {
            return Ok(None);
        };
        let indices = match indices {
            Param::Constant(tensor) => Some(Box::new(self.constant(tensor))),
            Param::Value(id) => maps.read(*id),
            Param::Operand(_) => None,
        };
        let indices = indices
            .ok_or_else(|| Error::new(ErrorKind::OperandCount, "the indices are missing"))?;
        op.check_param_type(name, indices.ty)?;
        Ok(Some(indices))
    }

    fn range(&mut self, op: &OnnxRange, known: Params<'_>) -> Result<CoordMap, Error> {
        let (Known::Value(start), Known::Value(limit), Known::Value(delta)) =
            (known("start"), known("limit"), known("delta"))
        else {
            return Err(Error::new(
                ErrorKind::OperandValue,
                "a parameter of the Range has no value",
            ));
        };
        let [start, limit, delta] = &literal::typed(op, [start, limit, delta])?;
        let ty = start.element_type();
        let admit = |count: usize| self.admit(ty, &[count]);
        Ok(
            match range::resolve(start, limit, delta, op.dialect, &admit)? {
                range::Resolved::Formula(values, count) => {
                    CoordMap::whole(ty, Source::Range(values), &[count], count)
                }
                range::Resolved::Accumulated(tensor) => {
                    let tensor = self.own(tensor);
                    self.constant(&tensor)
                }
            },
        )
    }

    /// Writes the elements of a map to a temporary, row-major.
    fn materialize(&mut self, mut map: Box<CoordMap>) -> Result<Box<CoordMap>, Error> {
        self.compose(&mut map)?;
        let len = element_count(&map.dims)?;
        let bytes = self.temporary_bytes(byte_count(len, map.ty)?);
        let what = || format!("the temporaries between its nests take {bytes} bytes");
        self.limit.admit_temporaries(bytes, what)?;
        self.temporaries.push(Temporary {
            element_type: map.ty,
            len,
        });
        let at = self.temporaries.len() - 1;
        let source = Source::Buffer(Buffer::Scratch(at));
        let written = Box::new(CoordMap::whole(map.ty, source, &map.dims, len));
        self.nest(map, written.access.clone(), len, Some(at))?;
        Ok(written)
    }

    /// The bytes of all temporaries with one more of `bytes` bytes: those of a plan live together.
    fn temporary_bytes(&self, bytes: usize) -> usize {
        let earlier = self.temporaries.iter();
        let earlier = earlier.map(|earlier| earlier.len * earlier.element_type.size());
        earlier.fold(bytes, usize::saturating_add)
    }

    /// Adds the nest that writes a map to `dst`.
    #[expect(
        clippy::boxed_local,
        reason = "taken apart where it lies: a copy of it would be one more for each plan"
    )]
    fn nest(
        &mut self,
        map: Box<CoordMap>,
        dst: Access,
        dst_len: usize,
        scratch: Option<usize>,
    ) -> Result<(), Error> {
        if map.is_empty() || self.doomed {
            return Ok(());
        }
        let parts = Parts {
            ty: map.ty,
            extents: map.dims,
            block: 1,
            source: map.source,
            src_len: map.src_len,
            src: map.access,
            dst_len,
            dst,
        };
        let len = |buffer| self.len(buffer);
        let nest = LoopNest::new(parts, &len)?;
        // In its place before it is scheduled: either is large.
        let mut planned = Box::new(PlannedNest {
            tested: None,
            nest,
            schedule: None,
            scratch,
        });
        let constant = constant_in(&self.constants);
        if let Some(schedule) = move_::prepared(&planned.nest, &constant, &len)? {
            planned.tested = Tested::take(&mut self.steps, &schedule);
            planned.schedule = Some(schedule);
        }
        self.steps.push(Step::Nest(planned));
        Ok(())
    }

    /// Elements of a buffer.
    fn len(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Operand(at) => self.operands[at].len,
            Buffer::Constant(at) => self.constants[at].len(),
            Buffer::Scratch(at) => self.temporaries[at].len,
        }
    }

    /// The size of every intermediate result is checked, as the chain step by step would.
    fn admit(&self, ty: ElementType, dims: &[usize]) -> Result<(), Error> {
        let bytes = byte_count(element_count(dims)?, ty)?;
        self.limit.admit(bytes, || {
            format!("a result of {ty} {dims:?} takes {bytes} bytes")
        })
    }

    fn finish(mut self, mut result: Box<CoordMap>, layout: Option<&Layout>) -> Result<Plan, Error> {
        self.compose(&mut result)?;
        let (dst, output_len) = match layout {
            None => (
                Access::row_major(&result.dims),
                element_count(&result.dims)?,
            ),
            Some(layout) => {
                let len = layout_len(layout, &result.dims, result.ty)
                    .and_then(|len| expect_distinct(layout, &result.dims).map(|()| len))
                    .map_err(|error| error.of_parameter("output"))?;
                (layout_access(layout, &result.dims), len)
            }
        };
        byte_count(output_len, result.ty)?;
        let (ty, shape) = (result.ty, result.dims.clone());
        self.nest(result, dst, output_len, None)
            .map_err(|error| error.parameter("output"))?;
        Ok(Plan {
            direct: Direct::of(&self.operands, &self.steps, (ty, output_len)),
            names: self.names,
            operands: self.operands,
            constants: self.constants,
            own_constants: self.own_constants,
            temporaries: self.temporaries,
            known_cost: self.known_cost,
            steps: self.steps,
            ty,
            shape,
            output_len,
            exact_output: layout.is_none(),
        })
    }
}

/// Refuses a rank whose square, which maps take, would be no small number.
fn admit_rank(rank: usize) -> Result<(), Error> {
    if rank <= MOST_AXES {
        return Ok(());
    }
    Err(
        Error::new(ErrorKind::TooLarge, format!("a tensor of rank {rank}"))
            .value(rank)
            .allowed(format!("ranks 0..={MOST_AXES}")),
    )
}

/// The axis of the data that is gathered.
fn consumed_before_gather(axes: &[AxisIndex]) -> usize {
    axes.iter()
        .take_while(|axis| !matches!(axis, AxisIndex::Gather))
        .filter(|axis| !matches!(axis, AxisIndex::NewAxis))
        .count()
}

fn operand_map(at: usize, given: &OperandType, builder: &Builder) -> Box<CoordMap> {
    Box::new(CoordMap {
        ty: given.element_type,
        source: Source::Buffer(Buffer::Operand(at)),
        src_len: builder.operands[at].len,
        dims: given.shape[..].into(),
        access: match &given.layout {
            None => Access::row_major(&given.shape),
            Some(layout) => layout_access(layout, &given.shape),
        },
    })
}
