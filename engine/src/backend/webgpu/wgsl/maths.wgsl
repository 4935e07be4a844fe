// Functions that WGSL lacks, or whose error it leaves to the driver. Each begins with its name and those it calls; a
// shader gets the ones that it uses. NaN in, NaN out.

//: is_nan
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

//: is_inf
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }

//: max_nan is_nan
fn max_nan(a: f32, b: f32) -> f32 { return select(select(max(a, b), b, is_nan(b)), a, is_nan(a)); }

//: min_nan is_nan
fn min_nan(a: f32, b: f32) -> f32 { return select(select(min(a, b), b, is_nan(b)), a, is_nan(a)); }

//: fmax_ is_nan
fn fmax_(a: f32, b: f32) -> f32 { return select(select(max(a, b), a, is_nan(b)), b, is_nan(a)); }

//: fmin_ is_nan
fn fmin_(a: f32, b: f32) -> f32 { return select(select(min(a, b), a, is_nan(b)), b, is_nan(a)); }

//: sign_
fn sign_(x: f32) -> f32 { return f32(x > 0.0) - f32(x < 0.0); }

//: exp_ is_nan
// Drivers differ at the ends of the range.
fn exp_(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (x < -103.97) { return 0.0; }
  if (x > 88.7228) { return bitcast<f32>(0x7f7fffffu + u32(x > 88.7228)); }
  return exp(x);
}

//: log_ is_nan
fn log_(x: f32) -> f32 {
  if (is_nan(x) || x < 0.0) { return bitcast<f32>(0x7fc00000u | u32(x < 0.0)); }
  if (x == 0.0) { return bitcast<f32>(0xff800000u | u32(x != 0.0)); }
  if ((bitcast<u32>(x)) == 0x7f800000u) { return x; }
  return log(x);
}

//: log1p is_nan log_
// Near 0 by log(1 + x) = 2 atanh(x / (2 + x)).
fn log1p(x: f32) -> f32 {
  if (abs(x) < 0.25) {
    let s = x / (2.0 + x);
    let z = s * s;
    return 2.0 * s * (1.0 + z * (0.33333333 + z * (0.2 + z * (0.14285714 + z * 0.11111111))));
  }
  return log_(1.0 + x);
}

//: expm1 exp_ is_nan
fn expm1(x: f32) -> f32 {
  if (abs(x) < 0.5) {
    let p = 0.0013888889 + x * (0.00019841270 + x * 0.000024801587);
    return x * (1.0 + x * (0.5 + x * (0.16666667 + x * (0.041666667 + x * (0.0083333333 + x * p)))));
  }
  return exp_(x) - 1.0;
}

//: sqrt_ is_nan
fn sqrt_(x: f32) -> f32 { return select(sqrt(x), bitcast<f32>(0x7fc00000u | u32(x < 0.0)), x < 0.0 || is_nan(x)); }

//: tanh_ expm1 exp_ is_nan
fn tanh_(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let t = expm1(2.0 * min(abs(x), 12.0));
  return select(t / (t + 2.0), -t / (t + 2.0), x < 0.0);
}

//: sigmoid exp_ is_nan
fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp_(-x)); }

//: turn
// x less the nearest multiple of a right angle, and how many there were. In three steps (Cody and Waite).
fn turn(x: f32) -> vec2<f32> {
  let k = round(x * 0.63661977);
  return vec2<f32>(((x - k * 1.5703125) - k * 4.837512969970703125e-4) - k * 7.549789948768648e-8, k);
}

//: wave turn is_inf is_nan
// sin(x + quarter * pi / 2), by the polynomials of Cephes.
fn wave(x: f32, quarter: i32) -> f32 {
  if (is_nan(x) || is_inf(x)) { return x - x; }
  let t = turn(x);
  let r = t.x;
  let z = r * r;
  let q = (i32(t.y) + quarter) & 3;
  let s = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
  let c = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  let v = select(s, c, (q & 1) == 1);
  return select(v, -v, q >= 2);
}

