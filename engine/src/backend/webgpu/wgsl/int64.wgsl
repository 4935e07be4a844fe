// 64-bit integers as two words, the low one first; WGSL has none.

//: i64_neg
fn i64_neg(a: vec2<u32>) -> vec2<u32> {
  let low = ~a.x + 1u;
  return vec2<u32>(low, ~a.y + u32(low == 0u));
}

//: i64_add
fn i64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}

//: i64_sub
fn i64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

//: u32_wide
// The product of two words in full, by halves.
fn u32_wide(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return vec2<u32>((low & 0xffffu) | (second << 16u), (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}

//: i64_mul u32_wide
fn i64_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let p = u32_wide(a.x, b.x);
  return vec2<u32>(p.x, p.y + a.x * b.y + a.y * b.x);
}

//: i64_lt
fn i64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}

//: i64_shl
fn i64_shl(a: vec2<u32>, n: u32) -> vec2<u32> {
  if (n == 0u) { return a; }
  if (n >= 64u) { return vec2<u32>(0u, 0u); }
  if (n >= 32u) { return vec2<u32>(0u, a.x << (n - 32u)); }
  return vec2<u32>(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}

//: i64_shr
fn i64_shr(a: vec2<u32>, n: u32) -> vec2<u32> {
  let high = bitcast<i32>(a.y);
  if (n == 0u) { return a; }
  if (n >= 64u) { return vec2<u32>(bitcast<u32>(high >> 31u), bitcast<u32>(high >> 31u)); }
  if (n >= 32u) { return vec2<u32>(bitcast<u32>(high >> (n - 32u)), bitcast<u32>(high >> 31u)); }
  return vec2<u32>((a.x >> n) | (a.y << (32u - n)), bitcast<u32>(high >> n));
}

//: i64_abs i64_neg
fn i64_abs(a: vec2<u32>) -> vec2<u32> { return select(a, i64_neg(a), (a.y >> 31u) == 1u); }

//: u64_divide i64_sub
// Quotient and remainder, bit by bit; by zero the quotient is zero.
fn u64_divide(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  if (b.x == 0u && b.y == 0u) { return vec4<u32>(0u, 0u, 0u, 0u); }
  if (a.y == 0u && b.y == 0u) { return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u); }
  var quotient = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  for (var i = 63; i >= 0; i--) {
    let word = select(a.x, a.y, i >= 32);
    let bit = (word >> (u32(i) & 31u)) & 1u;
    rest = vec2<u32>((rest.x << 1u) | bit, (rest.y << 1u) | (rest.x >> 31u));
    if (rest.y > b.y || (rest.y == b.y && rest.x >= b.x)) {
      rest = i64_sub(rest, b);
      if (i >= 32) { quotient.y |= 1u << (u32(i) & 31u); } else { quotient.x |= 1u << u32(i); }
    }
  }
  return vec4<u32>(quotient, rest);
}

//: i64_quotient u64_divide i64_abs i64_neg i64_sub
fn i64_quotient(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let q = u64_divide(i64_abs(a), i64_abs(b)).xy;
  return select(q, i64_neg(q), (a.y >> 31u) != (b.y >> 31u));
}

//: i64_fmod u64_divide i64_abs i64_neg i64_sub
fn i64_fmod(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let r = u64_divide(i64_abs(a), i64_abs(b)).zw;
  return select(r, i64_neg(r), (a.y >> 31u) == 1u);
}

//: i64_floordiv i64_quotient i64_fmod u64_divide i64_abs i64_neg i64_sub
fn i64_floordiv(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let q = i64_quotient(a, b);
  let r = i64_fmod(a, b);
  let off = (r.x | r.y) != 0u && (a.y >> 31u) != (b.y >> 31u);
  return select(q, i64_sub(q, vec2<u32>(1u, 0u)), off);
}

//: i64_rem i64_fmod i64_add u64_divide i64_abs i64_neg i64_sub
fn i64_rem(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let r = i64_fmod(a, b);
  let off = (r.x | r.y) != 0u && (a.y >> 31u) != (b.y >> 31u);
  return select(r, i64_add(r, b), off);
}

//: i64_pow i64_mul u32_wide
fn i64_pow(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
  if ((n.y >> 31u) == 1u) {
    if (a.x == 1u && a.y == 0u) { return a; }
    if (a.x == 0xffffffffu && a.y == 0xffffffffu) { return select(vec2<u32>(1u, 0u), a, (n.x & 1u) == 1u); }
    return vec2<u32>(0u, 0u);
  }
  var result = vec2<u32>(1u, 0u);
  var base = a;
  var left = n.x;
  while (left != 0u) {
    if ((left & 1u) == 1u) { result = i64_mul(result, base); }
    base = i64_mul(base, base);
    left = left >> 1u;
  }
  return result;
}

//: i64_of_i32
fn i64_of_i32(v: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(v), bitcast<u32>(v >> 31u)); }

//: i64_to_f32 i64_abs i64_neg
// Rounded once: bits that do not fit are gathered in the lowest one before the conversion.
fn i64_to_f32(a: vec2<u32>) -> f32 {
  let m = i64_abs(a);
  var v = 0.0;
  if (m.y == 0u) {
    v = f32(m.x);
  } else {
    let shift = 32u - countLeadingZeros(m.y);
    let whole = select((m.x >> shift) | (m.y << (32u - shift)), m.y, shift == 32u);
    let lost = select(m.x & ((1u << shift) - 1u), m.x, shift == 32u);
    v = f32(whole | u32(lost != 0u)) * f32(1u << (shift & 31u)) * select(1.0, 4294967296.0, shift == 32u);
  }
  return select(v, -v, (a.y >> 31u) == 1u);
}

//: i64_of_f32 i64_neg is_nan
fn i64_of_f32(x: f32) -> vec2<u32> {
  let a = trunc(abs(x));
  if (is_nan(x) || a >= 9223372036854775808.0) { return vec2<u32>(0u, 0x80000000u); }
  let high = floor(a / 4294967296.0);
  let v = vec2<u32>(u32(a - high * 4294967296.0), u32(high));
  return select(v, i64_neg(v), x < 0.0);
}

//: i32_pow
fn i32_pow(a: i32, n: i32) -> i32 {
  if (n < 0) {
    if (a == 1) { return 1; }
    if (a == -1) { return select(1, -1, (n & 1) == 1); }
    return 0;
  }
  var result = 1;
  var base = a;
  var left = n;
  while (left != 0) {
    if ((left & 1) == 1) { result *= base; }
    base *= base;
    left = left >> 1u;
  }
  return result;
}

//: i32_floordiv
fn i32_floordiv(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let q = a / b;
  return select(q, q - 1, a % b != 0 && (a < 0) != (b < 0));
}

//: i32_quotient
fn i32_quotient(a: i32, b: i32) -> i32 { if (b == 0) { return 0; } return a / b; }

//: i32_fmod
fn i32_fmod(a: i32, b: i32) -> i32 { if (b == 0) { return 0; } return a % b; }

//: i32_rem
fn i32_rem(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  let m = a % b;
  return select(m, m + b, m != 0 && (a < 0) != (b < 0));
}

//: gcd_
fn gcd_(x: u32, y: u32) -> u32 {
  var a = x;
  var b = y;
  while (b != 0u) {
    let m = a % b;
    a = b;
    b = m;
  }
  return a;
}
