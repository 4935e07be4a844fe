// Measures a first visit in Chromium, over localhost and with nothing cached, and what is downloaded for it.
// Prints a Markdown table. Wants a release build in dist/: `cargo xtask bench` makes it and calls this.
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { openChromium } from "../browser/support/browsers.mjs";
import { dist, serve } from "../browser/support/server.mjs";
import { firstOutput, spoil } from "./first-output.mjs";

const RUNS = Number(process.env.RUNS ?? 5);
const isRuntime = (name) => /^assets\/(runtime|runtime_bg|fused|worker|kept)-/.test(name);

async function packed(names) {
  let bytes = 0;
  for (const name of names) {
    const file = path.join(dist, name || "index.html");
    bytes += (await stat(file + ".br").catch(() => stat(file))).size;
  }
  return bytes;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const times = { editable: [], ready: [], output: [] };
let fetched;
for (let run = 0; run < RUNS; run++) {
  const site = await serve({ spoil });
  const browser = await openChromium();
  const seen = await firstOutput(browser, site);
  for (const name in times) times[name].push(seen[name] ?? NaN);
  fetched = [...new Set(site.requests)];
  await browser.close();
  await site.close();
}

const existing = [];
for (const name of fetched) if (await stat(path.join(dist, name || "index.html")).catch(() => null)) existing.push(name);
const page = await packed(existing.filter((name) => !isRuntime(name)));
const runtime = await packed(existing.filter(isRuntime));
const raw = (await readFile(path.join(dist, existing.find((name) => /runtime_bg/.test(name))))).length;

const seconds = (name) => `${(median(times[name]) / 1000).toFixed(2)} s`;
const range = (name) => times[name].map((t) => (t / 1000).toFixed(2)).sort().join(", ");
const kb = (bytes) => (bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(2)} MB`);
console.log(`
| Cold start, Chromium, localhost | median of ${RUNS} | aim | all |
|---|--:|--:|---|
| lesson shown, editor takes text | ${seconds("editable")} | 1 s | ${range("editable")} |
| Python ready | ${seconds("ready")} | | ${range("ready")} |
| first \`print(torch.ones(2))\` | ${seconds("output")} | 2.5 s | ${range("output")} |

| Download, brotli | size | aim |
|---|--:|--:|
| page, all it loads before the runtime (${existing.filter((name) => !isRuntime(name)).length} files) | ${kb(page)} | 450 KB |
| runtime (${kb(raw)} unpacked) | ${kb(runtime)} | 4 MB |
`);