//: atan_
fn atan_(v: f32) -> f32 {
  let a = abs(v);
  var x = a;
  var y = 0.0;
  if (a > 2.4142135) {
    y = 1.57079633;
    x = -1.0 / a;
  } else if (a > 0.41421356) {
    y = 0.78539816;
    x = (a - 1.0) / (a + 1.0);
  }
  let z = x * x;
  y += (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * x + x;
  return select(y, -y, v < 0.0);
}

//: atan2_ atan_ is_nan
fn atan2_(y: f32, x: f32) -> f32 {
  if (is_nan(x) || is_nan(y)) { return x + y; }
  let minus = (bitcast<u32>(y) >> 31u) == 1u;
  let left = (bitcast<u32>(x) >> 31u) == 1u;
  var a = 0.0;
  if (y == 0.0) {
    a = select(0.0, 3.14159265, left);
  } else if (abs(x) == abs(y)) {
    a = select(0.78539816, 2.35619449, left);
  } else if (abs(y) > abs(x)) {
    a = 1.57079633 - atan_(x / abs(y));
  } else {
    a = atan_(abs(y) / x);
    a = select(a, a + 3.14159265, left);
  }
  return select(a, -a, minus);
}

//: asin_ sqrt_ is_nan
fn asin_(v: f32) -> f32 {
  let a = abs(v);
  if (!(a <= 1.0)) { return sqrt_(-1.0 - abs(v)); }
  let large = a > 0.5;
  var x = a;
  if (large) { x = sqrt(0.5 * (1.0 - a)); }
  let z = x * x;
  let p = (((4.2163199048e-2 * z + 2.4181311049e-2) * z + 4.5470025998e-2) * z + 7.4953002686e-2) * z + 1.6666752422e-1;
  var y = p * z * x + x;
  if (large) { y = 1.57079633 - 2.0 * y; }
  return select(y, -y, v < 0.0);
}

//: acos_ asin_ sqrt_ is_nan
fn acos_(v: f32) -> f32 {
  if (v > 0.5) { return 2.0 * asin_(sqrt_(0.5 * (1.0 - v))); }
  return 1.57079633 - asin_(v);
}

//: sinh_ expm1 exp_ is_nan
fn sinh_(x: f32) -> f32 {
  let a = abs(x);
  var y = 0.0;
  if (a > 20.0) {
    let half = exp_(0.5 * a);
    y = 0.5 * half * half;
  } else {
    let t = expm1(a);
    y = 0.5 * (t + t / (t + 1.0));
  }
  if (is_nan(x)) { return x; }
  return select(y, -y, x < 0.0);
}

//: cosh_ exp_ is_nan
fn cosh_(x: f32) -> f32 {
  let half = exp_(0.5 * abs(x));
  return 0.5 * half * half + 0.5 / half / half;
}

//: asinh_ log1p log_ is_nan
fn asinh_(x: f32) -> f32 {
  let a = abs(x);
  var y = 0.0;
  if (a > 1e9) {
    y = log_(a) + 0.69314718;
  } else {
    y = log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
  }
  return select(y, -y, x < 0.0);
}

//: acosh_ log1p log_ is_nan
fn acosh_(x: f32) -> f32 {
  if (x > 1e9) { return log_(x) + 0.69314718; }
  if (x < 1.0) { return log_(-1.0 - abs(x)); }
  let t = x - 1.0;
  return log1p(t + sqrt(2.0 * t + t * t));
}

//: atanh_ log1p log_ is_nan
fn atanh_(x: f32) -> f32 {
  let a = abs(x);
  let y = 0.5 * log1p(2.0 * a / (1.0 - a));
  return select(y, -y, x < 0.0);
}

//: erfc_ erf_small exp_ is_nan
// Chebyshev fit of Numerical Recipes, error below 1.2e-7 of the value.
fn erfc_(x: f32) -> f32 {
  let z = abs(x);
  if (z < 0.8) { return 1.0 - erf_small(x); }
  let t = 1.0 / (1.0 + 0.5 * z);
  let inner = 1.48851587 + t * (-0.82215223 + t * 0.17087277);
  let outer = 0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * inner)));
  let y = t * exp_(-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * outer)));
  return select(y, 2.0 - y, x < 0.0);
}

//: erf_small
// Abramowitz and Stegun 7.1.6.
fn erf_small(x: f32) -> f32 {
  let z = 2.0 * x * x;
  var term = x;
  var sum = x;
  for (var n = 3.0; n < 25.0; n += 2.0) {
    term *= z / n;
    sum += term;
  }
  return 1.12837917 * exp(-x * x) * sum;
}

//: erf_ erf_small erfc_ exp_ is_nan
fn erf_(x: f32) -> f32 {
  if (abs(x) < 0.8) { return erf_small(x); }
  return 1.0 - erfc_(x);
}

//: erfinv log_ is_nan
// Giles' polynomial for single precision.
fn erfinv(x: f32) -> f32 {
  if (!(abs(x) < 1.0)) { return select(x / 0.0001 * 3e38 * 3e38, log_(-1.0 - abs(x)), abs(x) != 1.0); }
  var w = -log_((1.0 - x) * (1.0 + x));
  var p = 0.0;
  if (w < 5.0) {
    w -= 2.5;
    p = 2.81022636e-08;
    p = 3.43273939e-07 + p * w;
    p = -3.5233877e-06 + p * w;
    p = -4.39150654e-06 + p * w;
    p = 0.00021858087 + p * w;
    p = -0.00125372503 + p * w;
    p = -0.00417768164 + p * w;
    p = 0.246640727 + p * w;
    p = 1.50140941 + p * w;
  } else {
    w = sqrt(w) - 3.0;
    p = -0.000200214257;
    p = 0.000100950558 + p * w;
    p = 0.00134934322 + p * w;
    p = -0.00367342844 + p * w;
    p = 0.00573950773 + p * w;
    p = -0.0076224613 + p * w;
    p = 0.00943887047 + p * w;
    p = 1.00167406 + p * w;
    p = 2.83297682 + p * w;
  }
  return p * x;
}

