// Every page stays fast when there is much: ten thousand tasks that wait for one resource, and many
// more in lists. Server time, from the request to the first byte.
import assert from "node:assert/strict";
import test from "node:test";
import { furnish, pages } from "../lib/furnish.js";
import { Worker } from "../lib/server.js";
import { suite } from "../lib/suite.js";

const LINE = 10_000;
const ALL = process.env.INTERLOCK_TEST_LONG ? 1_000_000 : 100_000;
const BATCH = 1_000;
const WITHIN_MS = 200;
const TIMES = 5;

const both = suite();

async function submitMany(server, count, item) {
  for (let done = 0; done < count; done += BATCH) {
    const items = Array.from({ length: Math.min(BATCH, count - done) }, (_, at) => item(done + at));
    const { outcomes } = await server.post("/v1/tasks/batch", { items });
    assert.ok(outcomes.every((outcome) => outcome.report), "each was let in");
  }
}

/** How long the server takes for a page: the middle of several times. */
async function timed(server, path) {
  const times = [];
  for (let at = 0; at < TIMES; at += 1) {
    const begun = performance.now();
    const answer = await fetch(server.url + path);
    times.push(performance.now() - begun);
    assert.equal(answer.status, 200, path);
    await answer.text();
  }
  return times.sort((a, b) => a - b)[Math.floor(TIMES / 2)];
}

test(`no page takes longer than ${WITHIN_MS} ms with ${ALL} tasks`, { timeout: 1_500_000 }, async (t) => {
  const { server } = both;
  const made = await furnish(server);
  await server.put("/v1/kinds/check", { lease: "5m" });
  const worker = await Worker.register(server, "checker", ["check"]);
  await server.submit("check", "repository:long");
  const run = await worker.take();
  await submitMany(server, LINE, () => ({ kind: "check", resources: ["repository:long"] }));
  await submitMany(server, ALL - LINE, (at) => ({ kind: "check", resources: [`host:${at}`], tags: [`t${at % 100}`] }));
  const last = await server.submit("check", "repository:long");
  const beaten = worker.keep([run], 10_000);
  const places = {
    ...pages(made),
    line: "/resources/repository:long",
    "last in line": `/tasks/${last}`,
    "waiting of a kind": "/tasks?state=waiting&kind=check",
    "by tag": "/tasks?tag=t7",
    "of a resource": "/tasks?resource=repository:long",
    "deep in the list": `/tasks?cursor=i-${Math.floor(last / 2)}`,
    "resources by prefix": "/resources?prefix=host:9",
  };
  const slow = [];
  for (const [name, path] of Object.entries(places)) {
    const ms = await timed(server, path);
    t.diagnostic(`${ms.toFixed(1).padStart(6)} ms  ${name}`);
    if (ms > WITHIN_MS) slow.push(`${name}: ${ms.toFixed(0)} ms`);
  }
  beaten.stop();
  assert.deepEqual(slow, []);
});
