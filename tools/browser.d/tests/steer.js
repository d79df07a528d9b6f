// What an operator does: ask why, call off, retry, hold and release.
import assert from "node:assert/strict";
import test from "node:test";
import { close, open } from "../lib/browser.js";
import { Worker } from "../lib/server.js";
import { suite } from "../lib/suite.js";

const both = suite();

test("a blocked task says why it waits, down to the cause of the cause", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/sync", { lease: "1m" });
  const worker = await Worker.register(server, "w1", ["sync"]);
  const running = await server.submit("sync", "repository:a");
  const run = await worker.take();
  await worker.progress(run, 45, 100);
  const middle = await server.submit("sync", ["repository:a", "repository:b"]);
  const last = await server.submit("sync", "repository:b");
  const page = await open(browser, server);
  await page.goto(`/tasks/${last}`);
  const why = page.getByRole("region", { name: "Why it waits" });
  await why.getByText(`waits for task ${middle}`).first().waitFor();
  await why.getByRole("link", { name: `#${running}`, exact: true }).first().click();
  await page.getByRole("heading", { name: `Task ${running}` }).waitFor();
  await page.locator("main").getByText("45 %").first().waitFor();
  await worker.succeed(run);
  for (let at = 0; at < 2; at += 1) await worker.succeed(await worker.take());
  await close(page);
});

test("a running task is called off, and its worker is told", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/copy", { lease: "1m" });
  const worker = await Worker.register(server, "w2", ["copy"]);
  const task = await server.submit("copy", "repository:c");
  const run = await worker.take();
  const kept = worker.keep([run], 200);
  const page = await open(browser, server);
  await page.goto(`/tasks/${task}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("is told to stop").waitFor();
  await page.getByText("It was told to stop.").waitFor();
  const stopped = () => kept.told.some((beaten) => JSON.stringify(beaten).includes("cancel"));
  while (!stopped()) await new Promise((soon) => setTimeout(soon, 50));
  kept.stop();
  await worker.finish(run, "release");
  await page.locator("main").getByText("cancelled", { exact: true }).first().waitFor();
  await close(page);
});

test("a group of failures is retried, after a question that says how many", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/import", { retry: { tries: 1 }, lease: "1m" });
  const worker = await Worker.register(server, "w3", ["import"]);
  for (let at = 0; at < 3; at += 1) {
    await server.submit("import", `repository:el${at}`);
    await worker.fail(await worker.take(), "connection refused");
  }
  const page = await open(browser, server);
  await page.goto("/failures");
  const row = page.getByRole("row", { name: /connection refused/ });
  await row.getByText("Retry", { exact: true }).click();
  await row.getByText("3 tasks will be submitted again").waitFor();
  await row.getByRole("button", { name: "Retry 3 tasks" }).click();
  await page.getByText("3 failed tasks were submitted again").waitFor();
  const waiting = await server.get("/v1/tasks?kind=import&state=waiting");
  assert.equal(waiting.items.length, 3);
  for (let at = 0; at < 3; at += 1) await worker.succeed(await worker.take());
  await close(page);
});

test("a resource is held, and released", async () => {
  const { server, browser } = both;
  await server.put("/v1/kinds/publish", { lease: "1m" });
  const worker = await Worker.register(server, "w4", ["publish"]);
  const page = await open(browser, server);
  await page.goto("/resources/repository:held");
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByText("repository:held is held").waitFor();
  const task = await server.submit("publish", "repository:held");
  assert.equal((await server.get(`/v1/tasks/${task}`)).reasons[0].reason, "held");
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByText("repository:held is released").waitFor();
  const run = await worker.take();
  assert.equal(run.task, task);
  await page.locator("main").getByText("busy", { exact: true }).waitFor();
  await worker.succeed(run);
  await page.locator("main").getByText("idle", { exact: true }).waitFor();
  await close(page);
});

test("kinds, schedules, quotas and workers are steered where they are shown", async () => {
  const { server, browser } = both;
  await server.put("/v1/quotas/calls", { limits: ["10/1h"] });
  const submission = { kind: "sync" };
  await server.put("/v1/schedules/nightly", { cron: "30 3 * * *", submission });
  await Worker.register(server, "w5", ["sync"]);
  const page = await open(browser, server);
  const card = (name) => page.locator("section.card", { has: page.getByRole("heading", { name, exact: true }) });
  await page.goto("/kinds");
  await card("sync").getByRole("button", { name: "Hold" }).click();
  await page.getByText("Kind sync is held").waitFor();
  await card("sync").getByRole("button", { name: "Release" }).click();
  await page.getByText("Kind sync is released").waitFor();
  await page.goto("/schedules");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Schedule nightly is paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Schedule nightly fires again").waitFor();
  await page.goto("/quotas");
  await card("calls").getByRole("button", { name: "Pause 5 min" }).click();
  await page.getByText("Quota calls grants nothing for 5 min").waitFor();
  await card("calls").getByRole("button", { name: "End the pause" }).click();
  await page.getByText("Quota calls grants again").waitFor();
  await page.goto("/workers");
  const row = page.getByRole("row", { name: /w5/ });
  await row.getByText("Drain", { exact: true }).click();
  await row.getByRole("button", { name: "Drain it" }).click();
  await page.getByText("Worker w5 gets no new work").waitFor();
  await close(page);
});

test("everything that changes something works without a script", async () => {
  const { server, browser } = both;
  const page = await open(browser, server, { script: false });
  await page.goto("/resources/repository:plain");
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByText("repository:plain is held").waitFor();
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByText("repository:plain is released").waitFor();
  await close(page);
});

test("what another site sends is refused", async () => {
  const { server } = both;
  const answer = await fetch(`${server.url}/resources/repository:x/hold`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: "https://elsewhere.example.org",
      "sec-fetch-site": "cross-site",
    },
    body: "back=/",
  });
  assert.equal(answer.status, 403);
  assert.equal((await server.get("/v1/resources/repository:x")).held, false);
});
