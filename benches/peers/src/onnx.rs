//! Workloads as ONNX models. Everything that a run-time could fold into a constant is an input.

use crate::forms::{Array, Form, Pick, Step};
use xslice::ElementType;
use xslice_cli::onnx::{
    AttributeProto, GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    ValueInfoProto,
};
use xslice_cli::type_number;

/// The model of a workload: from `x` and `ids`, or from `start`, `limit` and `delta`, to `y`.
#[must_use]
pub fn model(form: &Form) -> Vec<u8> {
    let mut graph = Graph::default();
    let mut inputs = Vec::new();
    if form.range.is_some() {
        let names = ["start", "limit", "delta"];
        let scalar = Array {
            ty: form.part.ty,
            shape: Vec::new(),
        };
        inputs.extend(names.map(|name| value(name, &scalar)));
        graph.node("Range", names.map(String::from).to_vec(), "y", None);
    }
    inputs.extend(form.x.as_ref().map(|x| value("x", x)));
    inputs.extend(form.ids.as_ref().map(|ids| value("ids", ids)));
    match form.chains.as_slice() {
        [] => {}
        [chain] => graph.chain(chain, "y"),
        chains => {
            let parts: Vec<_> = (0..chains.len()).map(|at| format!("part{at}")).collect();
            for (chain, part) in chains.iter().zip(&parts) {
                graph.chain(chain, part);
            }
            graph.node("Concat", parts, "y", Some(0));
        }
    }
    let graph = GraphProto {
        name: form.name.into(),
        input: inputs,
        output: vec![value("y", &form.output())],
        node: graph.nodes,
        initializer: graph.constants,
        ..GraphProto::default()
    };
    let opset = OperatorSetIdProto {
        domain: String::new(),
        version: 13,
    };
    let model = ModelProto {
        ir_version: 8,
        opset_import: vec![opset],
        graph: Some(graph),
        ..ModelProto::default()
    };
    model.encode_to_vec()
}

fn value(name: &str, array: &Array) -> ValueInfoProto {
    let dims: Vec<_> = array.shape.iter().map(|dim| (*dim as i64).into()).collect();
    ValueInfoProto::tensor(name, type_number(array.ty), &dims)
}

#[derive(Default)]
struct Graph {
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
}

impl Graph {
    fn node(&mut self, operator: &str, inputs: Vec<String>, output: &str, axis: Option<usize>) {
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let mut node = NodeProto::new(operator, output, &inputs, &[output]);
        let axis = axis.map(|axis| AttributeProto::int("axis", axis as i64));
        node.attribute.extend(axis);
        self.nodes.push(node);
    }

    fn constant(&mut self, shape: &[usize], values: &[i64]) -> String {
        let name = format!("constant{}", self.constants.len());
        let proto = TensorProto {
            name: name.clone(),
            dims: shape.iter().map(|dim| *dim as i64).collect(),
            data_type: type_number(ElementType::I64),
            int64_data: values.to_vec(),
            ..TensorProto::default()
        };
        self.constants.push(proto);
        name
    }

    fn chain(&mut self, chain: &[Step], result: &str) {
        let mut from = String::from("x");
        for (at, step) in chain.iter().enumerate() {
            let to = if at + 1 == chain.len() {
                result.to_string()
            } else {
                format!("{result}_{at}")
            };
            match step {
                Step::Take(axis) => {
                    self.node("Gather", vec![from, "ids".into()], &to, Some(*axis));
                }
                Step::Slice(picks) => self.slice(picks, from, &to),
            }
            from = to;
        }
    }

    fn slice(&mut self, picks: &[Pick], from: String, to: &str) {
        // The one workload that drops an axis does nothing else.
        if let Some((axis, at)) = picks
            .iter()
            .enumerate()
            .find_map(|(axis, pick)| match pick {
                Pick::One(at) => Some((axis, *at)),
                Pick::Part { .. } => None,
            })
        {
            let index = self.constant(&[], &[at as i64]);
            self.node("Gather", vec![from, index], to, Some(axis));
            return;
        }
        let mut columns = [const { Vec::new() }; 4];
        for (axis, pick) in picks.iter().enumerate() {
            if let Pick::Part { start, len, step } = *pick {
                let end = Pick::end(start, len, step).map_or(i64::MIN, |end| end as i64);
                let row = [start as i64, end, axis as i64, step as i64];
                columns
                    .iter_mut()
                    .zip(row)
                    .for_each(|(column, value)| column.push(value));
            }
        }
        let mut inputs = vec![from];
        for column in columns {
            inputs.push(self.constant(&[column.len()], &column));
        }
        self.node("Slice", inputs, to, None);
    }
}
