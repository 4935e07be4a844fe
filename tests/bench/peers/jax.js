// The work of speed.py in jax-js, on its wasm or WebGPU backend; training steps under jit, as its users write them.
import * as jax from "@jax-js/jax";
import { random } from "./time.js";

const { numpy: np, nn, lax } = jax;
const array = (shape, scale) => np.array(random(shape.reduce((a, b) => a * b, 1), scale)).reshape(shape);
const read = (x) => x.data();
const copy = (tree) => jax.tree.ref(tree);

const matmul = (n) => () => {
  const [a, b] = [array([n, n]), array([n, n])];
  return () => read(np.matmul(a.ref, b.ref));
};

/** Cross entropy of logits `z` against one-hot `y`. */
const entropy = (z, y) => nn.logSoftmax(z).mul(y).sum().mul(-1 / y.shape[0]);

function classes(batch, count) {
  const hot = new Float32Array(batch * count);
  for (let i = 0; i < batch; i++) hot[i * count + (i % Math.min(count, 10))] = 1;
  return np.array(hot).reshape([batch, count]);
}

/** A step of SGD on `params`, jitted: `forward(params, x)` gives logits. */
function training(params, x, forward) {
  const y = classes(x.shape[0], 10);
  const loss = (p, x, y) => entropy(forward(p, x), y);
  const step = jax.jit((p, x, y) => {
    const [l, g] = jax.valueAndGrad(loss)(copy(p), x, y);
    return [l, p.map((q, i) => q.sub(g[i].mul(0.1)))];
  });
  return async () => {
    const [l, next] = step(params, x.ref, y.ref);
    params = next;
    await read(l);
  };
}

const mlpParams = () => [array([784, 128], 0.05), np.zeros([128]), array([128, 10], 0.1), np.zeros([10])];
const mlp = (p, x) => np.matmul(nn.relu(np.matmul(x, p[0]).add(p[1])), p[2]).add(p[3]);

function adam() {
  const [x, y] = [array([64, 784]), classes(64, 10)];
  const loss = (p, x, y) => entropy(mlp(p, x), y);
  const step = jax.jit((p, m, v, fix, x, y) => {
    const [l, g] = jax.valueAndGrad(loss)(copy(p), x, y);
    const m2 = m.map((m, i) => m.mul(0.9).add(g[i].ref.mul(0.1)));
    const v2 = v.map((v, i) => v.mul(0.999).add(g[i].ref.mul(g[i]).mul(0.001)));
    const p2 = p.map((q, i) => q.sub(m2[i].ref.mul(fix.ref).div(np.sqrt(v2[i].ref).add(1e-8))));
    fix.dispose();
    return [l, p2, m2, v2];
  });
  let p = mlpParams();
  let [m, v] = [p.map((q) => np.zeros(q.shape)), p.map((q) => np.zeros(q.shape))];
  let t = 0;
  return async () => {
    t++;
    const fix = np.array((1e-3 * Math.sqrt(1 - 0.999 ** t)) / (1 - 0.9 ** t));
    const [l, p2, m2, v2] = step(p, m, v, fix, x.ref, y.ref);
    [p, m, v] = [p2, m2, v2];
    await read(l);
  };
}

// Its `reduceWindow` has no gradient for maxima; of two by two a maximum over new axes does.
const pool = (x) => {
  const [b, c, h, w] = x.shape;
  return np.max(x.reshape([b, c, h / 2, 2, w / 2, 2]), [3, 5]);
};

function cnn() {
  const bias = (p) => p.reshape([1, -1, 1, 1]);
  const same = [[1, 1], [1, 1]];
  const forward = (p, x) => {
    let h = pool(nn.relu(lax.conv(x, p[0], [1, 1], same).add(bias(p[1]))));
    h = pool(nn.relu(lax.conv(h, p[2], [1, 1], same).add(bias(p[3]))));
    return np.matmul(h.reshape([32, 32 * 7 * 7]), p[4]).add(p[5]);
  };
  const params = [array([16, 1, 3, 3], 0.3), np.zeros([16]), array([32, 16, 3, 3], 0.1), np.zeros([32]),
    array([32 * 49, 10], 0.05), np.zeros([10])];
  return training(params, array([32, 1, 28, 28]), forward);
}

