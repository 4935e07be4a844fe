// A learner's way through the broadcasting lesson, in Chromium.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openChromium } from "./support/browsers.mjs";
import { firstSteps, runIn } from "./support/first-steps.mjs";
import { Lesson, blocks, until } from "./support/lesson.mjs";
import { serve } from "./support/server.mjs";

describe("a learner in Chromium", () => {
  let browser, site, page, lesson;
  before(async () => {
    site = await serve();
    browser = await openChromium();
    page = await browser.page();
    lesson = new Lesson(page, site.url);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  test("first steps", (t) => firstSteps(t, page, site.url, { jspi: true }));

  test("the page and its editor are there before Python is", async () => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const slow = await serve({ spoil: async (name) => { if (/runtime_bg/.test(name)) await held; } });
    const early = await browser.page();
    try {
      const lesson = new Lesson(early, slow.url);
      await lesson.open();
      assert.equal(await lesson.runtime(), "loading");
      await lesson.cell("discount").write("print('typed early')");
      await lesson.cell("discount").press(".cell-run");
      await lesson.cell("discount").waitFor("waiting");
      assert.equal(await lesson.runtime(), "loading");
      release();
      await lesson.cell("discount").prints("typed early");
    } finally {
      release();
      await early.leave();
      await slow.close();
    }
  });

  test("output shows while the code still runs", async () => {
    const cell = lesson.cell("discount");
    await cell.write("import time\nprint('first')\ntime.sleep(3)\nprint('second')");
    await cell.press(".cell-run");
    await cell.prints("first", 2_500);
    assert.equal((await cell.look()).state, "running");
    await cell.ends();
    assert.match((await cell.look()).output, /first\s+second/);
  });

  test("Stop ends an endless loop of tensor operations, and what was defined before is still there", async () => {
    const cell = lesson.cell("discount");
    await runIn(cell, "import torch\nkept = torch.arange(3)\nprint(kept)");
    await cell.write("x = torch.ones(50, 50)\nprint('begun')\nwhile True:\n    x = x @ x * 0.01");
    await cell.press(".cell-run");
    await cell.prints("begun");
    await cell.press(".cell-stop");
    await cell.waitFor("stopped", 10_000);
    const { output, error } = await runIn(cell, "print(kept, x.shape)");
    assert.equal(error, "");
    assert.match(output, /tensor\(\[0, 1, 2\]\) torch\.Size\(\[50, 50\]\)/);
  });

  test("Stop ends a Python loop without losing the session's names", async () => {
    const cell = lesson.cell("discount");
    await cell.write("n = 0\nprint('begun')\nwhile True:\n    n += 1");
    await cell.press(".cell-run");
    await cell.prints("begun");
    await cell.press(".cell-stop");
    await cell.waitFor("stopped", 10_000);
    const { output } = await runIn(cell, "print(kept, n > 100)");
    assert.match(output, /tensor\(\[0, 1, 2\]\) True/);
  });

  test("code that swallows KeyboardInterrupt is ended all the same", async () => {
    const cell = lesson.cell("discount");
    const stubborn = "print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass";
    await cell.write(stubborn);
    await cell.press(".cell-run");
    await cell.prints("begun");
    await cell.press(".cell-stop");
    await cell.waitFor("stopped", 10_000);
    assert.match((await cell.look()).all, /restarted/);
    assert.match(await cell.text(), /except BaseException/);
    await lesson.ready();
    assert.match((await runIn(cell, "print(6 * 7)")).output, /42/);
  });

  test("an error names its line and marks it in the editor", async () => {
    const cell = lesson.cell("discount");
    const look = await runIn(cell, "import torch\na = torch.ones(2, 3)\na + torch.ones(4)\n");
    assert.equal(look.state, "failed");
    assert.match(look.error, /RuntimeError/);
    assert.match(look.error,
      /The size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton dimension 1/);
    assert.equal(look.failingLine, 3);
  });

  test("a reload finds the text and the progress as they were", async () => {
    const outer = lesson.cell("outer");
    assert.equal((await outer.look()).state, "passed");
    await lesson.cell("centre").write("centred = x * 0  # half done");
    await until(page, "the page says that it is saved", () => /\bSaved\b/.test(document.body.innerText));
    await page.reload();
    await lesson.interactive();
    assert.equal(await lesson.cell("centre").text(), "centred = x * 0  # half done");
    assert.equal((await lesson.cell("outer").text()).trim(), (await blocks()).solution("outer"));
    assert.match((await lesson.cell("outer").look()).all, /passed/i);
  });

  test("the reference says what is here, and answers in a program", async () => {
    const page = await browser.page();
    const lesson = new Lesson(page, site.url);
    await page.goto(`${site.url}#/`);
    await until(page, "both courses are listed", () => document.querySelectorAll(".course").length === 2);
    const starts = await page.evaluate(() => [...document.querySelectorAll(".course")]
      .map((course) => [course.querySelector("h2").textContent, course.querySelectorAll("a.button").length]));
    assert.deepEqual(starts, [["First steps", 1], ["What is here", 0]]);
    await lesson.open("reference/01-tensors");
    const text = await page.evaluate(() => document.querySelector("main").innerText);
    assert.match(text, /torch\.Tensor\s+\d+ of \d+ names are there/);
    assert.match(text, /is_conj: always False/);
    await lesson.ready();
    const { output, error } = await lesson.cell("ask").run();
    assert.equal(error, "");
    assert.equal(output.trim(), "matmul is there\n" +
      "torch.sparse_coo_tensor is part of PyTorch, but it is not available here yet\n" +
      "module 'torch' has no attribute 'matmull'");
    await page.leave();
  });

  test("every exercise's solution passes and every example runs", async (t) => {
    const page = await browser.page();
    const lesson = new Lesson(page, site.url);
    for (const id of ["01-broadcasting", "02-views-and-strides", "03-gradient-accumulation", "04-training-loop"]) {
      await t.test(id, async () => {
        const name = `first-steps/${id}`;
        await lesson.open(name);
        await until(page, `lesson ${id} is shown`, (id) => location.hash.includes(id) &&
          document.documentElement.dataset.page === "ready", id);
        await lesson.ready();
        const { exercises, solution, examples } = await blocks(name);
        assert.ok(exercises.length >= 2 && examples.length >= 2);
        const shown = await lesson.cells("exercise");
        assert.deepEqual(shown, exercises);
        for (const cell of await lesson.cells("example")) {
          const look = await lesson.cell(cell).run();
          assert.equal(look.error, "", `${cell}: ${look.all}`);
        }
        for (const exercise of exercises) {
          const look = await runIn(lesson.cell(exercise), solution(exercise));
          assert.equal(look.state, "passed", `${exercise}: ${look.all}`);
        }
        assert.match(await page.evaluate(() => document.body.innerText), /All exercises passed/);
      });
    }
    assert.deepEqual(page.complaints, []);
    await page.leave();
  });

  test("the page has complained about nothing", () => {
    assert.deepEqual(page.complaints, []);
  });
});
