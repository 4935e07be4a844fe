// How a step is timed: as in speed.py, so that the figures compare.
/** Milliseconds a call: the best of many rounds, in which nothing else disturbs, each long enough for a coarse clock. */
export async function measure(step, least = 20, rounds = 25) {
  for (let i = 0; i < 3; i++) await step();
  const begin = performance.now();
  let calls = 0;
  while (calls < 2 || performance.now() - begin < least) {
    await step();
    calls++;
  }
  const took = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) await step();
    took.push((performance.now() - start) / calls);
  }
  return Math.min(...took);
}

export const random = (count, scale = 1) => Float32Array.from({ length: count }, () => (Math.random() - 0.5) * scale);
