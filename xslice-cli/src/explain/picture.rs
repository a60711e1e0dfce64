//! What a picture shows: a sample of the result, and where each of its elements lies in the source.
//!
//! Decided here: which panels, rows and columns of a large array are shown. Positions are those of the plan, so a picture shows what
//! the engines do. Not decided here: how it looks.

use crate::coordinates::coordinates;
use crate::error::{Fault, Result};
use crate::request::{Known, Request};
use std::collections::BTreeSet;
use xslice::ir::{Access, Buffer, Check, LoopNest, Source};
use xslice::{ElementType, Plan, element_count, is_index_outside};

/// An axis of the result with more than this is shown by its beginning and its end.
const MOST_RESULT: usize = 14;

/// The same for the source, which also shows what the result takes.
const MOST_SOURCE: usize = 16;

/// Panels of the result, and of the source.
const MOST_PANELS: usize = 3;

/// An array as panels of its last two axes.
pub struct Board {
    /// Name, type and shape.
    pub title: String,
    /// What is shown of it.
    pub panels: Vec<Panel>,
    /// Panels that there are.
    pub all_panels: usize,
}

/// Some rows and columns at fixed outer coordinates.
pub struct Panel {
    /// The outer coordinates.
    pub outer: Vec<usize>,
    /// What is shown of the last axis but one.
    pub rows: Axis,
    /// What is shown of the last axis.
    pub columns: Axis,
    /// What lies in the cells, by row and column as shown.
    pub cells: Vec<Vec<Vec<Taken>>>,
}

/// Coordinates of an axis that are shown, in order; the first and the last always are.
#[derive(Clone)]
pub struct Axis {
    /// The coordinates.
    pub shown: Vec<usize>,
}

/// An element of the result.
#[derive(Clone)]
pub struct Taken {
    /// Its row-major position in the result.
    pub order: usize,
    /// Its position in the source, where that is known.
    place: Option<usize>,
    /// Where among the shown ones it comes, from 0 to 1.
    pub tone: f64,
    /// Where it comes from and goes to.
    pub path: String,
}

/// A result beside its source.
pub struct Picture {
    /// The source; `None` where nothing is read.
    pub source: Option<Board>,
    /// The result.
    pub result: Board,
    /// What the picture does not show.
    pub notes: Vec<String>,
}

/// The picture of a plan with at most one nest.
///
/// # Errors
/// A plan of several nests, an index outside its axis.
pub fn picture(request: &Request<'_>, plan: &Plan, name: &str) -> Result<Picture> {
    let nests: Vec<_> = plan.nests().collect();
    let nest = match nests[..] {
        [] => None,
        [planned] => Some(planned),
        _ => {
            let what = format!(
                "`{name}` is computed by {} nests with temporaries between, and a picture is of one; draw its parts as texts",
                nests.len()
            );
            return Err(Fault::outside_scope(None, what).into());
        }
    };
    let places = Places { request, plan };
    places.check()?;
    let source = nest.and_then(|planned| places.source(planned.nest()));
    let known = nest.is_none_or(|planned| places.knows(planned.nest().src()));
    let mut notes = Vec::new();
    if !known {
        notes.push("Which elements are taken is read from a table at run time; --input NAME=FILE draws them.".into());
    }
    let result = Array {
        name: name.into(),
        ty: plan.element_type(),
        dims: plan.shape().to_vec(),
    };
    let grid = Grid::new(&result.dims);
    let axes = [0, 1].map(|side| grid.ends(side));
    let panels: Vec<_> = (0..grid.panels.min(MOST_PANELS)).collect();
    let place = |order| match (nest, &source) {
        (Some(planned), Some(_)) if known => places.place(planned.nest(), order),
        _ => None,
    };
    let taken = elements(
        &grid.positions(&panels, &axes),
        &result,
        source.as_ref(),
        &place,
    );
    let drawn = board(&result, &grid, &panels, &axes, &|position| {
        let found = taken.iter().filter(|taken| taken.order == position);
        found.cloned().collect()
    });
    let source = source.map(|source| {
        let wanted: Vec<_> = taken.iter().filter_map(|taken| taken.place).collect();
        let grid = Grid::new(&source.dims);
        let (panels, axes) = grid.around(&wanted);
        board(&source, &grid, &panels, &axes, &|position| {
            let found = taken.iter().filter(|taken| taken.place == Some(position));
            found.cloned().collect()
        })
    });
    Ok(Picture {
        source,
        result: drawn,
        notes,
    })
}

