//! What each value of a program is needed for: to move, to decide shapes, or for both.

use super::{Program, Value};
use crate::op::ValueId;
use alloc::{vec, vec::Vec};

/// For each operand, whether its value decides shapes.
pub(super) fn parameter_operands(program: &Program) -> Vec<bool> {
    let mut result = vec![false; program.operands().len()];
    for (value, role) in program.values().iter().zip(program.roles()) {
        if let Value::Operand(at) = value {
            result[*at] |= role.parameter;
        }
    }
    result
}

/// What a value of a program is needed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    /// Its elements move to the result or select what moves.
    pub moved: bool,
    /// This many inputs of operators take them for that.
    pub reads: usize,
    /// Its elements decide shapes: they must be known.
    pub parameter: bool,
    /// An operator reads all of them to decide; other parameters are selected from first.
    pub read: bool,
}

/// What each value is needed for.
pub(super) fn roles(values: &[Value], result: ValueId) -> Vec<Role> {
    let mut roles = vec![Role::default(); values.len()];
    roles[result.index()].moved = true;
    for (at, value) in values.iter().enumerate().rev() {
        let Value::Apply(apply) = value else { continue };
        let Role {
            moved, parameter, ..
        } = roles[at];
        let mut needs = |id: ValueId, role: Role| {
            let needed = &mut roles[id.index()];
            needed.moved |= role.moved;
            needed.reads += usize::from(role.moved);
            needed.parameter |= role.parameter;
            needed.read |= role.read;
        };
        let selected = Role {
            moved,
            parameter,
            ..Role::default()
        };
        let deciding = Role {
            parameter: parameter || moved,
            read: true,
            ..Role::default()
        };
        if let Some(data) = apply.data {
            needs(data, selected);
        }
        // The indices of a gather move; every other parameter decides.
        let role = if apply.op.selects() {
            selected
        } else {
            deciding
        };
        for id in apply.op.params().filter_map(|(_, param)| param.value()) {
            needs(id, role);
        }
    }
    roles
}
