// Bundles and minifies one generated JavaScript module: node minify.mjs IN OUT
import { build } from "esbuild";

const [input, output] = process.argv.slice(2);
await build({
  entryPoints: [input],
  outfile: output,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
