// Starts the real browsers: Chromium through Playwright, Firefox through Puppeteer over WebDriver BiDi.
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens Chromium; `page()` gives a page in a fresh profile, `close()` ends the browser. */
export async function openChromium({ init } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: quiet,
  });
  return {
    name: "Chromium",
    async page(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      if (init) await context.addInitScript(init);
      const page = await context.newPage();
      return watched(page, () => context.close());
    },
    close: () => browser.close(),
  };
}

export async function openFirefox() {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
  });
  return {
    name: "Firefox",
    async page() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width: 1280, height: 900 }).catch(() => {});
      return watched(page, () => context.close());
    },
    close: () => browser.close(),
  };
}

/** Keeps what the page complained about, for messages and for the tests that want silence. */
function watched(page, leave) {
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(`console: ${message.text()}`);
  });
  page.leave = leave;
  return page;
}
