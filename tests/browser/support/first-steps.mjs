// The first steps of a learner, the same in every browser: open, run, fail, pass, stop.
import assert from "node:assert/strict";
import { Lesson, blocks, until } from "./lesson.mjs";

/** What PyTorch 2.15 prints for the lesson's first example. */
export const discountOutput = `tensor([[2.0000, 4.5000, 0.0000],
        [3.0000, 0.5000, 4.0000]])
torch.Size([2, 3]) - torch.Size([3]) gives torch.Size([2, 3])`;

/** Adds the steps to a suite `t`; `session()` gives the page and the site of this run. */
export async function firstSteps(t, page, base, { jspi }) {
  const lesson = new Lesson(page, base);
  const outer = lesson.cell("outer");
  const example = lesson.cell("discount");
  const { solution } = await blocks();

  await t.test("the lesson opens and its editor takes text", async () => {
    await lesson.open();
    await example.write("print('mine')");
    await example.press(".cell-reset");
    await until(page, "the original text is back", (selector) =>
      document.querySelector(`${selector} .cm-content`).textContent.includes("discount"), example.selector);
  });

  await t.test("the example prints what PyTorch prints", async () => {
    await lesson.ready();
    const { state, output, error } = await example.run();
    assert.equal(error, "");
    assert.equal(state, "done");
    assert.equal(output.trim(), discountOutput);
  });

  await t.test("a wrong answer shows which check failed and why", async () => {
    await outer.write("result = b[:, None] * a\nprint(result)");
    const { state, checks } = await outer.run();
    assert.equal(state, "unpassed");
    assert.deepEqual(checks.map((check) => check.passed), [false, false, false]);
    assert.match(checks[0].text, /one row for each number in `?a`? and one column for each in `?b/);
    assert.match(checks[0].text, /a`? needs a new axis at its right/);
    assert.match(checks[1].text, /the shape is \(4, 3\) instead of \(3, 4\)/);
  });

  await t.test("numbers typed in as the answer fail the check with other inputs", async () => {
    await outer.write("result = torch.tensor([[10., 20., 30., 40.], [20., 40., 60., 80.], [30., 60., 90., 120.]])");
    const { state, checks } = await outer.run();
    assert.equal(state, "unpassed");
    assert.deepEqual(checks.map((check) => check.passed), [true, true, false]);
    assert.match(checks[2].text, /don't write down numbers or sizes/);
  });

  await t.test("the right answer passes", async () => {
    await outer.write(solution("outer"));
    const { state, checks } = await outer.run();
    assert.deepEqual(checks.map((check) => check.passed), [true, true, true]);
    assert.equal(state, "passed");
  });

  await t.test("Stop ends an endless Python loop, and the text stays", async () => {
    await example.write("kept = 1\nprint('begun')\nwhile True: pass");
    await example.press(".cell-run");
    await example.prints("begun");
    await example.press(".cell-stop");
    await example.waitFor("stopped", 10_000);
    assert.match(await example.text(), /while True: pass/);
    await lesson.ready();
    const { output } = await runIn(example, "print('works', 'again', 'kept' in globals())");
    assert.match(output, jspi ? /works again True/ : /works again False/);
  });
}

/** Writes a text into a cell and runs it. */
export async function runIn(cell, text, limit) {
  await cell.write(text);
  return cell.run(limit);
}
