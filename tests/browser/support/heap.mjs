// Looks at the memory of a page's worker through the browser's own tools, which see into workers as pages cannot.

/** Bytes in use by JavaScript and bytes of WebAssembly memory in the page's next worker, after a collection. */
export async function watchHeap(page) {
  const tools = await page.context().newCDPSession(page);
  const waiting = new Map();
  let worker, last = 0;
  tools.on("Target.attachedToTarget", ({ sessionId }) => { worker = sessionId; });
  tools.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    const { resolve, reject } = waiting.get(id) ?? {};
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  });
  await tools.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const ask = (method, params = {}) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    tools.send("Target.sendMessageToTarget", { sessionId: worker, message: JSON.stringify({ id, method, params }) }).catch(reject);
  });
  return async () => {
    await ask("HeapProfiler.collectGarbage");
    const { usedSize } = await ask("Runtime.getHeapUsage");
    const { result: prototype } = await ask("Runtime.evaluate", { expression: "WebAssembly.Memory.prototype" });
    const { objects } = await ask("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
    const { result: wasm } = await ask("Runtime.callFunctionOn", {
      objectId: objects.objectId,
      functionDeclaration: "function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }",
      returnByValue: true,
    });
    return { js: usedSize, wasm: wasm.value };
  };
}
