// Talks to the runtime's worker as the page does, without the page: for tests of Python itself in the browser.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { dist } from "./server.mjs";

/** Starts a worker in a page of the site; `run(source)` gives what one fresh session prints and how it ends. With `gpu` its
 * programs may have the GPU. */
export async function startWorker(page, base, { gpu = false } = {}) {
  const file = (await readdir(path.join(dist, "assets"))).find((name) => /^worker-[0-9a-f]+\.js$/.test(name));
  await page.goto(`${base}courses/courses.json`);
  const ready = await page.evaluate(([url, gpu]) => new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
    const runs = new Map();
    let last = 0;
    worker.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "ready") return resolve(message);
      if (message.type === "load_failed" || message.type === "crashed") {
        for (const run of runs.values()) run.done({ ...run, outcome: { kind: "crashed", message: message.message } });
        return reject(new Error(message.message));
      }
      const run = runs.get(message.run);
      if (!run) return;
      if (message.type === "output") run[message.stream] += message.text;
      if (message.type === "value") run.value = message.text;
      if (message.type === "finished") {
        runs.delete(message.run);
        run.done({ stdout: run.stdout, stderr: run.stderr, value: run.value, outcome: message.outcome });
      }
    };
    window.runPython = (source, file) => new Promise((done) => {
      const run = ++last;
      const session = `test-${run}`;
      runs.set(run, { stdout: "", stderr: "", done: (result) => {
        worker.postMessage(JSON.stringify({ type: "forget", session }));
        done(result);
      } });
      worker.postMessage(JSON.stringify({ type: "run", run, session, file, before: [], source, gpu }));
    });
  }), [`${base}assets/${file}`, gpu]);
  return {
    ready,
    run(source, name = "script.py", limit = 60_000) {
      let timer;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${name} has not ended in ${limit / 1000} s`)), limit);
      });
      const done = page.evaluate(([source, name]) => window.runPython(source, name), [source, name]);
      return Promise.race([done, late]).finally(() => clearTimeout(timer));
    },
  };
}
