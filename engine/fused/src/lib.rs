//! The product of float32 matrices with fused multiply-add, for browsers that have WebAssembly's relaxed SIMD. A browser
//! without it refuses any module in which it occurs, so this is a module of its own beside the runtime, and works in the
//! runtime's memory: it must have neither a stack in memory nor data of its own (the build looks), and so nothing here may
//! panic. Elsewhere it computes the same with a rounding more, which is how it is tested.
//!
//! The method is Goto's (<https://doi.org/10.1145/1356052.1356053>): blocks of both operands are copied into panels, in the
//! order in which the innermost loop reads them.

#![cfg_attr(all(target_family = "wasm", target_feature = "relaxed-simd"), no_std)]

mod lanes;

use lanes::F4;

/// Rows and columns of the block whose sums are held in registers: nine of them, with three for the columns and one for a
/// row's element, are what a browser has on x86.
const ROWS: usize = 3;
const VECTORS: usize = 3;
const COLUMNS: usize = 4 * VECTORS;
/// Steps of the inner dimension, and rows, that are packed at a time: panels stay in the caches.
const DEPTH: usize = 256;
const HEIGHT: usize = 96;

/// A matrix: its elements, and how far apart those of neighbouring rows and columns are.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub elements: &'a [f32],
    pub row: usize,
    pub column: usize,
}

impl Matrix<'_> {
    fn at(&self, r: usize, c: usize) -> f32 {
        self.elements.get(r * self.row + c * self.column).copied().unwrap_or_default()
    }
}

/// Floats of scratch memory that [`product`] of matrices with `n` columns wants.
pub const fn scratch(n: usize) -> usize {
    DEPTH * (n.next_multiple_of(COLUMNS) + HEIGHT) + ROWS * COLUMNS
}

/// `out = a @ b` for `[m, k] @ [k, n]`; `out` has `m * n` elements, row by row. Does nothing where `pack` is shorter than
/// [`scratch`] or `out` than that.
pub fn product([m, k, n]: [usize; 3], a: Matrix, b: Matrix, out: &mut [f32], pack: &mut [f32]) {
    let Some((bs, rest)) = pack.split_at_mut_checked(DEPTH * n.next_multiple_of(COLUMNS)) else { return };
    let Some((a_panels, rest)) = rest.split_at_mut_checked(DEPTH * HEIGHT) else { return };
    let (Some(edge), true) = (rest.first_chunk_mut::<{ ROWS * COLUMNS }>(), out.len() >= m * n) else { return };
    for p in (0..k).step_by(DEPTH) {
        let depth = (k - p).min(DEPTH);
        for j in (0..n).step_by(COLUMNS) {
            let Some(panel) = bs.get_mut(j * depth..(j + COLUMNS) * depth) else { return };
            pack_columns(b, [p, j], (n - j).min(COLUMNS), panel);
        }
        for i in (0..m).step_by(HEIGHT) {
            let height = (m - i).min(HEIGHT);
            for r in (0..height).step_by(ROWS) {
                let Some(panel) = a_panels.get_mut(r * depth..(r + ROWS) * depth) else { return };
                pack_rows(a, [i + r, p], (height - r).min(ROWS), panel);
            }
            for j in (0..n).step_by(COLUMNS) {
                let Some(columns) = bs.get(j * depth..(j + COLUMNS) * depth) else { return };
                for r in (0..height).step_by(ROWS) {
                    let Some(rows) = a_panels.get(r * depth..(r + ROWS) * depth) else { return };
                    let sums = block(rows, columns);
                    let (many, wide, at) = ((height - r).min(ROWS), (n - j).min(COLUMNS), (i + r) * n + j);
                    if many == ROWS && wide == COLUMNS {
                        put(sums, out, at, n, p > 0);
                        continue;
                    }
                    put(sums, edge, 0, COLUMNS, false);
                    for (r, from) in edge.as_chunks::<COLUMNS>().0.iter().enumerate().take(many) {
                        let Some(to) = out.get_mut(at + r * n..at + r * n + wide) else { return };
                        for (to, from) in to.iter_mut().zip(from) {
                            *to = if p > 0 { *to + from } else { *from };
                        }
                    }
                }
            }
        }
    }
}

/// Into a panel: for each step of the depth the elements of `COLUMNS` columns, zeros where there are fewer.
fn pack_columns(b: Matrix, [p, j]: [usize; 2], width: usize, panel: &mut [f32]) {
    let (steps, _) = panel.as_chunks_mut::<COLUMNS>();
    let whole = width == COLUMNS;
    if whole && b.column == 1 {
        for (step, to) in steps.iter_mut().enumerate() {
            let from = b.elements.get((p + step) * b.row + j..).and_then(|rest| rest.first_chunk::<COLUMNS>());
            let Some(from) = from else { return };
            *to = *from;
        }
        return;
    }
    let mut done = 0;
    if whole && b.row == 1 {
        let (fours, _) = steps.as_chunks_mut::<4>();
        done = fours.len() * 4;
        for (four, to) in fours.iter_mut().enumerate() {
            for v in 0..VECTORS {
                let line = |q: usize| {
                    let at = p + 4 * four + (j + 4 * v + q) * b.column;
                    let from = b.elements.get(at..).and_then(|rest| rest.first_chunk::<4>());
                    from.map_or_else(F4::zero, F4::load)
                };
                let turned = F4::transposed([line(0), line(1), line(2), line(3)]);
                for (to, line) in to.iter_mut().zip(turned) {
                    if let Some(to) = to.as_chunks_mut::<4>().0.get_mut(v) {
                        line.store(to);
                    }
                }
            }
        }
    }
    for (step, to) in steps.iter_mut().enumerate().skip(done) {
        for (q, to) in to.iter_mut().enumerate() {
            *to = if q < width { b.at(p + step, j + q) } else { 0.0 };
        }
    }
}

