// What goes wrong in real life: broken downloads, broken lessons, code that asks for too much.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openChromium } from "./support/browsers.mjs";
import { runIn } from "./support/first-steps.mjs";
import { Lesson, until } from "./support/lesson.mjs";
import { serve } from "./support/server.mjs";

const RUNTIME = /^assets\/runtime_bg-/;

describe("trouble", () => {
  let browser;
  before(async () => (browser = await openChromium()));
  after(() => browser?.close());

  async function visit(spoil, work) {
    const site = await serve({ spoil });
    const page = await browser.page();
    try {
      await work(new Lesson(page, site.url), page);
    } finally {
      await page.leave();
      await site.close();
    }
  }

  for (const [what, fault] of [
    ["a download that breaks half way", () => ({ cutAt: 0.4 })],
    ["a file that arrives short", (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ["a missing file", () => ({ status: 404 })],
  ]) {
    test(`${what} offers to try again, and that works`, async () => {
      let broken = true;
      await visit((name, bytes) => (broken && RUNTIME.test(name) ? fault(bytes) : undefined), async (lesson, page) => {
        await lesson.open();
        await until(page, "the page says that Python did not start",
          () => document.querySelector("[data-runtime]")?.dataset.runtime === "failed");
        await lesson.cell("discount").write("print('still editable')");
        broken = false;
        await until(page, "a button to try again is pressed", () => {
          const button = [...document.querySelectorAll("button")].find((b) => /try again/i.test(b.innerText));
          button?.click();
          return !!button;
        });
        await lesson.ready();
        assert.match((await lesson.cell("discount").run()).output, /still editable/);
      });
    });
  }

  test("a lesson with mistakes says which, where, and what to do; the others still work", async () => {
    const bad = "---\nsummary: x\n---\n\n```python exercise id=a\nx = 1\n```\n\n```python solutoin for=a\nx = 2\n```\n";
    await visit((name) => (/01-broadcasting\/lesson\.en\.md$/.test(name) ? bad : undefined), async (lesson, page) => {
      await page.goto(`${lesson.base}#/first-steps/01-broadcasting`);
      await until(page, "the mistakes are shown", () => /solutoin/.test(document.body.innerText));
      const shown = await page.evaluate(() => document.body.innerText);
      assert.match(shown, /mistakes in its file/);
      assert.match(shown, /lesson\.en\.md:9|line 9/);
      await lesson.open("first-steps/02-views-and-strides");
    });
  });

  test("a course file with mistakes says so", async () => {
    await visit((name) => (/course\.yaml$/.test(name) ? "title: [" : undefined), async (lesson, page) => {
      await page.goto(lesson.base);
      await until(page, "the mistake is shown", () => /course\.yaml/.test(document.body.innerText));
    });
  });

  test("code that asks for too much gets Python's and PyTorch's errors, and the session lives on", async (t) => {
    await visit(undefined, async (lesson) => {
      await lesson.open();
      await lesson.ready();
      const cell = lesson.cell("discount");
      await runIn(cell, "import torch\nkept = 7");
      const cases = [
        ["a billion elements", "torch.zeros(1_000_000_000)", /RuntimeError/, /can't allocate memory: you tried to allocate 4000000000 bytes/],
        ["many more", "torch.ones(10**6, 10**6, 10**3)", /RuntimeError/, /./],
        ["deep recursion", "def f(n): return f(n + 1)\nf(0)", /RecursionError/, /maximum recursion depth exceeded/],
        ["text nested too deeply", `x = (\n${`${"-".repeat(50)}\n`.repeat(60)}1)`, /RecursionError/, /during compilation/],
        ["too many brackets", `x = ${`${"(".repeat(50)}\n`.repeat(60)}1`, /SyntaxError/, /too many nested parentheses/],
        ["too much for eval", "eval('not ' * 50_000 + '1')", /RecursionError/, /during compilation/],
        ["a syntax error", "x = (1,\ny = 2", /SyntaxError/, /./],
        ["an exception", "{}['missing']", /KeyError/, /missing/],
        ["an exit", "import sys\nsys.exit(3)", /SystemExit|/, /./],
      ];
      for (const [what, code, kind, message] of cases) {
        await t.test(what, async () => {
          const look = await runIn(cell, code);
          assert.match(look.all, kind);
          assert.match(look.all, message);
          assert.match((await runIn(cell, "print('kept', kept)")).output, /kept 7/);
        });
      }
      await t.test("memory used up bit by bit", async () => {
        const look = await runIn(cell, "pile = []\nwhile True:\n    pile.append(torch.ones(64, 1024, 1024))", 120_000);
        assert.match(look.all, /can't allocate memory|MemoryError|restarted/);
        await lesson.ready();
        assert.match((await runIn(cell, "pile = None\nprint('alive')")).output, /alive/);
      });
      await t.test("a flood of output", async () => {
        const look = await runIn(cell, "for i in range(40_000): print('line', i)\nprint('the end')", 120_000);
        assert.equal(look.state, "done");
        for (const part of [/^line 0\n/, /left out/, /the end/]) {
          assert.ok(part.test(look.output), `the output has ${part}; it ends with ${look.output.slice(-200)}`);
        }
      });
    });
  });
});
