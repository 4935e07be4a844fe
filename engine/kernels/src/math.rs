//! Elementary functions without branches, so that loops over them become SIMD code. Those that take and give float64
//! are meant for float32 values: computed wide to about 1e-12 and rounded once, they give the nearest float32 but for
//! very rare ties.

use std::f64::consts::{LN_2, LOG2_E};

/// `2^52 + 2^51`: added and taken away again, it rounds to the nearest integer, which meanwhile stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// The same for float32.
const ROUND_F32: f32 = 12_582_912.0;

/// `if`, as a choice between two computed values.
#[inline(always)]
fn pick(condition: bool, yes: f64, no: f64) -> f64 {
    if condition { yes } else { no }
}

/// `e^x` to 1e-14; infinite or zero where float32 has nothing left.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // NaN stays.
    let x = x.clamp(-200.0, 200.0);
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    // The series of the exponential function for |r| <= ln 2 / 2.
    let mut p = 1.0 / 39_916_800.0;
    for c in [
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p * r + c;
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0f64.to_bits()));
    p * power
}

/// `e^x - 1`
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let near = x * (1.0 + x * (0.5 + x * (1.0 / 6.0)));
    pick(x.abs() < 1e-4, near, exp(x) - 1.0)
}

/// The natural logarithm to 1e-14, of float32 values.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    // sqrt(1/2), so that the mantissa comes to lie around 1.
    const HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let shifted = x.to_bits().wrapping_add(ONE - HALF);
    // The exponent's bits as the low bits of a large number are the exponent as a number.
    let exponent = f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - 4_503_599_627_370_496.0 - 1023.0;
    let m = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(HALF));
    let f = (m - 1.0) / (m + 1.0);
    let s = f * f;
    let mut p = 1.0 / 19.0;
    for c in [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0] {
        p = p * s + c;
    }
    let value = exponent * LN_2 + 2.0 * f * p;
    let value = pick(x == 0.0, f64::NEG_INFINITY, value);
    pick(x > 0.0 && x < f64::INFINITY || x == 0.0, value, pick(x > 0.0, f64::INFINITY, f64::NAN))
}

/// `ln(1 + x)`
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let near = x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * 0.25)));
    pick(x.abs() < 1e-4, near, ln(1.0 + x))
}

#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let far = 1.0 - 2.0 / (exp(2.0 * a) + 1.0);
    let s = x * x;
    let near = a * (1.0 - s * (1.0 / 3.0 - s * (2.0 / 15.0)));
    pick(a < 1e-3, near, far).copysign(x)
}

/// `a * b + c`, rounded once (but for rare ties): what a fused instruction gives, on machines without one too.
#[inline(always)]
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    (a as f64 * b as f64 + c as f64) as f32
}

/// The exponential in float32, to one unit in the last place, with the same polynomial as the vector library PyTorch
/// uses here: `x = q ln 2 + s`, `exp(s)` by a polynomial of degree 7.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    // NaN stays; the ends are put right below.
    let within = x.clamp(-105.0, 105.0);
    let shifted = within * std::f32::consts::LOG2_E + ROUND_F32;
    let q = shifted - ROUND_F32;
    // The first product is exact.
    let s = q * -0.693_145_75 + within + q * -1.428_606_8e-6;
    // Only the last two steps are worth fusing: with the others fused too, 6 in 100,000 results differ, in the last bit.
    let mut u = 0.000_198_527_62f32;
    for c in [0.001_393_043_6, 0.008_333_361, 0.041_666_485, 0.166_666_67] {
        u = u * s + c;
    }
    let u = 1.0 + fused(s * s, fused(u, s, 0.5), s);
    // The integer stands in the low bits.
    let n = shifted.to_bits().wrapping_sub(ROUND_F32.to_bits()) as i32;
    let half = n >> 1;
    let value = u * power_of_two(half) * power_of_two(n.wrapping_sub(half));
    let value = if x < -104.0 { 0.0 } else { value };
    if x > 100.0 { f32::INFINITY } else { value }
}

#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Float32 values of every size and sign, some of them special.
    fn samples() -> impl Iterator<Item = f32> {
        let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45];
        special.into_iter().chain((0..u32::MAX / 9973).map(|i| f32::from_bits(i * 9973)))
    }

    /// How often the nearest float32 is missed; it is never missed by more than one unit in the last place.
    fn missed(name: &str, fast: impl Fn(f64) -> f64, exact: impl Fn(f64) -> f64) -> usize {
        let mut count = 0;
        for x in samples() {
            let (a, b) = (fast(x as f64) as f32, exact(x as f64) as f32);
            let same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            if !same {
                count += 1;
                assert!(a == b.next_up() || a == b.next_down(), "{name}({x:e}) is {a:e}, but {b:e} exactly");
            }
        }
        count
    }

    #[test]
    fn functions_give_the_nearest_float32() {
        assert!(missed("exp", exp, f64::exp) <= 1);
        assert!(missed("exp_m1", exp_m1, f64::exp_m1) <= 1);
        assert!(missed("ln", ln, f64::ln) <= 1);
        assert!(missed("ln_1p", ln_1p, f64::ln_1p) <= 1);
        assert!(missed("tanh", tanh, f64::tanh) <= 1);
    }

    #[test]
    fn the_float32_exponential_is_within_a_unit() {
        for x in samples() {
            let (a, b) = (exp_f32(x), (x as f64).exp());
            if b.is_nan() {
                assert!(a.is_nan());
            } else if b > f32::MIN_POSITIVE as f64 && b < f32::MAX as f64 {
                let unit = ((b as f32).next_up() - b as f32) as f64;
                assert!((a as f64 - b).abs() <= 1.01 * unit, "exp({x:e}) is {a:e}, not {b:e}");
            }
        }
        assert_eq!(exp_f32(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp_f32(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp_f32(-103.5).to_bits(), 1);
    }
}
