// Strings that would like to be more than text, in every field that a user can fill.
import assert from "node:assert/strict";
import test from "node:test";
import { close, open } from "../lib/browser.js";
import { Worker } from "../lib/server.js";
import { suite } from "../lib/suite.js";

const both = suite();

const EVIL = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `'onmouseover='alert(1)`,
  `</title><svg onload=alert(1)>`,
  `javascript:alert(1)`,
];

test("no string of a user runs as a script or breaks the policy", async () => {
  const { server, browser } = both;
  const at = (path, name) => `${path}/${encodeURIComponent(name)}`;
  const paths = ["/", "/tasks", "/resources", "/failures", "/workers", "/kinds", "/schedules", "/quotas", "/groups"];
  for (const [number, evil] of EVIL.entries()) {
    const kind = `k${evil}`;
    const resource = `repository:${evil}`;
    await server.put(at("/v1/quotas", evil), { limits: ["1/1h"] });
    await server.put(at("/v1/kinds", kind), {
      retry: { tries: 1 },
      quotas: [{ quota: evil, cost: 0 }],
      lease: "1m",
    });
    const worker = await Worker.register(server, `w${evil}`, [kind]);
    const payload = { [evil]: evil };
    const failed = await server.submit(kind, resource, { payload, tags: [evil], key: evil });
    await worker.fail(await worker.take(), evil, evil);
    const succeeded = await server.submit(kind, resource);
    await worker.succeed(await worker.take(), { log: evil });
    const running = await server.submit(kind, resource, { payload });
    const run = await worker.take();
    await worker.progress(run, 1, 2, { unit: evil, message: evil });
    const waiting = await server.submit(kind, resource, { tags: [evil] });
    const submission = { kind, resources: [resource] };
    await server.put(at("/v1/schedules", evil), { every: "1h", submission });
    const { group } = await server.post("/v1/groups", { items: [submission, { ...submission, after: [{ item: 0 }] }] });
    paths.push(...[failed, succeeded, running, waiting].map((task) => `/tasks/${task}`));
    paths.push(`/groups/${group}`, at("/resources", resource));
    const query = new URLSearchParams({ kind: evil, tag: evil, worker: evil, schedule: evil });
    paths.push(`/tasks?${query}`, `/resources?prefix=${encodeURIComponent(evil)}`);
    if (number === 0) paths.push(`/find?for=${encodeURIComponent(evil)}`, at("/in", evil));
    paths.push(`/submit?resource=${encodeURIComponent(resource)}`, `/sign-in?again=1&next=${encodeURIComponent(evil)}`);
  }
  const page = await open(browser, server);
  const seen = new Set();
  for (const path of paths) {
    const answer = await page.goto(path);
    assert.ok(answer.status() < 500, `${path}: ${answer.status()}`);
    const policy = answer.headers()["content-security-policy"] ?? "";
    assert.ok(policy.includes("default-src 'none'") && !policy.includes("unsafe"), `${path}: ${policy}`);
    // Nothing of it became an element or an attribute.
    const grown = await page.evaluate(() => {
      const handlers = (node) => [...node.attributes].some(({ name }) => name.startsWith("on"));
      const scripts = [...document.scripts].filter((script) => !script.src);
      const links = [...document.links].filter((link) => !/^https?:/.test(link.protocol));
      const images = document.querySelectorAll("img");
      return [...document.querySelectorAll("*")].filter(handlers).length + scripts.length + links.length + images.length;
    });
    assert.equal(grown, 0, path);
    for (const evil of EVIL) {
      if ((await page.locator("body").innerText()).includes(evil)) seen.add(evil);
    }
    assert.deepEqual(page.faults, [], path);
  }
  assert.equal(seen.size, EVIL.length, "each of them was shown somewhere, as text");
  await close(page);
});
