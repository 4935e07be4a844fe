// Bundles what the page loads beside its wasm: the editor (CodeMirror, chosen by hand) and the styles.
// Usage: npm run bundle -- OUTDIR [--dev]
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const dev = args.includes("--dev");
const out = args.find((arg) => !arg.startsWith("--"));
if (!out) {
  console.error("Name the folder to write to: npm run bundle -- OUTDIR [--dev]");
  process.exit(2);
}

const common = { bundle: true, minify: !dev, legalComments: "none", logLevel: "warning", target: "es2022", charset: "utf8" };
await build({
  ...common,
  entryPoints: [path.join(here, "editor.js")],
  format: "esm",
  outfile: path.join(out, "editor.js"),
});
await build({
  ...common,
  entryPoints: [path.join(here, "..", "styles", "index.css")],
  outfile: path.join(out, "styles.css"),
});
