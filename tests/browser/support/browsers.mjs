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

const launch = { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: quiet };
/** What gives Chromium a GPU played by the processor. */
const withGpu = [...quiet.filter((flag) => flag !== "--disable-gpu"), "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const viewport = { width: 1280, height: 900 };

/** Opens Chromium on a profile kept in a folder: its pages share a cache, as one person's visits do. */
export async function chromiumVisits(folder) {
  const context = await chromium.launchPersistentContext(folder, { ...launch, viewport });
  return {
    name: "Chromium",
    async page() {
      const page = await context.newPage();
      return watched(page, () => page.close());
    },
    close: () => context.close(),
  };
}

/** Opens Chromium; `page()` gives a page in a fresh profile, `close()` ends the browser. */
export async function openChromium({ init, gpu = false } = {}) {
  const browser = await chromium.launch(gpu ? { ...launch, args: withGpu } : launch);
  return {
    name: "Chromium",
    version: () => browser.version(),
    async page(options = {}) {
      const context = await browser.newContext({ viewport, ...options });
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
      await page.setViewport(viewport).catch(() => {});
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