/// An array that is drawn.
struct Array {
    name: String,
    ty: ElementType,
    dims: Vec<usize>,
}

/// The elements of the result at these positions.
fn elements(
    positions: &[usize],
    result: &Array,
    source: Option<&Array>,
    place: &dyn Fn(usize) -> Option<usize>,
) -> Vec<Taken> {
    let last = positions.len().saturating_sub(1).max(1) as f64;
    let element = |(at, &order): (usize, &usize)| {
        let place = place(order);
        let at_of = |array: &Array, position| {
            format!("{}{:?}", array.name, coordinates(&array.dims, position))
        };
        let to = at_of(result, order);
        let path = match (source, place) {
            (Some(source), Some(place)) => format!("{} → {to}", at_of(source, place)),
            _ => to,
        };
        Taken {
            order,
            place,
            tone: at as f64 / last,
            path,
        }
    };
    positions.iter().enumerate().map(element).collect()
}

fn board(
    array: &Array,
    grid: &Grid<'_>,
    panels: &[usize],
    [rows, columns]: &[Axis; 2],
    at: &dyn Fn(usize) -> Vec<Taken>,
) -> Board {
    let row = |panel, row| {
        let cells = columns.shown.iter();
        cells
            .map(|&column| at(grid.position(panel, row, column)))
            .collect()
    };
    let panels = panels.iter().map(|&panel| Panel {
        outer: coordinates(grid.outer, panel),
        rows: rows.clone(),
        columns: columns.clone(),
        cells: rows.shown.iter().map(|&at| row(panel, at)).collect(),
    });
    Board {
        title: format!("{}: {} {:?}", array.name, array.ty, array.dims),
        panels: panels.collect(),
        all_panels: grid.panels,
    }
}

/// A shape as panels of rows and columns.
struct Grid<'a> {
    outer: &'a [usize],
    panels: usize,
    sides: [usize; 2],
}

impl<'a> Grid<'a> {
    fn new(shape: &'a [usize]) -> Self {
        let (outer, sides) = match shape {
            [] => (shape, [1, 1]),
            [columns] => (&shape[..0], [1, *columns]),
            [outer @ .., rows, columns] => (outer, [*rows, *columns]),
        };
        Self {
            outer,
            panels: element_count(outer).unwrap_or(usize::MAX),
            sides,
        }
    }

    fn position(&self, panel: usize, row: usize, column: usize) -> usize {
        (panel * self.sides[0] + row) * self.sides[1] + column
    }

    /// All positions that panels of these axes show.
    fn positions(&self, panels: &[usize], [rows, columns]: &[Axis; 2]) -> Vec<usize> {
        let mut positions = Vec::new();
        for &panel in panels {
            for &row in &rows.shown {
                let columns = columns.shown.iter();
                positions.extend(columns.map(|&column| self.position(panel, row, column)));
            }
        }
        positions
    }

    /// The beginning and the end of a side.
    fn ends(&self, side: usize) -> Axis {
        let (dim, most) = (self.sides[side], MOST_RESULT);
        let shown = if dim <= most {
            (0..dim).collect()
        } else {
            (0..most / 2).chain(dim - 2..dim).collect()
        };
        Axis { shown }
    }

    /// The panels and axes that show these positions, as many as there is room for.
    fn around(&self, positions: &[usize]) -> (Vec<usize>, [Axis; 2]) {
        let panel_of = |position: usize| position / (self.sides[0] * self.sides[1]).max(1);
        let mut panels = BTreeSet::new();
        if self.panels <= MOST_PANELS {
            panels.extend(0..self.panels);
        }
        for &position in positions {
            if panels.len() < MOST_PANELS {
                panels.insert(panel_of(position));
            }
        }
        if panels.is_empty() && self.panels > 0 {
            panels.insert(0);
        }
        let shown: Vec<_> = positions
            .iter()
            .filter(|&&at| panels.contains(&panel_of(at)))
            .collect();
        let rows = shown
            .iter()
            .map(|&&at| at / self.sides[1].max(1) % self.sides[0].max(1));
        let columns = shown.iter().map(|&&at| at % self.sides[1].max(1));
        let axes = [
            sample(self.sides[0], &rows.collect::<Vec<_>>()),
            sample(self.sides[1], &columns.collect::<Vec<_>>()),
        ];
        (panels.into_iter().collect(), axes)
    }
}

