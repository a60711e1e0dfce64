//! What moves a tile: its tables in registers, or in memory.

use super::Lanes;
use crate::shuffle::Tables;
use core::marker::PhantomData;

/// What moves a tile.
pub trait Tile {
    /// Tiles that one turn of the loop moves.
    const TURN: usize;

    /// # Safety
    /// The loads of the tile at `src` are readable, its vectors at `dst` are writable; the processor has the instruction set.
    unsafe fn run(&self, src: *const u8, dst: *mut u8);
}

/// Tables as values.
pub struct InRegisters<V, const VECTORS: usize, const LOADS: usize> {
    orders: [[V; LOADS]; VECTORS],
    offsets: [[isize; LOADS]; VECTORS],
}

impl<V: Lanes, const VECTORS: usize, const LOADS: usize> InRegisters<V, VECTORS, LOADS> {
    /// # Safety
    /// The processor has the instruction set; the tables are of that shape.
    #[inline(always)]
    pub unsafe fn new(tables: &Tables<16>) -> Self {
        let table = |v: usize, l: usize| &tables.loads[v * LOADS + l];
        Self {
            orders: core::array::from_fn(|v| {
                // SAFETY: the tables are arrays of 16 bytes.
                core::array::from_fn(|l| unsafe { load(table(v, l).bytes.as_ptr()) })
            }),
            offsets: core::array::from_fn(|v| core::array::from_fn(|l| table(v, l).offset)),
        }
    }
}

impl<V: Lanes, const VECTORS: usize, const LOADS: usize> Tile for InRegisters<V, VECTORS, LOADS> {
    const TURN: usize = if VECTORS * LOADS <= 2 { 4 } else { 1 };

    #[inline(always)]
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        let (orders, offsets) = (&self.orders, &self.offsets);
        for v in 0..VECTORS {
            // SAFETY: by the contract of the trait.
            unsafe {
                let mut vector = load::<V>(src.offset(offsets[v][0])).picked(orders[v][0]);
                for l in 1..LOADS {
                    vector = vector.merged(load(src.offset(offsets[v][l])), orders[v][l]);
                }
                dst.add(v * 16).cast::<V>().write_unaligned(vector);
            }
        }
    }
}

/// Tables as they are.
pub struct InMemory<'a, V>(&'a Tables<16>, PhantomData<V>);

impl<'a, V> InMemory<'a, V> {
    pub fn new(tables: &'a Tables<16>) -> Self {
        Self(tables, PhantomData)
    }
}

impl<V: Lanes> Tile for InMemory<'_, V> {
    const TURN: usize = 1;

    #[inline(always)]
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        let vectors = self.0.loads.chunks_exact(self.0.per_vector);
        for (v, loads) in vectors.enumerate() {
            // SAFETY: by the contract of the trait.
            unsafe {
                let bytes = |offset| load::<V>(src.offset(offset));
                let order = |order: &[u8; 16]| load::<V>(order.as_ptr());
                let (first, others) = (&loads[0], &loads[1..]);
                let mut vector = bytes(first.offset).picked(order(&first.bytes));
                for next in others {
                    vector = vector.merged(bytes(next.offset), order(&next.bytes));
                }
                dst.add(v * 16).cast::<V>().write_unaligned(vector);
            }
        }
    }
}

/// # Safety
/// 16 bytes are readable there.
#[inline(always)]
unsafe fn load<V: Lanes>(from: *const u8) -> V {
    // SAFETY: by the contracts of this function and of the trait.
    unsafe { from.cast::<V>().read_unaligned() }
}
