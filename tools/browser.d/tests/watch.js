// A postponed task becomes running, and then done, in front of somebody who does nothing but look.
import assert from "node:assert/strict";
import test from "node:test";
import { close, open } from "../lib/browser.js";
import { Worker } from "../lib/server.js";
import { suite } from "../lib/suite.js";

const both = suite();

test("a postponed task becomes running and then done without reloading", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/sync", { lease: "1m" });
  const worker = await Worker.register(server, "w1", ["sync"]);
  await server.submit("sync", "repository:f16");
  const first = await worker.take();
  const task = await server.submit("sync", "repository:f16");
  const page = await open(browser, server);
  await page.goto(`/tasks/${task}`);
  // Whoever reloads loses this.
  await page.evaluate(() => (globalThis.untouched = true));
  const main = page.locator("main");
  await main.getByText("waiting", { exact: true }).first().waitFor();
  await main.getByText("waits for task 1").first().waitFor();

  await worker.succeed(first);
  const second = await worker.take();
  await main.getByText("running", { exact: true }).first().waitFor();
  await worker.progress(second, 25, 100, { unit: "packages" });
  await main.getByText("25 %").first().waitFor();
  await worker.progress(second, 75, 100, { unit: "packages" });
  await main.getByText("75 %").first().waitFor();

  await worker.succeed(second, { packages: 100 });
  await main.getByText("succeeded", { exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.untouched), true, "the page was loaded again");
  await close(page);
});

test("what is opened, ticked and scrolled to stays so while the page changes", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/import", { lease: "1m" });
  const worker = await Worker.register(server, "w2", ["import"]);
  for (let at = 0; at < 60; at += 1) await server.submit("import", `host:${at}`, { payload: { at } });
  const page = await open(browser, server);
  await page.goto("/tasks?kind=import");
  const box = page.locator("tbody input[type=checkbox]").nth(20);
  await box.check();
  await box.scrollIntoViewIfNeeded();
  const chosen = await box.getAttribute("value");
  const scrolled = await page.evaluate(() => scrollY);
  const run = await worker.take();
  await page.locator("main").getByText("running", { exact: true }).first().waitFor();
  await worker.succeed(run);
  await page.locator("main").getByText("succeeded", { exact: true }).first().waitFor();
  assert.equal(await page.locator(`input[value="${chosen}"]`).isChecked(), true);
  assert.equal(await page.evaluate(() => scrollY), scrolled);

  const run2 = await worker.take();
  await page.goto(`/tasks/${run2.task}`);
  await page.getByText("Payload", { exact: true }).click();
  await worker.progress(run2, 1, 2);
  await page.locator("main").getByText("50 %").first().waitFor();
  assert.equal(await page.locator("details#payload").getAttribute("open"), "");
  await close(page);
});
