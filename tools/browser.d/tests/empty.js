// A server that knows nothing yet: each page says what to type, and the sign-in page is a page, too.
import assert from "node:assert/strict";
import test from "node:test";
import { DESKTOP, PHONE, close, open, picture, stumbles } from "../lib/browser.js";
import { suite } from "../lib/suite.js";

const both = suite();

const EMPTY = {
  overview: "/",
  tasks: "/tasks",
  resources: "/resources",
  resource: "/resources/repository:f16",
  failures: "/failures",
  workers: "/workers",
  kinds: "/kinds",
  schedules: "/schedules",
  quotas: "/quotas",
  groups: "/groups",
  nodes: "/nodes",
};

for (const [scheme, width, viewport] of [["light", "desktop", DESKTOP], ["dark", "phone", PHONE]]) {
  test(`empty pages tell a newcomer what to do, in ${scheme} at ${width} width`, async () => {
    const page = await open(both.browser, both.server, { scheme, viewport });
    const faults = [];
    for (const [name, path] of Object.entries(EMPTY)) {
      await page.goto(path);
      await picture(page, `empty-${name}-${width}-${scheme}`);
      assert.ok(await page.locator(".empty").count(), name);
      // What could be typed is shown, except where there is nothing to do.
      if (name !== "failures") assert.match(await page.locator(".command").first().innerText(), /interlock /, name);
      faults.push(...(await stumbles(page, `the empty page ${name}`)));
    }
    await page.goto("/sign-in?again=1");
    faults.push(...(await stumbles(page, "sign-in")));
    await picture(page, `sign-in-${width}-${scheme}`);
    await page.goto("/tasks/999999");
    faults.push(...(await stumbles(page, "not found")));
    await picture(page, `not-found-${width}-${scheme}`);
    assert.deepEqual(faults, []);
    await close(page);
  });
}
