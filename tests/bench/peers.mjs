// Measures Rushlight beside jax-js and TensorFlow.js (both on wasm), the bare crate `gemm`, and Pyodide's start, in one
// Chromium run: Rushlight in its worker, as learners run it. Prints Markdown tables and writes the figures as JSON.
// Wants a release build in dist/, the packages of peers/ and the wasm module of gemm/: `cargo xtask bench --peers`.
// All take turns, three times, and the best figure of each counts: what it costs when nothing else disturbs.
// With DEVICE=webgpu all three compute on WebGPU instead (`cargo xtask bench --gpu`), which Chromium gives SwiftShader for.
// ONLY=text measures what has the text in its name; WHO=rushlight,jax,tf,gemm,start chooses; PASSES counts turns, RUNS
// starts.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { chromiumVisits, openChromium } from "../browser/support/browsers.mjs";
import { until } from "../browser/support/lesson.mjs";
import { root, serve, serveFolder } from "../browser/support/server.mjs";
import { startWorker } from "../browser/support/worker.mjs";
import { firstOutput, spoil } from "./first-output.mjs";

const here = path.join(root, "tests/bench");
const [gemm, out] = process.argv.slice(2);
const only = process.env.ONLY ?? "";
const gpu = process.env.DEVICE === "webgpu";
const who = (process.env.WHO ?? (gpu ? "rushlight,jax,tf" : "rushlight,jax,tf,gemm,start")).split(",");
const runs = Number(process.env.RUNS ?? 5);
const passes = Number(process.env.PASSES ?? 3);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const parse = (text) => Object.fromEntries(text.trim().split("\n").filter(Boolean).map((line) => {
  const [name, took] = line.split("\t");
  return [name, Number(took)];
}));

async function ours(browser) {
  const site = await serve();
  const page = await browser.page();
  const worker = await startWorker(page, site.url, { gpu });
  const run = async (file, before = "") => {
    const source = before + (await readFile(path.join(here, file), "utf8"));
    const { stdout, stderr, outcome } = await worker.run(source, file, 600_000);
    if (outcome.kind !== "done") throw new Error(`${file}: ${outcome.kind}\n${stdout}${stderr}`);
    return parse(stdout);
  };
  const took = await run(gpu ? "gpu.py" : "speed.py", `ONLY = ${JSON.stringify(only)}\n`);
  if (!only && !gpu && !found.memory) found.memory = await run("memory.py");
  await page.leave();
  await site.close();
  return took;
}

async function theirs(browser, site, name) {
  const page = await browser.page();
  page.setDefaultTimeout(900_000);
  await page.goto(`${site.url}index.html`);
  await until(page, "the peers' page is loaded", () => window.ready);
  const names = gpu ? Object.keys(found.rushlight ?? {}) : null;
  const took = await page.evaluate(([name, only, device, names]) =>
    name === "gemm" ? window.runGemm("./gemm.wasm") : window.runPeer(name, only, device, names),
  [name, only, gpu ? "webgpu" : "wasm", names]);
  await page.leave();
  return took;
}

/** The better figure for each name. */
function better(a = {}, b) {
  const both = Object.entries(b).map(([name, took]) =>
    [name, typeof took === "number" && typeof a[name] === "number" ? Math.min(a[name], took) : took]);
  return { ...a, ...Object.fromEntries(both) };
}

/** First output in milliseconds from navigation: ours twice with one profile, Pyodide's on a fresh one. */
async function starts(peerSite) {
  const times = { first: [], second: [], pyodide: [] };
  for (let run = 0; run < runs; run++) {
    const profile = await mkdtemp(path.join(os.tmpdir(), "rushlight-bench-"));
    const site = await serve({ spoil });
    const visits = await chromiumVisits(profile);
    for (const visit of ["first", "second"]) {
      times[visit].push((await firstOutput(visits, site, 3000)).output);
    }
    const page = await visits.page();
    await page.goto(`${peerSite.url}pyodide.html`);
    times.pyodide.push(await until(page, "Pyodide printed", () => window.first));
    await visits.close();
    await site.close();
    await rm(profile, { recursive: true, force: true });
  }
  return times;
}

await build({
  entryPoints: [path.join(here, "peers/peers.js")], bundle: true, format: "esm", logLevel: "error",
  outfile: path.join(here, "peers/node_modules/.bench/bundle.js"),
});
const site = await serveFolder(path.join(here, "peers"), {
  "bundle.js": path.join(here, "peers/node_modules/.bench/bundle.js"), "gemm.wasm": gemm,
});
const browser = await openChromium({ gpu });
const version = browser.version();
const found = { date: new Date().toISOString(), chromium: version, cpus: os.cpus().length, cpu: os.cpus()[0]?.model };
for (let pass = 0; pass < passes; pass++) {
  for (const name of ["rushlight", "gemm", "jax", "tf"].filter((name) => who.includes(name))) {
    found[name] = better(found[name], await (name === "rushlight" ? ours(browser) : theirs(browser, site, name)));
  }
}
await browser.close();
if (who.includes("start")) found.start = await starts(site);
await site.close();
try {
  found.commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
} catch {
  // Not a checkout.
}
await writeFile(out, JSON.stringify(found, null, 1) + "\n");

const ms = (took) => (typeof took === "number" ? took.toFixed(took < 10 ? 3 : 1) : took ? "cannot" : "");
const share = (a, b) => (typeof a === "number" && typeof b === "number" ? (a / b).toFixed(2) : "");
const lines = [`Chromium ${version}, ${found.cpus} cores, ${found.date.slice(0, 10)}`, ""];
lines.push("| milliseconds | Rushlight | jax-js | TensorFlow.js | of jax-js | of TensorFlow.js |", "|---|--:|--:|--:|--:|--:|");
const mine = found.rushlight ?? {};
const names = new Set([...Object.keys(mine), ...(gpu ? [] : Object.keys(found.jax ?? {}))]);
for (const name of names) {
  if (name.startsWith("launches of ")) continue;
  const row = [mine[name], found.jax?.[name], found.tf?.[name]];
  lines.push(`| ${name} | ${row.map(ms).join(" | ")} | ${share(row[0], row[1])} | ${share(row[0], row[2])} |`);
}
const launched = Object.entries(mine).filter(([name]) => name.startsWith("launches of "));
if (launched.length > 0) {
  lines.push("", `Kernels launched: ${launched.map(([name, n]) => `${n} for ${name.slice("launches of ".length)}`).join(", ")}.`);
}
for (const [name, took] of Object.entries(found.gemm ?? {})) {
  lines.push(`| ${name}, bare \`gemm\` | ${ms(took)} | | | speed of it: ${share(took, mine[name])} | |`);
}
if (found.memory) {
  const { 10: early, 1000: late } = found.memory;
  lines.push("", `Live bytes of tensors after 10 training steps: ${early}; after 1,000: ${late}.`);
}
if (found.start) {
  const { first, second, pyodide } = found.start;
  lines.push("", `| first output, median of ${runs} | ms | all |`, "|---|--:|---|");
  const row = (name, list) => lines.push(`| ${name} | ${median(list).toFixed(0)} | ${list.map((t) => t.toFixed(0)).join(", ")} |`);
  row("`print(torch.ones(2))`, cold", first);
  row("the same, second visit", second);
  row("Pyodide `print(1)`, cold", pyodide);
}
console.log(lines.join("\n"));
