// The page for everyone: axe-core finds no serious fault, the keyboard is enough, small screens fit.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { faults } from "./support/axe.mjs";
import { openChromium } from "./support/browsers.mjs";
import { runIn } from "./support/first-steps.mjs";
import { Lesson, until } from "./support/lesson.mjs";
import { serve } from "./support/server.mjs";

describe("the page for everyone", () => {
  let browser, site;
  before(async () => {
    site = await serve();
    browser = await openChromium();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`axe-core finds no serious fault, ${colorScheme}`, async (t) => {
      const page = await browser.page({ colorScheme });
      const lesson = new Lesson(page, site.url);
      await t.test("contents", async () => {
        await page.goto(site.url);
        await until(page, "the contents", () => /Broadcasting/.test(document.body.innerText));
        assert.deepEqual(await faults(page), []);
      });
      await t.test("a lesson at first", async () => {
        await lesson.open();
        assert.deepEqual(await faults(page), []);
      });
      await t.test("with output, an error, failed and passed checks", async () => {
        await lesson.ready();
        await runIn(lesson.cell("discount"), "1 / 0");
        await lesson.cell("both").run();
        await runIn(lesson.cell("outer"), "result = b[:, None] * a");
        await runIn(lesson.cell("centre"), "centred = x - x.mean(dim=1, keepdim=True)");
        assert.deepEqual(await faults(page), []);
      });
      await page.leave();
    });
  }

  test("the keyboard is enough: Tab indents, Escape leaves, Ctrl+Enter runs", async () => {
    const page = await browser.page();
    const lesson = new Lesson(page, site.url);
    await lesson.open();
    await lesson.ready();
    const cell = lesson.cell("discount");
    await cell.focus();
    await cell.chord("Control", "a");
    await page.keyboard.type("if True:\nprint('by hand')\n");
    // Enter behind the colon has indented by itself.
    assert.match(await cell.text(), /^if True:\n {4}print\('by hand'\)/);
    await cell.chord("Control", "Enter");
    await cell.prints("by hand");
    await cell.chord("Control", "a");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Tab");
    assert.equal(await cell.text(), "    ");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => !!document.activeElement.closest(".cm-content")), false);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement !== document.body), true);
    assert.equal(await cell.text(), "    ");
    await page.leave();
  });

  test("no part of a lesson is wider than a phone", async () => {
    const page = await browser.page({ viewport: { width: 360, height: 740 } });
    const lesson = new Lesson(page, site.url);
    await lesson.open();
    await lesson.ready();
    await lesson.cell("discount").run();
    const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(content <= screen, `${content} px of content on a ${screen} px screen`);
    await page.leave();
  });
});
