// Serves dist/ on a fresh port, as a static host would, and lets a test spoil what goes over the wire.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
export const dist = path.join(root, "dist");

const types = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  json: "application/json",
  wasm: "application/wasm",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  md: "text/markdown; charset=utf-8",
  yaml: "application/yaml",
  webmanifest: "application/manifest+json",
};

/**
 * `spoil(name, bytes)` may return other bytes, `{ status }`, or `{ cutAt: share }` (the connection breaks there);
 * `name` is the path without the leading slash. `requests` collects the paths asked for.
 */
export async function serve({ spoil } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let name = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1);
    requests.push(name);
    if (name === "" || name.endsWith("/")) name += "index.html";
    const file = path.join(dist, name);
    try {
      if (!file.startsWith(dist + path.sep) || !(await stat(file)).isFile()) throw new Error("no such file");
    } catch {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n");
      return;
    }
    let bytes = await readFile(file);
    const headers = {
      "Content-Type": types[path.extname(name).slice(1)] ?? "application/octet-stream",
      "Cache-Control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    };
    const spoilt = await spoil?.(name, bytes);
    if (spoilt?.status) {
      response.writeHead(spoilt.status, { "Content-Type": "text/plain" }).end("spoilt\n");
      return;
    }
    if (spoilt?.cutAt !== undefined) {
      response.writeHead(200, { ...headers, "Content-Length": bytes.length, "Cache-Control": "no-store" });
      response.write(bytes.subarray(0, Math.floor(bytes.length * spoilt.cutAt)), () => response.destroy());
      return;
    }
    if (spoilt !== undefined && spoilt !== null) {
      bytes = Buffer.from(spoilt);
    } else if (/\bbr\b/.test(request.headers["accept-encoding"] ?? "")) {
      const packed = await readFile(file + ".br").catch(() => null);
      if (packed) {
        bytes = packed;
        headers["Content-Encoding"] = "br";
      }
    }
    response.writeHead(200, { ...headers, "Content-Length": bytes.length });
    response.end(request.method === "HEAD" ? undefined : bytes);
  });
  return { ...(await listen(server)), requests };
}

async function listen(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves a folder as it is; `named` gives files that lie elsewhere. */
export async function serveFolder(folder, named = {}) {
  return listen(createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(1);
    const file = named[name] ?? path.join(folder, name);
    const bytes = named[name] || file.startsWith(folder + path.sep) ? await readFile(file).catch(() => null) : null;
    const type = types[path.extname(name).slice(1)] ?? "application/octet-stream";
    response.writeHead(bytes ? 200 : 404, { "Content-Type": type, "Cache-Control": "max-age=3600" }).end(bytes ?? "");
  }));
}

/** Takes JSPI from the worker before its first line: what a browser without it shows to the runtime. */
export const withoutJspi = (name, bytes) =>
  /^assets\/worker-[0-9a-f]+\.js$/.test(name)
    ? "delete WebAssembly.Suspending; delete WebAssembly.promising; delete WebAssembly.SuspendError;\n" + bytes
    : undefined;
