//! Nodes of an ONNX graph, as operators.
//!
//! Decided here: which operators are understood, which inputs and attributes each version of one has, and of what kind those are.
//! Their *values* go to the builders untouched; the rules about them are the library's. What a version lacks is refused by the
//! operator, with its name and version, as the library refuses.

use super::Importer;
use super::proto::{AttributeProto, NodeProto, attribute_type as ty};
use crate::error::{Fault, Result};
use crate::import::refusal;
use crate::import::value::Value;
use std::collections::HashSet;
use xslice::{
    ElementType, Error, ErrorKind, Gather, Op, Param, Range, Reshape, ReshapeRule, Slice, Tensor,
    refuse_later, refuse_missing, refuse_twice, refuse_type,
};

/// The operators that are understood.
const OPERATORS: [&str; 8] = [
    "Slice",
    "Gather",
    "Range",
    "Identity",
    "Constant",
    "Reshape",
    "Squeeze",
    "Unsqueeze",
];

/// The versions of the operators that only rename elements.
const RESHAPE: &[u32] = &[1, 5, 13, 14, 19, 21, 23, 24, 25];
const SQUEEZE: &[u32] = &[1, 11, 13, 21, 23, 24, 25];
const IDENTITY: &[u32] = &[1, 13, 14, 16, 19, 21, 23, 24, 25];
const CONSTANT: &[u32] = &[1, 9, 11, 12, 13, 19, 21, 23, 24, 25];

/// Parameters that were attributes and became inputs: the operator, the version that made them inputs, their names.
const BECAME_INPUTS: [(&str, u32, &[&str]); 4] = [
    ("Slice", 10, &["starts", "ends", "axes"]),
    ("Reshape", 5, &["shape"]),
    ("Squeeze", 13, &["axes"]),
    ("Unsqueeze", 13, &["axes"]),
];

/// Whether a node is an operator of ONNX that xslice compiles; `functions` are those that the model defines itself.
pub fn is_understood(node: &NodeProto, functions: &HashSet<(String, String)>) -> bool {
    let name = (
        super::default_domain(node.domain.clone()),
        node.op_type.clone(),
    );
    name.0.is_empty() && OPERATORS.contains(&name.1.as_str()) && !functions.contains(&name)
}

/// What exporters of models write for data movement, and how to get operators that are understood.
fn way_around(domain: &str, op_type: &str) -> &'static str {
    match op_type {
        _ if domain != "onnx" => "`xslice explain` shows the parts of a model that move data",
        "Shape" | "Size" | "Cast" | "Concat" | "ConstantOfShape" | "Add" | "Sub" | "Mul"
        | "Div" => {
            "where it computes with shapes and constants only, a simplifier such as `onnxslim` folds it away"
        }
        "GatherND" => {
            "of torch, `torch.index_select` is exported as Gather, and any indexing is with `dynamo=False`"
        }
        "Split" => "slices one by one, such as `x[:, :4]`, are exported as Slice",
        _ => "`xslice explain` shows the parts of a model that move data",
    }
}

/// Whether an operator that is understood moves elements, rather than renames them.
pub fn moves(node: &NodeProto) -> bool {
    ["Slice", "Gather", "Range"].contains(&node.op_type.as_str())
}

