// What axe-core finds on a page.
import { createRequire } from "node:module";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The serious faults axe-core finds, as lines to read. */
export async function faults(page) {
  await page.addScriptTag({ path: axe });
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter((fault) => fault.impact === "serious" || fault.impact === "critical")
      .map((fault) => `${fault.id}: ${fault.help}: ${fault.nodes.map((node) => node.target.join(" ")).slice(0, 4).join(", ")}`);
  });
}
