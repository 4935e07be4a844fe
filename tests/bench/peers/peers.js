// The page's side: runs one library's work, or the bare matrix product, and gives milliseconds a name.
import * as jax from "./jax.js";
import * as tf from "./tf.js";
import { measure } from "./time.js";

const peers = { jax, tf };

/** `{ name: milliseconds }` of the work of these names; a text where the library cannot do it. On a GPU there are fewer rounds. */
window.runPeer = async (peer, only, device, names) => {
  const { work, start } = peers[peer];
  await start(device);
  const took = {};
  for (const [name, make] of Object.entries(work)) {
    if (!name.includes(only) || (names && !names.includes(name))) continue;
    try {
      took[name] = await (device === "webgpu" ? measure(make(), 20, 7) : measure(make()));
    } catch (error) {
      took[name] = String(error?.message ?? error).split("\n")[0].slice(0, 200);
    }
  }
  return took;
};

window.runGemm = async (url) => {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(url));
  const took = {};
  for (const n of [256, 512, 1024]) {
    instance.exports.prepare(n);
    took[`matmul ${n}`] = await measure(() => instance.exports.multiply(n));
  }
  return took;
};
window.ready = true;
