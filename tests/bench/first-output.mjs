// How long a visitor waits for the first output of a lesson: shared by the measurements of starts.
import { until } from "../browser/support/lesson.mjs";

/** The broadcasting lesson as it is, but its first example prints a tensor and nothing else. */
export const spoil = (name, bytes) =>
  name.endsWith("01-broadcasting/lesson.en.md")
    ? String(bytes).replace(/(```python example[^\n]*\n)[\s\S]*?```/, "$1import torch\nprint(torch.ones(2))\n```")
    : undefined;

/** Runs in the page from its first moment: presses Run as soon as it can, and notes the times from navigation on. */
function watch() {
  window.times = {};
  const tick = () => {
    const cell = document.querySelector("section.cell");
    const note = (name) => (window.times[name] ??= performance.now());
    if (cell?.querySelector(".cm-content") && document.documentElement.dataset.page === "ready") {
      if (!window.times.editable) cell.querySelector(".cell-run").click();
      note("editable");
    }
    if (document.querySelector("[data-runtime]")?.dataset.runtime === "ready") note("ready");
    if (cell?.querySelector(".cell-output")?.innerText.includes("tensor([1., 1.])")) return note("output");
    requestAnimationFrame(tick);
  };
  tick();
}

/**
 * Opens the lesson in a new page of `browser`, gives `{ editable, ready, output }` in milliseconds, and stays so many more
 * milliseconds, as a visitor does: the browser keeps compiled code, and the page Python's memory, a moment after they ran.
 */
export async function firstOutput(browser, site, stay = 0) {
  const page = await browser.page();
  await page.addInitScript(watch);
  await page.goto(`${site.url}#/first-steps/01-broadcasting`);
  const seen = await until(page, "the first output", () => window.times.output && window.times);
  await new Promise((resolve) => setTimeout(resolve, stay));
  await page.leave();
  return seen;
}