impl Importer<'_> {
    /// Refuses an operator that xslice does not compile.
    pub fn in_scope(&self, node: &NodeProto, label: &str) -> Result<(), Fault> {
        if is_understood(node, &self.functions) {
            return Ok(());
        }
        let name = (
            super::default_domain(node.domain.clone()),
            node.op_type.clone(),
        );
        let is_function = self.functions.contains(&name);
        let (domain, op_type) = name;
        let domain = if domain.is_empty() { "onnx" } else { &domain };
        if is_function {
            let what = format!(
                "the model defines `{}::{}` itself, as a function, and functions are not compiled; \
                 `onnx.inliner.inline_local_functions` of Python puts their nodes in their place",
                domain.escape_debug(),
                op_type.escape_debug()
            );
            return Err(Fault::outside_scope(Some(label), what));
        }
        let operator = format!("{domain}::{op_type}");
        let way = format!("; {}", way_around(domain, &op_type));
        Err(refusal::not_compiled(label, &operator, &OPERATORS, &way))
    }

    /// Adds a node and defines its result.
    pub fn node(&mut self, proto: NodeProto, label: &str) -> Result<()> {
        let mut node = Node {
            inputs: self.inputs(&proto, label)?,
            operator: format!("onnx::{}", proto.op_type),
            label,
            opset: self.opset,
            proto: &proto,
        };
        let value = match proto.op_type.as_str() {
            "Slice" => self.slice(&mut node)?,
            "Gather" => self.gather(&mut node)?,
            "Range" => self.range(&mut node)?,
            "Identity" => {
                node.has(IDENTITY, self.opset, 1, &[])?;
                let value = node.required(0, "input")?;
                let version = newest(IDENTITY, self.opset);
                node.takes_type("input", version, value.element_type())?;
                value
            }
            "Constant" => self.constant(&mut node)?,
            "Reshape" => self.reshape(&mut node)?,
            "Squeeze" | "Unsqueeze" => self.squeeze(&mut node)?,
            // `in_scope` let nothing else pass.
            other => return Err(Fault::outside_scope(Some(label), other).into()),
        };
        node.one_output()?;
        match proto.output.into_iter().next() {
            Some(name) if !name.is_empty() => self.define(name, value, Some(label)),
            _ => Ok(()),
        }
    }

    /// The values of the inputs, without optional ones left out at the end.
    fn inputs(&self, proto: &NodeProto, label: &str) -> Result<Vec<Option<Value>>, Fault> {
        let mut inputs = Vec::with_capacity(proto.input.len());
        for name in &proto.input {
            inputs.push(match self.values.get(name) {
                _ if name.is_empty() => None,
                Some(value) => Some(*value),
                None => {
                    let what = format!(
                        "input `{}` is no graph input, no initializer and no result of a node above",
                        name.escape_debug()
                    );
                    return Err(Fault::model(Some(label), what));
                }
            });
        }
        while inputs.last().is_some_and(Option::is_none) {
            inputs.pop();
        }
        Ok(inputs)
    }

    fn slice(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let version = node.version(self.opset)?;
        let mut op = Slice::onnx(version).dialect(self.dialect);
        let params: [Option<Param>; 4] = if version == 1 {
            node.takes(1, &["starts", "ends", "axes"])?;
            let list = |name| Ok::<_, Fault>(node.ints(name)?.map(Param::from));
            [list("starts")?, list("ends")?, list("axes")?, None]
        } else {
            node.takes(5, &[])?;
            [1, 2, 3, 4].map(|at| node.param(at))
        };
        let [starts, ends, axes, steps] = params;
        op = given(op, starts, xslice::OnnxSlice::starts);
        op = given(op, ends, xslice::OnnxSlice::ends);
        op = given(op, axes, xslice::OnnxSlice::axes);
        op = given(op, steps, xslice::OnnxSlice::steps);
        self.apply(op, node)
    }

    fn gather(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let version = node.version(self.opset)?;
        node.takes(2, &["axis"])?;
        let mut op = Gather::onnx(version).dialect(self.dialect);
        if let Some(axis) = node.int("axis")? {
            op = op.axis(axis);
        }
        op = given(op, node.param(1), xslice::OnnxGather::indices);
        self.apply(op, node)
    }

    fn range(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let version = node.version(self.opset)?;
        node.takes(3, &[])?;
        let mut op = Range::onnx(version).dialect(self.dialect);
        op = given(op, node.param(0), xslice::OnnxRange::start);
        op = given(op, node.param(1), xslice::OnnxRange::limit);
        op = given(op, node.param(2), xslice::OnnxRange::delta);
        Ok(self.builder.apply(op, None, node.label)?)
    }

    fn apply(&mut self, op: impl Into<Op>, node: &Node<'_>) -> Result<Value> {
        let data = node.inputs.first().copied().flatten();
        Ok(self.builder.apply(op, data, node.label)?)
    }

    fn reshape(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let version = newest(RESHAPE, self.opset);
        let mut zero_copies = true;
        let shape = if version == 1 {
            // `consumed_inputs` was advice about memory.
            node.has(RESHAPE, self.opset, 1, &["shape", "consumed_inputs"])?;
            node.ints("shape")?.map(Param::from)
        } else {
            let known: &[_] = if version < 14 { &[] } else { &["allowzero"] };
            node.has(RESHAPE, self.opset, 2, known)?;
            zero_copies = node.int("allowzero")?.unwrap_or(0) == 0;
            node.param(1)
        };
        let rule = ReshapeRule::Reshape { zero_copies };
        let op = Reshape::new(node.operator.clone(), rule, shape);
        self.apply(op.onnx(version), node)
    }

    fn squeeze(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let rule = if node.proto.op_type == "Squeeze" {
            ReshapeRule::Squeeze {
                keeps_others: false,
            }
        } else {
            ReshapeRule::Unsqueeze
        };
        let version = newest(SQUEEZE, self.opset);
        let axes = if version < 13 {
            node.has(SQUEEZE, self.opset, 1, &["axes"])?;
            node.ints("axes")?.map(Param::from)
        } else {
            node.has(SQUEEZE, self.opset, 2, &[])?;
            node.param(1)
        };
        let op = Reshape::new(node.operator.clone(), rule, axes);
        self.apply(op.onnx(version), node)
    }

    fn constant(&mut self, node: &mut Node<'_>) -> Result<Value> {
        let version = newest(CONSTANT, self.opset);
        let known: &[_] = match version {
            ..11 => &["value"],
            11 => &["value", "sparse_value"],
            12.. => &[
                "value",
                "sparse_value",
                "value_int",
                "value_ints",
                "value_float",
                "value_floats",
                "value_string",
                "value_strings",
            ],
        };
        node.has(CONSTANT, self.opset, 0, known)?;
        let [attribute] = &node.proto.attribute[..] else {
            let count = node.proto.attribute.len();
            let kind = if count == 0 {
                ErrorKind::MissingAttribute
            } else {
                ErrorKind::RepeatedAttribute
            };
            let text = format!("{count} values are given");
            return Err(node
                .refuse(Error::new(kind, text).value(count).allowed("one value"))
                .into());
        };
        if attribute.name == "sparse_value" {
            let dense: Vec<_> = known
                .iter()
                .copied()
                .filter(|name| *name != "sparse_value")
                .collect();
            let what = format!(
                "attribute `sparse_value` holds a sparse tensor (allowed: {})",
                dense.join(", ")
            );
            return Err(Fault::outside_scope(Some(node.label), what).into());
        }
        let tensor = match attribute.name.as_str() {
            "value" => {
                let proto = node.typed(attribute, ty::TENSOR)?.t.clone();
                let tensor = self.constants.tensor(proto.unwrap_or_default());
                tensor.map_err(|error| error.within("node", node.label))?
            }
            _ => node.plain(attribute)?,
        };
        node.takes_type("value", version, Some(tensor.element_type()))?;
        Ok(self.builder.constant(tensor))
    }
}

