// The GPU in the page: the switch, what a run tells, Stop, a lost device, two tabs, and browsers without one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { faults } from "./support/axe.mjs";
import { openChromium, openFirefox } from "./support/browsers.mjs";
import { watchHeap } from "./support/heap.mjs";
import { runIn } from "./support/first-steps.mjs";
import { Lesson, until } from "./support/lesson.mjs";
import { serve, withoutJspi } from "./support/server.mjs";
import { startWorker } from "./support/worker.mjs";

/** What the device's panel says. */
const panel = (page) => page.evaluate(() => document.querySelector("#device-pop").textContent);
const device = (page) => page.evaluate(() => document.querySelector("[data-device]").dataset.device);

/** Presses the switch. */
async function press(page, wanted) {
  await page.click(".device-state");
  await until(page, "the switch", () => document.querySelector("#gpu-switch")?.checkVisibility());
  await page.click("#gpu-switch");
  await page.keyboard.press("Escape");
  await until(page, `the chip says ${wanted}`, (wanted) => document.querySelector("[data-device]").dataset.device === wanted,
    wanted);
}

/** The quiet line about the GPU under a cell. */
const line = (cell) => cell.page.evaluate((selector) => document.querySelector(`${selector} .cell-gpu`)?.innerText ?? "",
  cell.selector);

/** What a program printed, without the note that "cuda" gets once. */
const printed = (look) => look.output.replace(/^Note: there is no CUDA here\..*\n+/, "").trim();

/** A little of everything training needs; prints the same wherever it is computed. */
const program = (where) => `
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(64, 10), torch.randint(0, 3, (64,))
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3)).to("${where}")
x, y = x.to("${where}"), y.to("${where}")
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(20):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0: print(step, f"{loss.item():.4f}")
print(model(x).argmax(1).cpu()[:12], x.std().cpu())
`;

describe("a GPU in the page", () => {
  let browser, site, page, lesson, cell;
  before(async () => {
    site = await serve();
    browser = await openChromium({ gpu: true });
    page = await browser.page();
    lesson = new Lesson(page, site.url);
    cell = lesson.cell("discount");
    await lesson.open();
    await lesson.ready();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  test("one that the processor plays is off until it is switched on, and the choice is kept", async () => {
    await until(page, "the page has looked for a GPU", () => !!document.querySelector("#gpu-switch"));
    assert.equal(await device(page), "cpu");
    assert.match(await panel(page), /processor plays the GPU/);
    const look = await runIn(cell, "import torch\nprint(torch.cuda.is_available())");
    assert.equal(look.output.trim(), "False");
    assert.match(await line(cell), /The GPU is off/);
    await press(page, "gpu");
    await page.reload();
    await lesson.interactive();
    await lesson.ready();
    await until(page, "it is on again", () => document.querySelector("[data-device]").dataset.device === "gpu");
  });

  test("training prints what it prints on the CPU, and the cell says what was done", async () => {
    const there = await runIn(cell, program("cuda"), 180_000);
    assert.equal(there.error, "");
    assert.match(await line(cell), /^GPU: [\d,]+ kernels · [\d.]+ k?B read back/);
    assert.match(await panel(page), /in use.*kept.*Largest tensor/);
    const here = await runIn(cell, program("cpu"), 180_000);
    assert.equal(await line(cell), "");
    assert.equal(printed(there), printed(here));
  });

  test("item() in a loop reads each value when it is there", async () => {
    const { output, error } = await runIn(cell, `
import torch
x = torch.zeros((), device="cuda")
seen = []
for i in range(50):
    x = x + i
    seen.append(int(x.item()))
print(seen == [i * (i + 1) // 2 for i in range(50)], x)`, 120_000);
    assert.equal(error, "");
    assert.equal(output.trim(), "True tensor(1225., device='cuda:0')");
    assert.match(await line(cell), /read back/);
  });

  test("Stop ends a loop on the GPU, and the names are still there", async () => {
    await cell.write(`import torch
kept = torch.ones(3, device="cuda") * 2
x = torch.ones(64, 64, device="cuda")
while True:
    x = (x @ x).clamp(max=1.0)
    last = x[0, 0].item()
    print("read")`);
    await cell.press(".cell-run");
    await cell.prints("read");
    await cell.press(".cell-stop");
    await cell.waitFor("stopped", 10_000);
    const { output, error } = await runIn(cell, "print(kept.cpu(), last)");
    assert.equal(error, "");
    assert.equal(output.trim(), "tensor([2., 2., 2.]) 1.0");
  });

  test("a lost device raises a clear error, the names survive, and the next run has a new one", async () => {
    const lost = await runIn(cell, `import torch
kept = torch.arange(3)
x = torch.tensor([1.0, 2.0, 4.0, 8.0], device="cuda")
torch.webgpu.destroy()
print((x + 1).sum().item())`);
    assert.equal(lost.state, "failed");
    assert.match(lost.all, /RuntimeError/);
    assert.match(lost.all, /device was lost/);
    const next = await runIn(cell, `print(kept.to("cuda") * 2)`);
    assert.equal(next.error, "");
    assert.equal(next.output.trim(), "tensor([0, 2, 4], device='cuda:0')");
    const old = await runIn(cell, "print(x)");
    assert.match(old.all, /device was lost/);
  });

  test("two tabs compute at once", async () => {
    const other = await page.context().newPage();
    other.complaints = [];
    try {
      const second = new Lesson(other, site.url);
      await second.open();
      await second.ready();
      await until(other, "the GPU is on there too", () => document.querySelector("[data-device]").dataset.device === "gpu");
      const loop = `import torch
x = torch.eye(32, device="cuda")
for i in range(60):
    x = x @ x
    if x.sum().item() != 32: break
print("done", i)`;
      const cells = [cell, second.cell("discount")];
      for (const each of cells) await each.write(loop);
      for (const each of cells) await each.press(".cell-run");
      for (const each of cells) {
        await each.ends(120_000);
        assert.equal(printed(await each.look()), "done 59");
      }
    } finally {
      await other.close();
    }
  });

  test("axe-core finds no serious fault with the panel open, light and dark, and it fits a small screen", async () => {
    const { output } = await runIn(cell, `import torch\nprint(torch.ones(3, device="cuda").cpu())`);
    assert.equal(output.trim(), "tensor([1., 1., 1.])");
    await page.click(".device-state");
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await new Promise((resolve) => setTimeout(resolve, 400)); // colours change gently
      assert.deepEqual(await faults(page), []);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth,
      document.querySelector("#device-pop").getBoundingClientRect().right, document.querySelector(".topbar").scrollWidth]);
    assert.ok(widths.every((width) => width <= 390), `${widths}`);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press("Escape");
  });

  test("Stop does not wait for a GPU that is busy for long", async () => {
    await runIn(cell, "import torch\nkept = 7");
    await cell.write(`x = torch.full((256, 256), 0.001, device="cuda")
print("begun")
for i in range(20000): x = x @ x
print(x[0, 0].item())`);
    await cell.press(".cell-run");
    await cell.prints("begun");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await cell.press(".cell-stop");
    await cell.waitFor("stopped", 10_000);
    assert.match((await runIn(cell, "print('kept', kept)")).output, /kept 7/);
  });

  test("switched off, programs are told that there is none", async () => {
    await press(page, "cpu");
    const { output } = await runIn(cell, `import torch\nprint("cuda" if torch.cuda.is_available() else "cpu")`);
    assert.equal(output.trim(), "cpu");
  });

  test("the page had nothing to complain about", () => assert.deepEqual(page.complaints, []));
});

