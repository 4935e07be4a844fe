// The first steps in Firefox, and in a browser without JSPI.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openChromium, openFirefox } from "./support/browsers.mjs";
import { firstSteps } from "./support/first-steps.mjs";
import { serve, withoutJspi } from "./support/server.mjs";

describe("other browsers", () => {
  test("Firefox", async (t) => {
    const site = await serve();
    const browser = await openFirefox();
    try {
      const page = await browser.page();
      await firstSteps(t, page, site.url, { jspi: true });
      assert.deepEqual(page.complaints, []);
    } finally {
      await browser.close();
      await site.close();
    }
  });

  test("a browser without JSPI", async (t) => {
    const site = await serve({ spoil: withoutJspi });
    const browser = await openChromium({ init: () => { delete WebAssembly.Suspending; delete WebAssembly.promising; } });
    try {
      const page = await browser.page();
      await firstSteps(t, page, site.url, { jspi: false });
      await t.test("the page says what is different", async () => {
        const shown = await page.evaluate(() => document.body.innerText);
        assert.match(shown, /JavaScript Promise Integration/);
        assert.match(shown, /Stop has to restart Python/);
      });
      await t.test("and that Stop has restarted Python", async () => {
        const shown = await page.evaluate(() => document.querySelector('section.cell[data-cell="discount"]').innerText);
        assert.doesNotMatch(shown, /names defined so far are still there/i);
      });
      assert.deepEqual(page.complaints, []);
    } finally {
      await browser.close();
      await site.close();
    }
  });
});
