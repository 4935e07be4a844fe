// The worker's shim: fetches the runtime with its progress told, starts it, and hands it the page's messages. Messages
// are JSON texts, described in runtime/protocol.

const WASM = new URL("{{runtime_bg.wasm}}", import.meta.url);
const GLUE = new URL("{{runtime.js}}", import.meta.url);
const FUSED = new URL("{{fused.wasm}}", import.meta.url);
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

/** Reads a body to its end, telling how far it is. */
async function watchArrival(body) {
  let received = 0;
  let told = 0;
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    received += value.byteLength;
    if (received - told > 100_000) {
      told = received;
      say({ type: "loading", received, total: TOTAL });
    }
  }
  if (TOTAL && received < TOTAL) throw new Error(`only ${received} of ${TOTAL} bytes arrived`);
  say({ type: "loading", received, total: TOTAL });
  say({ type: "starting" });
}

/** Fetches the runtime and compiles it as it comes. */
async function fetchRuntime() {
  say({ type: "loading", received: 0, total: TOTAL });
  const response = await fetch(WASM);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
  const arrival = watchArrival(response.clone().body);
  // The response as it came from the network: only so does the browser keep the compiled code for the next visit.
  const known = response.headers.get("Content-Type")?.startsWith("application/wasm");
  const typed = known ? response : new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
  const [module] = await Promise.all([WebAssembly.compileStreaming(typed), arrival]);
  return module;
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
  const [module, fused, glue] = await Promise.all([fetchRuntime(), fetchFused(), import(GLUE)]);
  const { memory } = await glue.default({ module_or_path: module });
  if (fused) globalThis.rushlightFused = (await WebAssembly.instantiate(fused, { env: { memory } })).exports.fused_product;
  glue.start(jspi, fused !== undefined);
  // After Ready, so that the page knows; a run that comes meanwhile waits a moment.
  glue.warm();
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
    // A trap: the instance is not to be used again. The page starts another worker.
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
