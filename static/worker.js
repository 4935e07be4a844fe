// The worker's shim: fetches the runtime with its progress told, starts it, and hands it the page's messages. Messages
// are JSON texts, described in runtime/protocol.

const WASM = new URL("{{runtime_bg.wasm}}", import.meta.url);
const GLUE = new URL("{{runtime.js}}", import.meta.url);
const FUSED = new URL("{{fused.wasm}}", import.meta.url);
const KEPT = new URL("{{kept.js}}", import.meta.url);
/** Size of the file as it is unpacked. */
const TOTAL = Number("{{size:runtime_bg.wasm}}");

const say = (message) => postMessage(JSON.stringify(message));

// JSPI lets Python wait while this loop goes on. Where the browser lacks it the module still loads with these
// stand-ins; nothing then waits, and Stop is answered by the page with a new worker.
const jspi = typeof WebAssembly.Suspending === "function" && typeof WebAssembly.promising === "function";
if (!jspi) {
  WebAssembly.Suspending = function (act) {
    return act;
  };
  WebAssembly.promising =
    (act) =>
    async (...given) =>
      act(...given);
}
if (!WebAssembly.JSTag && WebAssembly.Tag) WebAssembly.JSTag = new WebAssembly.Tag({ parameters: ["externref"] });

// Kernels may speak of subgroups where the adapter has them. The runtime's library (wgpu 30) has no name for that feature in
// browsers, so it is asked for here.
const adapter = globalThis.GPUAdapter?.prototype;
if (adapter) {
  const requestDevice = adapter.requestDevice;
  adapter.requestDevice = function (wanted) {
    const requiredFeatures = [...(wanted?.requiredFeatures ?? [])];
    if (this.features.has("subgroups")) requiredFeatures.push("subgroups");
    return requestDevice.call(this, { ...wanted, requiredFeatures });
  };
}

const channel = new MessageChannel();
let turned = () => {};
channel.port1.onmessage = () => turned();

/** Settles when waiting events have been handled, at the earliest after so many milliseconds. */
globalThis.rushlightTurn = (milliseconds) =>
  new Promise((resolve) => {
    if (milliseconds > 0) {
      setTimeout(resolve, milliseconds);
    } else {
      turned = resolve;
      channel.port2.postMessage(0);
    }
  });

/** A download that takes longer than this, in milliseconds, is told of: a cached one is over sooner, and telling costs time. */
const PATIENCE = 400;
/** A moment for the first run, in milliseconds, before the memory is kept. */
const LATER = 1000;

/** Reads a body to its end, telling how far it is. */
async function watchArrival(body) {
  let received = 0;
  let told = 0;
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    received += value.byteLength;
    if (received - told > TOTAL / 50) {
      told = received;
      say({ type: "loading", received, total: TOTAL });
    }
  }
  if (TOTAL && received < TOTAL) throw new Error(`only ${received} of ${TOTAL} bytes arrived`);
}

/** Fetches the runtime and compiles it as it comes. */
async function fetchRuntime() {
  say({ type: "loading", received: 0, total: TOTAL });
  const response = await fetch(WASM);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
  const copy = response.clone().body;
  // The response as it came from the network: only so does the browser keep the compiled code for the next visit.
  const known = response.headers.get("Content-Type")?.startsWith("application/wasm");
  const typed = known ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
  let arrival;
  const watch = setTimeout(() => {
    arrival = watchArrival(copy);
    arrival.catch(() => {}); // asked for below
  }, PATIENCE);
  try {
    const module = await WebAssembly.compileStreaming(typed);
    say({ type: "starting" });
    return module;
  } catch (error) {
    // What did not arrive says more than what could not be compiled.
    await (arrival ?? watchArrival(copy));
    throw error;
  } finally {
    clearTimeout(watch);
    if (!arrival) copy.cancel().catch(() => {});
  }
}

/** The module for matrix products with fused multiply-add; nothing where the browser has no relaxed SIMD, or it does not
 * come: the runtime has products of its own. */
async function fetchFused() {
  try {
    return await WebAssembly.compile(await (await fetch(FUSED)).arrayBuffer());
  } catch {
    return undefined;
  }
}

async function begin() {
  const keeping = import(KEPT);
  const recalled = keeping.then((kept) => kept.recall(WASM.href, jspi));
  const arriving = [fetchRuntime(), fetchFused(), import(GLUE), keeping, recalled];
  const [module, fused, glue, kept, memory] = await Promise.all(arriving);
  const instance = await glue.default({ module_or_path: module });
  if (fused) {
    const { exports } = await WebAssembly.instantiate(fused, { env: { memory: instance.memory } });
    globalThis.rushlightFused = exports.fused_product;
  }
  if (kept.restore(instance, memory)) {
    try {
      glue.resume(jspi, fused !== undefined);
    } catch (error) {
      // Not to be met again when the page tries once more.
      await kept.forget();
      throw error;
    }
    return glue;
  }
  const before = instance.memory.buffer.slice(0);
  glue.start(jspi, fused !== undefined);
  // After Ready, so that the page knows; a run that comes meanwhile waits a moment.
  glue.warm();
  const keep = kept.copy(instance, before);
  setTimeout(() => keep(WASM.href, jspi), LATER);
  return glue;
}

let glue;
const waiting = [];
let working = false;

async function work() {
  if (working || !glue) return;
  working = true;
  try {
    while (waiting.length) await glue.work(waiting.shift());
    working = false;
  } catch (error) {
    // A trap: the instance is not to be used again. The page starts another worker, from the beginning.
    import(KEPT).then((kept) => kept.forget());
    say({ type: "crashed", message: String(error?.message ?? error) });
  }
}

onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "stop") {
    const at = waiting.findIndex((text) => JSON.parse(text).run === message.run);
    if (at >= 0) {
      waiting.splice(at, 1);
      say({ type: "finished", run: message.run, outcome: { kind: "stopped" }, seconds: 0, names: [] });
    } else {
      glue?.stop(message.run);
    }
  } else {
    waiting.push(data);
    work();
  }
};

begin().then(
  (started) => {
    glue = started;
    work();
  },
  (error) => say({ type: "load_failed", message: String(error?.message ?? error) }),
);
