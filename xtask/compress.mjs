// Compresses files side by side. Standard input is JSON, [{"from": path, "br": path, "gz": path}, …]; each result is
// written beside its final name first, so that an interrupted run leaves no half file.
import { readFile, rename, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

async function put(path, bytes) {
  await writeFile(path + ".part", bytes);
  await rename(path + ".part", path);
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
await Promise.all(
  JSON.parse(input).map(async ({ from, br, gz }) => {
    const bytes = await readFile(from);
    const options = {
      [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
      [zlib.constants.BROTLI_PARAM_LGWIN]: 24,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    await Promise.all([
      brotli(bytes, { params: options }).then((out) => put(br, out)),
      gzip(bytes, { level: 9 }).then((out) => put(gz, out)),
    ]);
  }),
);