//: fmod_ is_inf
fn fmod_(x: f32, y: f32) -> f32 {
  if (is_inf(y) && !is_inf(x)) { return x; }
  return x - y * trunc(x / y);
}

//: rem_ fmod_ is_inf
// Python's %.
fn rem_(x: f32, y: f32) -> f32 {
  let m = fmod_(x, y);
  return select(m, m + y, m != 0.0 && (y < 0.0) != (m < 0.0));
}

//: floordiv fmod_ is_inf
// Python's //.
fn floordiv(x: f32, y: f32) -> f32 {
  if (y == 0.0) { return x / y; }
  let m = fmod_(x, y);
  var d = (x - m) / y;
  if (m != 0.0 && (y < 0.0) != (m < 0.0)) { d -= 1.0; }
  let f = floor(d);
  return select(f, f + 1.0, d - f > 0.5);
}

//: pow_ is_nan sqrt_ log_
fn pow_(x: f32, y: f32) -> f32 {
  if (y == 2.0) { return x * x; }
  if (y == 1.0) { return x; }
  if (y == 0.0 || x == 1.0) { return 1.0; }
  if (y == 3.0) { return x * x * x; }
  if (y == 0.5) { return sqrt_(x); }
  if (y == -1.0) { return 1.0 / x; }
  if (is_nan(x) || is_nan(y)) { return x + y; }
  let whole = y == floor(y);
  let odd = whole && abs(y) < 16777216.0 && (i32(y) & 1) == 1;
  if (x < 0.0 && !whole && abs(y) < 3e38) { return log_(x); }
  var p = 0.0;
  if (x == 0.0) {
    p = select(0.0, 1.0 / abs(x), y < 0.0);
  } else {
    p = pow(abs(x), y);
  }
  return select(p, -p, odd && (bitcast<u32>(x) >> 31u) == 1u);
}

//: hypot_
fn hypot_(x: f32, y: f32) -> f32 {
  let m = max(abs(x), abs(y));
  if (m == 0.0 || m > 3.4e38) { return m; }
  let a = x / m;
  let b = y / m;
  return m * sqrt(a * a + b * b);
}

//: log_add_exp log1p log_ exp_ is_nan is_inf
fn log_add_exp(a: f32, b: f32) -> f32 {
  let m = max(a, b);
  if (is_inf(m) && a == b) { return m; }
  if (is_nan(a) || is_nan(b)) { return a + b; }
  return m + log1p(exp_(-abs(a - b)));
}

//: copysign_
fn copysign_(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

//: softplus log1p log_ exp_ is_nan
fn softplus(x: f32, beta: f32, threshold: f32) -> f32 {
  if (x * beta > threshold) { return x; }
  return log1p(exp_(x * beta)) / beta;
}

//: float_to_int is_nan
// As x86 converts: what does not fit becomes the smallest.
fn float_to_int(x: f32) -> i32 {
  if (is_nan(x) || x >= 2147483648.0 || x < -2147483648.0) { return i32(-2147483647) - 1; }
  return i32(x);
}

//: f16_bits
// Rounded to the nearest, to even where two are near.
fn f16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let a = bits & 0x7fffffffu;
  if (a > 0x7f800000u) { return sign | 0x7e00u; }
  if (a >= 0x477ff000u) { return sign | 0x7c00u; }
  if (a < 0x38800000u) {
    // Small ones are multiples of 2^-24.
    return sign | u32(round(bitcast<f32>(a) * 16777216.0));
  }
  return sign | ((a - 0x38000000u + 0xfffu + ((a >> 13u) & 1u)) >> 13u);
}

//: f16_value
fn f16_value(bits: u32) -> f32 {
  let sign = (bits & 0x8000u) << 16u;
  let a = bits & 0x7fffu;
  if (a >= 0x7c00u) { return bitcast<f32>(sign | 0x7f800000u | ((a & 0x3ffu) << 13u)); }
  if (a < 0x400u) {
    let v = f32(a) * 5.9604644775390625e-8;
    return select(v, -v, sign != 0u);
  }
  return bitcast<f32>(sign | ((a << 13u) + 0x38000000u));
}

//: bf16_bits is_nan
fn bf16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  if (is_nan(x)) { return 0x7fc0u; }
  return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