/// `op` with a parameter set, if that is given.
fn given<T>(op: T, param: Option<Param>, set: impl FnOnce(T, Param) -> T) -> T {
    match param {
        Some(param) => set(op, param),
        None => op,
    }
}

/// The newest version not above the operator set; every list begins with 1.
fn newest(versions: &[u32], opset: u32) -> u32 {
    let found = versions.iter().rev().find(|&&version| version <= opset);
    found.copied().unwrap_or(1)
}

/// A node with its inputs looked up.
struct Node<'a> {
    proto: &'a NodeProto,
    label: &'a str,
    opset: u32,
    /// What refusals call the operator: `onnx::Slice@13` once its version is known.
    operator: String,
    inputs: Vec<Option<Value>>,
}

impl Node<'_> {
    fn refuse(&self, error: Error) -> Fault {
        error
            .operator(self.operator.clone())
            .node(self.label)
            .into()
    }

    /// The version of one of the library's operators at this operator set.
    fn version(&mut self, opset: u32) -> Result<u32, Fault> {
        let Some(version) = Op::version_at(&self.operator, opset) else {
            let first = Op::versions(&self.operator).and_then(|v| v.first());
            let first = first.copied().unwrap_or_default();
            let text = format!("the operator does not exist in operator set {opset}");
            return Err(self.refuse(
                Error::new(ErrorKind::UnknownVersion, text)
                    .value(opset)
                    .allowed(format!("{first} and above")),
            ));
        };
        self.operator = format!("{}@{version}", self.operator);
        Ok(version)
    }

    /// For the other operators: the version, then [`Node::takes`].
    fn has(
        &mut self,
        versions: &[u32],
        opset: u32,
        inputs: usize,
        attributes: &[&str],
    ) -> Result<(), Fault> {
        self.operator = format!("{}@{}", self.operator, newest(versions, opset));
        self.takes(inputs, attributes)
    }

    /// Refuses more inputs, other attributes, and attributes given twice.
    fn takes(&self, inputs: usize, attributes: &[&str]) -> Result<(), Fault> {
        if self.inputs.len() > inputs {
            let error = refusal::too_many_inputs(self.inputs.len(), inputs);
            let hint = self
                .became_inputs()
                .filter(|&(since, _)| self.opset < since);
            return Err(self.refuse(match hint {
                Some((since, names)) => error.hint(format!(
                    "below version {since}, {} are attributes: give them as such, or import operator set {since} or above",
                    names.join(", ")
                )),
                None => error,
            }));
        }
        for (at, attribute) in self.proto.attribute.iter().enumerate() {
            let name = &attribute.name;
            if !attributes.contains(&name.as_str()) {
                return Err(self.refuse(self.unknown(name, attributes)));
            }
            if self.proto.attribute[..at].iter().any(|a| a.name == *name) {
                return Err(self.refuse(refuse_twice(name.clone())));
            }
        }
        Ok(())
    }

    /// Refuses what `parameter` holds, where that is known and of a type that came later. Of operators that are compiled, the library does.
    fn takes_type(
        &self,
        parameter: &'static str,
        version: u32,
        ty: Option<ElementType>,
    ) -> Result<(), Fault> {
        let refused = ty.and_then(|ty| refuse_type(version, ty));
        refused.map_or(Ok(()), |error| Err(self.refuse(error.parameter(parameter))))
    }

    /// The version from which on parameters of the operator are inputs, and their names.
    fn became_inputs(&self) -> Option<(u32, &'static [&'static str])> {
        let mut found = BECAME_INPUTS.into_iter();
        let (_, since, names) = found.find(|(name, ..)| *name == self.proto.op_type)?;
        Some((since, names))
    }

    /// The refusal of an attribute that is none of `known`.
    fn unknown(&self, name: &str, known: &[&str]) -> Error {
        let operator = self.operator.split_once('@');
        let later = operator
            .and_then(|(operator, version)| refuse_later(operator, version.parse().ok()?, name));
        later.unwrap_or_else(|| {
            let error = refusal::unknown_attribute(name, known, " in this version");
            match self.became_inputs() {
                Some((since, names)) if names.contains(&name) => error.hint(format!(
                    "since version {since} it is an input: give it as one, or import an operator set below {since}"
                )),
                Some(_) | None => error,
            }
        })
    }

    fn one_output(&self) -> Result<(), Fault> {
        match refusal::too_many_outputs(self.proto.output.len()) {
            None => Ok(()),
            Some(error) => Err(self.refuse(error)),
        }
    }

    fn param(&self, at: usize) -> Option<Param> {
        let value = self.inputs.get(at).copied().flatten()?;
        Some(value.into())
    }

    fn required(&self, at: usize, name: &'static str) -> Result<Value, Fault> {
        let value = self.inputs.get(at).copied().flatten();
        value.ok_or_else(|| self.refuse(refuse_missing(name)))
    }

    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.proto.attribute.iter().find(|a| a.name == name)
    }

    fn int(&self, name: &str) -> Result<Option<i64>, Fault> {
        let Some(attribute) = self.attribute(name) else {
            return Ok(None);
        };
        // The format leaves a number out where it is 0.
        Ok(Some(self.typed(attribute, ty::INT)?.i.unwrap_or(0)))
    }

    fn ints(&self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        match self.attribute(name) {
            Some(attribute) => Ok(Some(self.typed(attribute, ty::INTS)?.ints.clone())),
            None => Ok(None),
        }
    }

    /// The attribute, if it is of the kind `wanted` and holds nothing of another.
    fn typed<'b>(
        &self,
        attribute: &'b AttributeProto,
        wanted: i32,
    ) -> Result<&'b AttributeProto, Fault> {
        let name = attribute.name.clone();
        if !attribute.ref_attr_name.is_empty() {
            let what = format!("attribute `{name}` refers to an attribute of a function");
            return Err(Fault::outside_scope(Some(self.label), what));
        }
        let filled = filled(attribute);
        // An old writer does not say which kind it is.
        let found = match attribute.r#type {
            0 => filled.first().copied().unwrap_or(0),
            kind => kind,
        };
        let empty_list = found == 0 && matches!(wanted, ty::FLOATS | ty::INTS | ty::STRINGS);
        let other = filled.into_iter().find(|&kind| kind != found);
        let (found, is_wanted) = (kind_name(found), found == wanted || empty_list);
        let (text, value, allowed) = if !is_wanted {
            (format!("holds {found}"), found, kind_name(wanted))
        } else if let Some(other) = other.map(kind_name) {
            (format!("is {found} and holds {other}"), other, found)
        } else {
            return Ok(attribute);
        };
        Err(self.refuse(
            Error::new(
                ErrorKind::ParameterType,
                format!("attribute `{name}` {text}"),
            )
            .parameter(name)
            .value(value)
            .allowed(allowed),
        ))
    }

    /// A constant in one of the plain forms.
    fn plain(&self, attribute: &AttributeProto) -> Result<Tensor, Fault> {
        let text = |bytes: &[u8]| {
            String::from_utf8(bytes.to_vec()).map_err(|_| {
                Fault::Format("a string is not UTF-8".into()).within("node", self.label)
            })
        };
        let a = |wanted| self.typed(attribute, wanted);
        Ok(match attribute.name.as_str() {
            "value_int" => Tensor::scalar(a(ty::INT)?.i.unwrap_or(0)),
            "value_float" => Tensor::scalar(a(ty::FLOAT)?.f.unwrap_or(0.0)),
            "value_string" => Tensor::scalar(text(a(ty::STRING)?.s.as_deref().unwrap_or(&[]))?),
            "value_ints" => Tensor::vector(&a(ty::INTS)?.ints),
            "value_floats" => {
                let values = &a(ty::FLOATS)?.floats;
                Tensor::new(&[values.len()], values)?
            }
            _ => {
                let strings = &a(ty::STRINGS)?.strings;
                let strings: Vec<_> = strings.iter().map(|s| text(s)).collect::<Result<_, _>>()?;
                Tensor::from_strings(&[strings.len()], strings)?
            }
        })
    }
}

/// The kinds whose fields an attribute fills. The format leaves a field out where it is empty, and a writer may leave out a 0.
fn filled(attribute: &AttributeProto) -> Vec<i32> {
    let fields = [
        (attribute.f.is_some(), ty::FLOAT),
        (attribute.i.is_some(), ty::INT),
        (attribute.s.is_some(), ty::STRING),
        (attribute.t.is_some(), ty::TENSOR),
        (!attribute.floats.is_empty(), ty::FLOATS),
        (!attribute.ints.is_empty(), ty::INTS),
        (!attribute.strings.is_empty(), ty::STRINGS),
    ];
    let filled = fields.into_iter().filter(|(is_filled, _)| *is_filled);
    filled.map(|(_, kind)| kind).collect()
}

fn kind_name(kind: i32) -> &'static str {
    match kind {
        ty::FLOAT => "a float",
        ty::INT => "an integer",
        ty::STRING => "a string",
        ty::TENSOR => "a tensor",
        ty::FLOATS => "a list of floats",
        ty::INTS => "a list of integers",
        ty::STRINGS => "a list of strings",
        0 => "nothing",
        _ => "a graph or another kind",
    }
}