/// Coordinates of an axis: those wanted, both ends, and neighbours while there is room.
fn sample(dim: usize, wanted: &[usize]) -> Axis {
    if dim <= MOST_SOURCE {
        return Axis {
            shown: (0..dim).collect(),
        };
    }
    let mut shown = BTreeSet::from([0, dim - 1]);
    let neighbours = wanted.iter().flat_map(|&at| [at.saturating_sub(1), at + 1]);
    let fill = 0..MOST_SOURCE / 2;
    for at in wanted.iter().copied().chain(neighbours).chain(fill) {
        if shown.len() >= MOST_SOURCE {
            break;
        }
        if at < dim {
            shown.insert(at);
        }
    }
    Axis {
        shown: shown.into_iter().collect(),
    }
}

/// Where elements lie.
struct Places<'a> {
    request: &'a Request<'a>,
    plan: &'a Plan,
}

impl Places<'_> {
    /// What a nest reads; `None` for a Range.
    fn source(&self, nest: &LoopNest) -> Option<Array> {
        let (name, (ty, dims)) = match nest.source() {
            Source::Range(_) | Source::Buffer(Buffer::Scratch(_)) => return None,
            Source::Buffer(Buffer::Operand(at)) => (
                self.request.model.inputs.get(at)?.name.clone(),
                self.request.operands.get(at)?.type_and_shape(),
            ),
            Source::Buffer(Buffer::Constant(at)) => {
                let tensor = self.plan.constants().get(at)?;
                ("constant".into(), (tensor.element_type(), tensor.shape()))
            }
        };
        Some(Array {
            name,
            ty,
            dims: dims.to_vec(),
        })
    }

    /// Whether every table of an access has values.
    fn knows(&self, access: &Access) -> bool {
        access.lookups.iter().all(|lookup| {
            let given = match lookup.table {
                Buffer::Constant(_) => true,
                Buffer::Scratch(_) => false,
                Buffer::Operand(at) => {
                    matches!(self.request.operands.get(at), Some(Known::Value(_)))
                }
            };
            given && self.knows(&lookup.access)
        })
    }

    /// Refuses, as a run would, the first index outside its axis where the tables have values.
    fn check(&self) -> Result<()> {
        let refusal = self.plan.checks().find_map(|check| self.first_bad(check));
        refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    fn first_bad(&self, check: &Check) -> Option<xslice::Error> {
        let count = element_count(check.extents()).unwrap_or(usize::MAX);
        for flat in 0..count {
            let counters = coordinates(check.extents(), flat);
            let at = self.position(check.access(), &counters);
            let index = self.index(check.table(), at)?;
            if is_index_outside(index, check.size()) {
                return Some(check.refuse(index, flat));
            }
        }
        None
    }

    /// The position in the source of element `order` of the result; `None` if no turn of the nest writes it.
    fn place(&self, nest: &LoopNest, order: usize) -> Option<usize> {
        let dst = nest.dst();
        let mut rest = order as i64 - dst.offset;
        let mut counters = vec![0; nest.extents().len()];
        // A result is written once (I4), so the largest stride that fits is the loop that wrote it.
        let mut loops: Vec<_> = (0..counters.len()).collect();
        loops.sort_by_key(|&k| std::cmp::Reverse(dst.strides[k].unsigned_abs()));
        for k in loops {
            let (stride, extent) = (dst.strides[k], nest.extents()[k] as i64);
            if stride > 0 {
                let turn = (rest / stride).clamp(0, extent - 1);
                counters[k] = turn as usize;
                rest -= turn * stride;
            }
        }
        if !(0..nest.block() as i64).contains(&rest) {
            return None;
        }
        usize::try_from(self.position(nest.src(), &counters) + rest).ok()
    }

    fn position(&self, access: &Access, counters: &[usize]) -> i64 {
        access.position(counters, &|lookup, at| {
            self.index(lookup.table, at).unwrap_or(0)
        })
    }

    fn index(&self, table: Buffer, at: i64) -> Option<i64> {
        let at = usize::try_from(at).ok()?;
        match table {
            Buffer::Constant(constant) => self.plan.constants().get(constant)?.integer(at),
            Buffer::Operand(operand) => match self.request.operands.get(operand)? {
                Known::Value(tensor) => tensor.integer(at),
                Known::Type(..) => None,
            },
            Buffer::Scratch(_) => None,
        }
    }
}
