// The work of speed.py in TensorFlow.js, on its wasm or WebGPU backend.
import * as tf from "@tensorflow/tfjs";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import "@tensorflow/tfjs-backend-webgpu";
import { random } from "./time.js";

const array = (shape, scale) => tf.tensor(random(shape.reduce((a, b) => a * b, 1), scale), shape);
const variable = (shape, scale) => tf.variable(array(shape, scale));
const zeros = (shape) => tf.variable(tf.zeros(shape));

/** Computes, waits for the numbers, and lets go of them. */
const each = (compute) => async () => {
  const made = tf.tidy(compute);
  await Promise.all([made].flat().map((x) => x.data()));
  tf.dispose(made);
};
const matmul = (n) => () => {
  const [a, b] = [array([n, n]), array([n, n])];
  return each(() => tf.matMul(a, b));
};
const million = (f) => () => {
  const x = array([1024, 1024]);
  return each(() => f(x));
};
const hot = (batch, count) =>
  tf.oneHot(tf.tensor1d(Array.from({ length: batch }, (_, i) => i % Math.min(count, 10)), "int32"), count).toFloat();

function training(x, forward, optimizer) {
  const y = hot(x.shape[0], 10);
  return async () => {
    const loss = optimizer.minimize(() => tf.losses.softmaxCrossEntropy(y, forward(x)), true);
    await loss.data();
    loss.dispose();
  };
}

function mlp(optimizer) {
  const [w1, b1, w2, b2] = [variable([784, 128], 0.05), zeros([128]), variable([128, 10], 0.1), zeros([10])];
  return training(array([64, 784]), (x) => x.matMul(w1).add(b1).relu().matMul(w2).add(b2), optimizer);
}

function cnn() {
  const [k1, b1, k2, b2] = [variable([3, 3, 1, 16], 0.3), zeros([16]), variable([3, 3, 16, 32], 0.1), zeros([32])];
  const [w, b] = [variable([32 * 49, 10], 0.05), zeros([10])];
  const forward = (x) => {
    const h = tf.maxPool(tf.conv2d(x, k1, 1, "same").add(b1).relu(), 2, 2, "valid");
    return tf.maxPool(tf.conv2d(h, k2, 1, "same").add(b2).relu(), 2, 2, "valid").reshape([32, 32 * 49]).matMul(w).add(b);
  };
  return training(array([32, 28, 28, 1]), forward, tf.train.sgd(0.1));
}

function gru() {
  const [size, rows] = [64, 28];
  const [wi, bi, wh, bh] = [variable([28, 3 * size], 0.2), zeros([3 * size]), variable([size, 3 * size], 0.2), zeros([3 * size])];
  const [w, b] = [variable([size, 10], 0.2), zeros([10])];
  const forward = (x) => {
    let h = tf.zeros([32, size]);
    const given = tf.unstack(x.reshape([32 * rows, 28]).matMul(wi).add(bi).reshape([32, rows, 3 * size]), 1);
    for (const step of given) {
      const [ar, az, an] = tf.split(step, 3, 1);
      const [br, bz, bn] = tf.split(h.matMul(wh).add(bh), 3, 1);
      const [r, z] = [ar.add(br).sigmoid(), az.add(bz).sigmoid()];
      const n = an.add(r.mul(bn)).tanh();
      h = n.add(z.mul(h.sub(n)));
    }
    return h.matMul(w).add(b);
  };
  return training(array([32, rows, 28]), forward, tf.train.sgd(0.1));
}

function normed(x, w, b) {
  const { mean, variance } = tf.moments(x, 1, true);
  return x.sub(mean).div(variance.add(1e-5).sqrt()).mul(w).add(b);
}

export const work = {
  "matmul 256": matmul(256),
  "matmul 512": matmul(512),
  "matmul 1024": matmul(1024),
  "matmul 512, both transposed": () => {
    const [a, b] = [array([512, 512]), array([512, 512])];
    return each(() => tf.matMul(a, b, true, true));
  },
  "matmul 16 of 128": () => {
    const [a, b] = [array([16, 128, 128]), array([16, 128, 128])];
    return each(() => tf.matMul(a, b));
  },
  "tanh(2x+1)*x, a million": million((x) => x.mul(2).add(1).tanh().mul(x)),
  "sum of a million": million((x) => x.sum()),
  "row sums of a million": million((x) => x.sum(1)),
  "column maxima of a million": million((x) => x.max(0)),
  "softmax 256x1000": () => {
    const x = array([256, 1000]);
    return each(() => tf.softmax(x));
  },
  "layer norm 256x768": () => {
    const [x, w, b] = [array([256, 768]), array([768]), array([768])];
    return each(() => normed(x, w, b));
  },
  "layer norm 256x768, with gradient": () => {
    const given = [array([256, 768]), array([768]), array([768])];
    const gradient = tf.grads((x, w, b) => normed(x, w, b).sum());
    return each(() => gradient(given));
  },
  "cross entropy 256x1000, with gradient": () => {
    const [x, y] = [array([256, 1000]), hot(256, 1000)];
    const gradient = tf.grad((x) => tf.losses.softmaxCrossEntropy(y, x));
    return each(() => gradient(x));
  },
  "MLP step, SGD": () => mlp(tf.train.sgd(0.1)),
  "MLP step, Adam": () => mlp(tf.train.adam(1e-3)),
  "CNN step, SGD": cnn,
  "GRU step, SGD": gru,
};

export async function start(device) {
  setWasmPaths("./node_modules/@tensorflow/tfjs-backend-wasm/dist/");
  await tf.setBackend(device);
  await tf.ready();
  if (tf.getBackend() !== device) throw new Error(`TensorFlow.js runs on ${tf.getBackend()}`);
}
