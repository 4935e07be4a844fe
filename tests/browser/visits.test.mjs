// Coming back: the second visit goes on from the memory that the first one left when Python had started.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { chromiumVisits } from "./support/browsers.mjs";
import { discountOutput, runIn } from "./support/first-steps.mjs";
import { Lesson, until } from "./support/lesson.mjs";
import { serve } from "./support/server.mjs";

/** Waits until something is kept, and gives its size. */
const keptSize = (page) => until(page, "the memory is kept", async () => {
  const store = await caches.open("rushlight-memory");
  const [request] = await store.keys();
  return request && (await (await store.match(request)).arrayBuffer()).byteLength;
});

describe("a later visit", () => {
  let folder, site, browser;
  /** Tells whether the worker started from the kept memory: then it does not start the interpreter. */
  const resumed = (name, bytes) => (/^assets\/worker-/.test(name)
    ? String(bytes).replace(/glue\.resume\([^;]*;/, "$& postMessage('{\"type\":\"resumed\"}');") : undefined);
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rushlight-visits-"));
    site = await serve({ spoil: resumed });
    browser = await chromiumVisits(folder);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the lesson as one visit; the work gets to know whether Python went on from a kept memory. */
  async function visit(work) {
    const page = await browser.page();
    await page.addInitScript(() => {
      window.resumed = false;
      const Plain = window.Worker;
      window.Worker = class extends Plain {
        constructor(...given) {
          super(...given);
          this.addEventListener("message", ({ data }) => {
            if (JSON.parse(data).type === "resumed") window.resumed = true;
          });
        }
      };
    });
    const lesson = new Lesson(page, site.url);
    await lesson.open();
    await lesson.ready();
    const run = async (text) => (await runIn(lesson.cell("discount"), text)).output;
    await work({ page, lesson, run, resumed: () => page.evaluate(() => window.resumed) });
    await page.leave();
  }
  const probe = "import time, random, torch\nprint(random.random(), torch.initial_seed())\n" +
    "print(0 <= time.process_time() < 60, abs(time.time() - NOW) < 60, time.monotonic() > 0)";

  test("the first one starts Python and keeps its memory as it was before any cell", async () => {
    await visit(async ({ page, lesson, run, resumed }) => {
      assert.equal((await lesson.cell("discount").run()).output.trim(), discountOutput);
      await run("secret = 'of the first visit'");
      assert.ok((await keptSize(page)) > 1e6);
      assert.equal(await resumed(), false);
      first = await run(probe.replace("NOW", Date.now() / 1000));
    });
  });
  let first;

  test("the second one goes on from there, with nothing of the first one's cells and with clocks of its own", async () => {
    await visit(async ({ run, resumed }) => {
      assert.equal(await resumed(), true);
      assert.equal((await run("print('secret' in globals())")).trim(), "False");
      const second = await run(probe.replace("NOW", Date.now() / 1000));
      const [[drawn, seed], [clocks]] = [second.trim().split("\n")[0].split(" "), [second.trim().split("\n")[1]]];
      assert.equal(clocks, "True True True");
      const [drawnFirst, seedFirst] = first.trim().split("\n")[0].split(" ");
      assert.notEqual(seed, seedFirst);
      assert.notEqual(drawn, drawnFirst);
    });
  });

  test("a kept memory that is not whole is not used, and is kept anew", async () => {
    await visit(async ({ page }) => {
      await page.evaluate(async () => {
        const store = await caches.open("rushlight-memory");
        const [request] = await store.keys();
        const bytes = await (await store.match(request)).arrayBuffer();
        await store.put(request, new Response(bytes.slice(0, bytes.byteLength / 2)));
      });
    });
    await visit(async ({ page, run, resumed }) => {
      assert.equal((await run("import torch\nprint(torch.ones(2))")).trim(), "tensor([1., 1.])");
      assert.equal(await resumed(), false);
      await until(page, "it is whole again", async () => {
        const store = await caches.open("rushlight-memory");
        const bytes = await (await store.match((await store.keys())[0])).arrayBuffer();
        const [, , handles, blocks] = new Uint32Array(bytes, 0, 4);
        return bytes.byteLength === 16 + 4 * (handles + blocks) + 4096 * blocks;
      });
    });
  });
});