/// Into a panel: for each step of the depth the elements of `ROWS` rows, zeros where there are fewer.
fn pack_rows(a: Matrix, [i, p]: [usize; 2], height: usize, panel: &mut [f32]) {
    let (steps, _) = panel.as_chunks_mut::<ROWS>();
    if height == ROWS && a.row == 1 {
        for (step, to) in steps.iter_mut().enumerate() {
            let from = a.elements.get((p + step) * a.column + i..).and_then(|rest| rest.first_chunk::<ROWS>());
            let Some(from) = from else { return };
            *to = *from;
        }
        return;
    }
    if height == ROWS && a.column == 1 {
        let line = |q: usize| a.elements.get((i + q) * a.row + p..).unwrap_or_default();
        for (((to, x), y), z) in steps.iter_mut().zip(line(0)).zip(line(1)).zip(line(2)) {
            *to = [*x, *y, *z];
        }
        return;
    }
    for (step, to) in steps.iter_mut().enumerate() {
        for (q, to) in to.iter_mut().enumerate() {
            *to = if q < height { a.at(i + q, p + step) } else { 0.0 };
        }
    }
}

/// The innermost loop: a panel of rows times a panel of columns.
#[inline(always)]
fn block(rows: &[f32], columns: &[f32]) -> [[F4; VECTORS]; ROWS] {
    let mut sums = [[F4::zero(); VECTORS]; ROWS];
    for (row, column) in rows.as_chunks::<ROWS>().0.iter().zip(columns.as_chunks::<COLUMNS>().0) {
        let (vectors, _) = column.as_chunks::<4>();
        let [x, y, z] = [0, 1, 2].map(|v| vectors.get(v).map_or_else(F4::zero, F4::load));
        for (sums, &element) in sums.iter_mut().zip(row) {
            let element = F4::splat(element);
            *sums = [element.times(x, sums[0]), element.times(y, sums[1]), element.times(z, sums[2])];
        }
    }
    sums
}

/// A whole block's sums to their places from `at`, rows `row` apart; with `add` added to what is there.
#[inline(always)]
fn put(sums: [[F4; VECTORS]; ROWS], out: &mut [f32], at: usize, row: usize, add: bool) {
    for (r, [x, y, z]) in sums.into_iter().enumerate() {
        let Some(to) = out.get_mut(at + r * row..).and_then(|rest| rest.first_chunk_mut::<COLUMNS>()) else { return };
        let ([to_x, to_y, to_z], _) = to.as_chunks_mut::<4>() else { return };
        for (to, sum) in [(to_x, x), (to_y, y), (to_z, z)] {
            let sum = if add { F4::load(to).plus(sum) } else { sum };
            sum.store(to);
        }
    }
}

/// A call of [`product`] from the runtime's module into this one, in the memory that both share.
#[repr(C)]
pub struct Call {
    sizes: [usize; 3],
    a: Place,
    b: Place,
    out: *mut f32,
    out_len: usize,
    pack: *mut f32,
    pack_len: usize,
}

#[repr(C)]
struct Place {
    elements: *const f32,
    len: usize,
    row: usize,
    column: usize,
}

impl Place {
    fn new(matrix: Matrix) -> Self {
        let (elements, len) = (matrix.elements.as_ptr(), matrix.elements.len());
        Place { elements, len, row: matrix.row, column: matrix.column }
    }
}

impl Call {
    pub fn new(sizes: [usize; 3], a: Matrix, b: Matrix, out: &mut [f32], pack: &mut [f32]) -> Self {
        let ((out, out_len), (pack, pack_len)) = ((out.as_mut_ptr(), out.len()), (pack.as_mut_ptr(), pack.len()));
        Call { sizes, a: Place::new(a), b: Place::new(b), out, out_len, pack, pack_len }
    }

    /// Computes it.
    ///
    /// # Safety
    /// What [`Call::new`] was given is still borrowed for this call alone.
    pub unsafe fn run(&self) {
        use core::slice::{from_raw_parts, from_raw_parts_mut};
        // SAFETY: addresses and lengths are those of slices, which the caller still borrows.
        let (a, b, out, pack) = unsafe {
            (
                from_raw_parts(self.a.elements, self.a.len),
                from_raw_parts(self.b.elements, self.b.len),
                from_raw_parts_mut(self.out, self.out_len),
                from_raw_parts_mut(self.pack, self.pack_len),
            )
        };
        let a = Matrix { elements: a, row: self.a.row, column: self.a.column };
        let b = Matrix { elements: b, row: self.b.row, column: self.b.column };
        product(self.sizes, a, b, out, pack);
    }
}

/// The module's door.
///
/// # Safety
/// As [`Call::run`].
#[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fused_product(call: &Call) {
    // SAFETY: as the caller promises.
    unsafe { call.run() }
}

#[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
