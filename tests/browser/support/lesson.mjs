// What a learner does in a lesson, in words. Works on Playwright's and Puppeteer's pages alike: only `goto`,
// `evaluate`, `click`, `reload` and the keyboard are used.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./server.mjs";

const SLOW = 60_000;

/** Asks again and again until the page's answer is true; fails with what the page showed. */
export async function until(page, what, question, argument, limit = SLOW) {
  const end = Date.now() + limit;
  for (;;) {
    let answer, wrong;
    try {
      answer = await page.evaluate(question, argument);
    } catch (error) {
      wrong = error; // the page is just being loaded
    }
    if (answer) return answer;
    if (Date.now() > end) {
      const shown = await page.evaluate(() => document.body?.innerText.slice(0, 1500)).catch(() => "(no page)");
      assert.fail(`waited ${limit / 1000} s for: ${what}${wrong ? ` (${wrong.message})` : ""}\n` +
        `complaints: ${page.complaints.join("; ") || "none"}\nthe page shows:\n${shown}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Lesson {
  constructor(page, base) {
    this.page = page;
    this.base = base;
  }

  async open(id = "first-steps/01-broadcasting") {
    await this.page.goto(`${this.base}#/${id}`);
    await this.interactive();
  }

  interactive() {
    return until(this.page, "the lesson is interactive", () => document.documentElement.dataset.page === "ready" &&
      !!document.querySelector("section.cell .cm-content"));
  }

  runtime() {
    return this.page.evaluate(() => document.querySelector("[data-runtime]")?.dataset.runtime);
  }

  ready() {
    return until(this.page, "Python is ready", () => document.querySelector("[data-runtime]")?.dataset.runtime === "ready");
  }

  /** The cells' ids by kind, in the page's order. */
  cells(kind) {
    return this.page.evaluate((kind) => [...document.querySelectorAll("section.cell")]
      .filter((cell) => !kind || cell.dataset.kind === kind).map((cell) => cell.dataset.cell), kind);
  }

  cell(id) {
    return new Cell(this.page, id);
  }
}

export class Cell {
  constructor(page, id) {
    this.page = page;
    this.id = id;
    this.selector = `section.cell[data-cell="${id}"]`;
  }

  /** Reads one thing off the cell: its state, its output, its checks. */
  look() {
    return this.page.evaluate((selector) => {
      const cell = document.querySelector(selector);
      const text = (part) => cell.querySelector(part)?.innerText ?? "";
      return {
        state: cell.dataset.state,
        output: text(".cell-output"),
        error: text(".cell-error"),
        checks: [...cell.querySelectorAll(".checks li[data-passed]")]
          .map((line) => ({ passed: line.dataset.passed === "true", text: line.innerText })),
        failingLine: [...cell.querySelectorAll(".cm-line")].findIndex((line) => line.classList.contains("cm-failing")) + 1,
        all: cell.innerText,
      };
    }, this.selector);
  }

  text() {
    return this.page.evaluate((selector) =>
      [...document.querySelectorAll(`${selector} .cm-line`)].map((line) => line.textContent).join("\n"), this.selector);
  }

  async focus() {
    await this.page.click(`${this.selector} .cm-content`);
  }

  async chord(...keys) {
    const { keyboard } = this.page;
    for (const key of keys.slice(0, -1)) await keyboard.down(key);
    await keyboard.press(keys.at(-1));
    for (const key of keys.slice(0, -1).reverse()) await keyboard.up(key);
  }

  /** Replaces the cell's text by pasting, or by typing where a script may not paste (Firefox). */
  async write(text) {
    await this.focus();
    await this.chord("Control", "a");
    await this.page.evaluate(([selector, text]) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.querySelector(`${selector} .cm-content`)
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, [this.selector, text]);
    if ((await this.text()).trimEnd() !== text.trimEnd()) await this.type(text);
    assert.equal((await this.text()).trimEnd(), text.trimEnd());
  }

  /** Replaces the cell's text key by key, taking back the indentation the editor adds. */
  async type(text) {
    const { keyboard } = this.page;
    await this.chord("Control", "a");
    await keyboard.press("Delete");
    for (const [i, line] of text.split("\n").entries()) {
      if (i > 0) await keyboard.press("Enter");
      while (/^ +$/.test((await this.text()).split("\n").at(-1))) await keyboard.press("Backspace");
      await keyboard.type(line);
    }
  }

  press(button) {
    return this.page.click(`${this.selector} ${button}`);
  }

  waitFor(states, limit) {
    const wanted = [states].flat();
    return until(this.page, `cell ${this.id} is ${wanted.join(" or ")}`,
      ([selector, wanted]) => wanted.includes(document.querySelector(selector)?.dataset.state),
      [this.selector, wanted], limit);
  }

  /** Waits for text in the cell's output while it may still run. */
  prints(text, limit) {
    return until(this.page, `cell ${this.id} prints ${JSON.stringify(text)}`,
      ([selector, text]) => document.querySelector(`${selector} .cell-output`)?.innerText.includes(text),
      [this.selector, text], limit);
  }

  /** Runs the cell to its end and tells how it looks then. */
  async run(limit) {
    await this.press(".cell-run");
    await this.ends(limit);
    return this.look();
  }

  ends(limit) {
    return this.waitFor(["done", "failed", "stopped", "passed", "unpassed"], limit);
  }
}

/** The Python blocks of a lesson's file: `solution(id)` and `starter(id)`, so that the tests hold no copy of them. */
export async function blocks(lesson = "first-steps/01-broadcasting") {
  const text = await readFile(path.join(root, "lessons/courses", lesson, "lesson.en.md"), "utf8");
  const found = [...text.matchAll(/^```python +(\w+)([^\n]*)\n([\s\S]*?)^```/gm)]
    .map(([, kind, rest, code]) => ({ kind, id: /\bid=(\S+)/.exec(rest)?.[1], of: /\bfor=(\S+)/.exec(rest)?.[1], code }));
  const pick = (kind, key, id) => found.find((block) => block.kind === kind && block[key] === id)?.code.trimEnd();
  return {
    exercises: found.filter((block) => block.kind === "exercise").map((block) => block.id),
    examples: found.filter((block) => block.kind === "example"),
    starter: (id) => pick("exercise", "id", id),
    solution: (id) => pick("solution", "of", id),
  };
}
