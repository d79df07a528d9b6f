// Every page, in light and dark, at phone and desktop width: nothing to stumble over for axe, nothing
// wider than the screen, and a picture of each.
import assert from "node:assert/strict";
import test from "node:test";
import { DESKTOP, PHONE, close, open, picture, stumbles } from "../lib/browser.js";
import { furnish, pages } from "../lib/furnish.js";
import { suite } from "../lib/suite.js";

let made = null;
const both = suite({
  prepare: async (server) => {
    made = await furnish(server);
    return made.worker.keep(made.runs, 5_000).stop;
  },
});

const VIEWS = [
  ["light", "desktop", DESKTOP],
  ["dark", "desktop", DESKTOP],
  ["light", "phone", PHONE],
  ["dark", "phone", PHONE],
];

for (const [scheme, width, viewport] of VIEWS) {
  test(`every page in ${scheme} at ${width} width`, async () => {
    const page = await open(both.browser, both.server, { scheme, viewport });
    const faults = [];
    for (const [name, path] of Object.entries(pages(made))) {
      const answer = await page.goto(path);
      assert.equal(answer.status(), 200, path);
      await picture(page, `${name}-${width}-${scheme}`);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wider > 0) faults.push(`${name} is ${wider} px wider than the screen`);
      faults.push(...(await stumbles(page, name)));
    }
    assert.deepEqual(faults, []);
    await close(page);
  });
}

test("each page can be reached by its keyboard, and headings are in order", async () => {
  const page = await open(both.browser, both.server);
  for (const [name, path] of Object.entries(pages(made))) {
    await page.goto(path);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the content", name);
    const levels = await page.evaluate(() =>
      [...document.querySelectorAll("h1,h2,h3,h4")].map((heading) => Number(heading.tagName[1])),
    );
    assert.equal(levels.filter((level) => level === 1).length, 1, `${name} has one first heading`);
    levels.forEach((level, index) => {
      assert.ok(index === 0 || level <= levels[index - 1] + 1, `${name}: ${levels}`);
    });
  }
  await close(page);
});