function gru() {
  const [size, rows] = [64, 28];
  const gate = (z, i) => z.slice([], [i * size, (i + 1) * size]);
  const forward = (p, x) => {
    let h = np.zeros([32, size]);
    const given = np.matmul(x.reshape([32 * rows, 28]), p[0]).add(p[1]).reshape([32, rows, 3 * size]);
    for (let t = 0; t < rows; t++) {
      const a = given.ref.slice([], t);
      const b = np.matmul(h.ref, p[2].ref).add(p[3].ref);
      const r = nn.sigmoid(gate(a.ref, 0).add(gate(b.ref, 0)));
      const z = nn.sigmoid(gate(a.ref, 1).add(gate(b.ref, 1)));
      const n = np.tanh(gate(a, 2).add(r.mul(gate(b, 2))));
      h = n.ref.add(z.mul(h.sub(n)));
    }
    given.dispose();
    p[2].dispose();
    p[3].dispose();
    return np.matmul(h, p[4]).add(p[5]);
  };
  const params = [array([28, 3 * size], 0.2), np.zeros([3 * size]), array([size, 3 * size], 0.2), np.zeros([3 * size]),
    array([size, 10], 0.2), np.zeros([10])];
  return training(params, array([32, rows, 28]), forward);
}

const normed = (x, w, b) => nn.standardize(x, -1).mul(w).add(b);

export const work = {
  "matmul 256": matmul(256),
  "matmul 512": matmul(512),
  "matmul 1024": matmul(1024),
  "matmul 512, both transposed": () => {
    const [a, b] = [array([512, 512]), array([512, 512])];
    return () => read(np.matmul(np.transpose(a.ref), np.transpose(b.ref)));
  },
  "matmul 16 of 128": () => {
    const [a, b] = [array([16, 128, 128]), array([16, 128, 128])];
    return () => read(np.matmul(a.ref, b.ref));
  },
  "tanh(2x+1)*x, a million": () => {
    const x = array([1 << 20]);
    return () => read(np.tanh(x.ref.mul(2).add(1)).mul(x.ref));
  },
  "sum of a million": () => {
    const x = array([1024, 1024]);
    return () => read(x.ref.sum());
  },
  "row sums of a million": () => {
    const x = array([1024, 1024]);
    return () => read(x.ref.sum(1));
  },
  "column maxima of a million": () => {
    const x = array([1024, 1024]);
    return () => read(np.max(x.ref, 0));
  },
  "softmax 256x1000": () => {
    const x = array([256, 1000]);
    return () => read(nn.softmax(x.ref, 1));
  },
  "layer norm 256x768": () => {
    const [x, w, b] = [array([256, 768]), array([768]), array([768])];
    return () => read(normed(x.ref, w.ref, b.ref));
  },
  "layer norm 256x768, with gradient": () => {
    const p = [array([256, 768]), array([768]), array([768])];
    const step = jax.jit(jax.grad((p) => normed(...p).sum()));
    return async () => {
      const [x, w, b] = step(copy(p));
      await Promise.all([read(x), read(w), read(b)]);
    };
  },
  "cross entropy 256x1000, with gradient": () => {
    const [x, y] = [array([256, 1000]), classes(256, 1000)];
    const step = jax.jit(jax.grad((x, y) => entropy(x, y)));
    return () => read(step(x.ref, y.ref));
  },
  "MLP step, SGD": () => training(mlpParams(), array([64, 784]), mlp),
  "MLP step, Adam": adam,
  "CNN step, SGD": cnn,
  "GRU step, SGD": gru,
};

export const start = (device) => jax.init(device).then(() => jax.defaultDevice(device));