const training = (steps) => `
import torch
from torch import nn
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)).to("webgpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.rand(64, 784).to("webgpu"), (torch.arange(64) % 10).to("webgpu")
for step in range(1, ${steps} + 1):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    loss.item()
    if step in (10, ${steps}): print(torch.webgpu.live_buffers(), torch.accelerator.memory_allocated())
`;

test("a thousand training steps leave buffers, JavaScript's and WebAssembly's memory as they were", async () => {
  const [site, browser] = await Promise.all([serve(), openChromium({ gpu: true })]);
  try {
    const page = await browser.page();
    const heap = await watchHeap(page);
    const worker = await startWorker(page, site.url, { gpu: true });
    await worker.run(training(400));
    const before = await heap();
    const { stdout, stderr, outcome } = await worker.run(training(1000), "training.py", 300_000);
    assert.equal(outcome.kind, "done", stderr);
    const [early, late] = stdout.trim().split("\n");
    assert.equal(late, early);
    const after = await heap();
    assert.equal(after.wasm, before.wasm);
    // What the engine of JavaScript learns about the code it runs; eight bytes a step would be more.
    assert.ok(after.js - before.js < 8 * 1000 + 60_000, `JavaScript's heap went from ${before.js} to ${after.js}`);
    console.log(JSON.stringify({ buffers: early, before, after }));
  } finally {
    await browser.close();
    await site.close();
  }
});

describe("no GPU in the page", () => {
  const asks = "import torch\nprint(torch.cuda.is_available(), torch.ones(2).sum())";

  async function without(open, spoil, reason) {
    const site = await serve({ spoil });
    const browser = await open();
    try {
      const page = await browser.page();
      const lesson = new Lesson(page, site.url);
      await lesson.open();
      await lesson.ready();
      assert.equal(await device(page), "cpu");
      assert.match(await panel(page), reason);
      const cell = lesson.cell("discount");
      const { output } = await runIn(cell, asks);
      assert.equal(output.trim(), "False tensor(2.)");
      assert.match(await line(cell), reason);
    } finally {
      await browser.close();
      await site.close();
    }
  }

  test("Chromium without WebGPU", () =>
    without(() => openChromium({ init: () => delete Navigator.prototype.gpu }), undefined, /has no WebGPU/));

  test("Chromium with WebGPU and without JSPI", () =>
    without(() => openChromium({ gpu: true, init: () => { delete WebAssembly.Suspending; delete WebAssembly.promising; } }),
      withoutJspi, /JavaScript Promise Integration/));

  test("Firefox", () => without(openFirefox, undefined, /No GPU/));

  test("a cell made for a GPU says that it runs without", async () => {
    const note = "device=gpu";
    const site = await serve({
      spoil: (name, bytes) => (/01-broadcasting\/lesson\.en\.md$/.test(name)
        ? String(bytes).replace("```python example id=discount", `\`\`\`python example id=discount ${note}`) : undefined),
    });
    const browser = await openChromium({ init: () => delete Navigator.prototype.gpu });
    try {
      const page = await browser.page();
      const lesson = new Lesson(page, site.url);
      await lesson.open();
      await until(page, "the note", () => /made for a GPU; it runs on the CPU here/.test(
        document.querySelector(".cell-device")?.innerText ?? ""));
      await lesson.ready();
      assert.equal((await lesson.cell("discount").run()).state, "done");
    } finally {
      await browser.close();
      await site.close();
    }
  });
});
