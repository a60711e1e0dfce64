//! Result coordinate to source coordinate, for a value of a program; composes.
//!
//! A [`CoordMap`] says for every coordinate of a result at which position of the source its element lies: an [`Access`] with one counter
//! an axis. Applying an operator substitutes counters, so a chain of any length is one map. What no such map expresses (a reshape of
//! axes that different tables drive) is answered with `None`, and the caller ends the chain.

use crate::access::{Access, Counter, Names, Replacement, Shown};
use crate::elem::ElementType;
use crate::list::List;
use crate::nest::Source;
use crate::resolve::AxisIndex;
use alloc::{vec, vec::Vec};
use core::fmt;

/// Where each element of a value comes from.
#[derive(Clone, Debug)]
pub(crate) struct CoordMap {
    pub ty: ElementType,
    pub source: Source,
    /// Elements of the source's buffer, or values of a Range.
    pub src_len: usize,
    /// The shape of the value.
    pub dims: List<usize>,
    /// Position in the source, one counter an axis of `dims`.
    pub access: Access,
}

/// A map in its printed form: `[i, j] <- x[17 + 12*i - j]`.
pub(crate) struct Mapped<'a>(pub &'a CoordMap, pub Names<'a>);

impl fmt::Display for Mapped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(map, names) = *self;
        f.write_str("[")?;
        for k in 0..map.dims.len() {
            let comma = if k == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Counter(k))?;
        }
        f.write_str("] <- ")?;
        map.source.write(names, f)?;
        write!(f, "[{}]", Shown(&map.access, names))
    }
}

impl CoordMap {
    /// Every element of a row-major buffer or of a Range.
    pub fn whole(ty: ElementType, source: Source, dims: &[usize], src_len: usize) -> Self {
        Self {
            ty,
            source,
            src_len,
            dims: dims.into(),
            access: Access::row_major(dims),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }

    /// Becomes the map after an operator that selects axis by axis. `gathered` is the index as a function of the coordinates of the
    /// indices, and their shape, for the axis that is [`AxisIndex::Gather`].
    pub fn select(&mut self, axes: &[AxisIndex], gathered: Option<(&Access, &[usize])>) {
        let nothing = Access::default();
        let (index, index_dims) = gathered.unwrap_or((&nothing, &[]));
        let mut dims = List::new();
        for axis in axes {
            match axis {
                AxisIndex::Affine { len, .. } => dims.push(*len),
                AxisIndex::Fixed(_) => {}
                AxisIndex::NewAxis => dims.push(1),
                AxisIndex::Gather => dims.extend(index_dims.iter().copied()),
            }
        }
        let rank = dims.len();
        let mut at = 0;
        let mut replacements = List::new();
        for axis in axes {
            replacements.push(match axis {
                AxisIndex::Affine { start, step, .. } => {
                    at += 1;
                    Replacement::affine(*start, at - 1, core::slice::from_ref(step))
                }
                AxisIndex::Fixed(position) => Replacement::affine(*position, at, &[]),
                AxisIndex::NewAxis => {
                    at += 1;
                    continue;
                }
                AxisIndex::Gather => {
                    at += index_dims.len();
                    let first = at - index_dims.len();
                    Replacement {
                        lookups: &index.lookups,
                        ..Replacement::affine(index.offset, first, &index.strides)
                    }
                }
            });
        }
        if dims.contains(&0) {
            self.access = Access::fixed(0, rank);
        } else {
            self.access.substitute(&replacements, rank);
        }
        self.dims = dims;
    }

    /// The map with other dimensions over the same elements in the same order; `None` if no access expresses it.
    pub fn reshape(&self, dims: &[usize]) -> Option<Self> {
        let with = |access| Self {
            dims: dims.into(),
            access,
            ..*self
        };
        if dims.contains(&0) {
            return Some(with(Access::fixed(0, dims.len())));
        }
        let groups = groups(&self.dims, dims);
        let is_linear = |strides: &[i64]| {
            groups
                .iter()
                .all(|group| group.is_linear(&self.dims, strides))
        };
        if !self.access.all_strides(&is_linear) {
            return None;
        }
        let remap = |strides: &[i64]| {
            let mut result = List::repeat(0, dims.len());
            for group in &groups {
                let mut stride = group.old.last().map_or(0, |&k| strides[k]);
                for &k in group.new.iter().rev() {
                    result[k] = stride;
                    stride = stride.wrapping_mul(dims[k] as i64);
                }
            }
            result
        };
        Some(with(self.access.map_strides(&remap)))
    }
}

/// Neighbouring old axes and neighbouring new axes with the same product; axes of length 1 belong to no group.
struct Group {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl Group {
    /// Whether the old axes of the group are one progression.
    fn is_linear(&self, dims: &[usize], strides: &[i64]) -> bool {
        let neighbours = self.old.iter().zip(self.old.iter().skip(1));
        neighbours.into_iter().all(|(&outer, &inner)| {
            strides[outer] == strides[inner].wrapping_mul(dims[inner] as i64)
        })
    }
}

/// The finest common grouping of two shapes with the same positive number of elements.
fn groups(old: &[usize], new: &[usize]) -> Vec<Group> {
    let axes = |dims: &'_ [usize]| {
        (0..dims.len())
            .filter(|&k| dims[k] != 1)
            .collect::<Vec<_>>()
            .into_iter()
    };
    let (mut old_axes, mut new_axes) = (axes(old), axes(new));
    let mut groups = Vec::new();
    while let (Some(i), Some(j)) = (old_axes.next(), new_axes.next()) {
        let mut group = Group {
            old: vec![i],
            new: vec![j],
        };
        let (mut old_product, mut new_product) = (old[i], new[j]);
        while old_product != new_product {
            let (side, product, next) = if old_product < new_product {
                (
                    &mut group.old,
                    &mut old_product,
                    old_axes.next().map(|k| (k, old[k])),
                )
            } else {
                (
                    &mut group.new,
                    &mut new_product,
                    new_axes.next().map(|k| (k, new[k])),
                )
            };
            // The products of the whole shapes are equal, so there is a next axis.
            let Some((k, dim)) = next else { break };
            side.push(k);
            *product *= dim;
        }
        groups.push(group);
    }
    groups
}
