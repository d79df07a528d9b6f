// Something of everything: what the pages look like while a namespace is at work.
import { Worker } from "./server.js";

export async function furnish(server) {
  await server.put("/v1/quotas/mirror-calls", { limits: ["200/1m", { at_once: 4 }] });
  await server.put("/v1/quotas/shop-calls", { per: "shop", limits: ["3/1h", "10000/24h"] });
  await server.put("/v1/kinds/sync", {
    coalesce: { payload: "latest" },
    retry: { waits: ["3m", "20m", "3h", "24h"], for: "3d" },
    quotas: [{ quota: "mirror-calls", cost: 2 }],
    lease: "1m",
  });
  await server.put("/v1/kinds/publish", { op: "read", lease: "1m", run_within: "1h" });
  await server.put("/v1/kinds/delete", { op: "delete", lease: "1m", on_loss: "cancel" });
  await server.put("/v1/kinds/import", { retry: { tries: 1 }, lease: "1m" });
  await server.put("/v1/kinds/push", {
    priority: 7,
    retry: { waits: [] },
    quotas: [{ quota: "shop-calls", cost: 1 }],
    lease: "1m",
  });
  await server.put("/v1/kinds/report", { lease: "1m" });
  const worker = await Worker.register(server, "mirror-1", ["sync", "publish", "delete", "import"]);
  const pusher = await Worker.register(server, "shop-1", ["push"]);
  // Some history.
  for (const [message, count] of [["connection refused", 5], ["404 Not Found: repodata/repomd.xml", 2]]) {
    for (let at = 0; at < count; at += 1) {
      await server.submit("import", `repository:el${at}`, { payload: { url: "https://mirror.example.org/" } });
      await worker.fail(await worker.take(), message, "GET https://mirror.example.org/ after 3 redirects");
    }
  }
  for (let at = 0; at < 6; at += 1) {
    await server.submit("sync", "repository:f16");
    await worker.succeed(await worker.take(), { packages: 40 + at });
  }
  for (let at = 0; at < 3; at += 1) {
    await server.submit("push", "shop:42");
    await pusher.succeed(await pusher.take());
  }
  // What runs, with progress; and a line behind it.
  const running = await server.submit("sync", "repository:f16", { payload: { full: true }, tags: ["nightly"] });
  const run = await worker.take();
  await worker.progress(run, 412, 1000, { unit: "packages", message: "fetching glibc" });
  await server.submit("publish", "repository:f16");
  await server.submit("publish", "repository:f16");
  const blocked = await server.submit("sync", "repository:f16", { key: "other", priority: 6 });
  const barrier = await server.submit("delete", "repository:f16");
  // Behind the barrier, scheduled, throttled, retrying, held, without a worker.
  await server.submit("import", "repository:f17", { due: "2h" });
  const throttled = await server.submit("push", "shop:42");
  await pusher.look();
  await server.submit("sync", "repository:el9");
  const failing = await worker.take();
  await worker.fail(failing, "no route to host", "mirror.example.org: no route to host");
  await server.submit("report", "repository:f18");
  await server.submit("sync", "repository:held");
  await server.post("/v1/resources/repository:held/hold");
  // A second one that runs, without progress.
  await server.submit("import", "repository:f19");
  const other = await worker.take();
  // Groups, schedules.
  const { group } = await server.post("/v1/groups", {
    items: [
      { kind: "import", resources: ["repository:a"] },
      { kind: "import", resources: ["repository:b"] },
      { kind: "publish", resources: ["repository:a"], after: [{ item: 0 }] },
      { kind: "publish", resources: ["repository:b"], after: [{ item: 1 }] },
      { kind: "report", resources: ["site:all"], after: [{ item: 2 }, { item: 3 }] },
    ],
  });
  await worker.succeed(await worker.take());
  const submission = { kind: "sync", resources: ["repository:f16"] };
  await server.put("/v1/schedules/nightly", { cron: "30 3 * * *", zone: "Europe/Prague", submission });
  await server.put("/v1/schedules/often", { every: "5m", submission: { kind: "report" } });
  await server.post("/v1/schedules/often/pause");
  return { worker, runs: [run, other], running, blocked, barrier, throttled, failing: failing.task, group };
}

/** Every page by a name for its pictures. */
export const pages = (made) => ({
  overview: "/",
  tasks: "/tasks",
  "tasks-filtered": "/tasks?state=waiting&kind=sync",
  task: `/tasks/${made.running}`,
  "task-blocked": `/tasks/${made.blocked}`,
  "task-failing": `/tasks/${made.failing}`,
  resources: "/resources",
  resource: "/resources/repository:f16",
  failures: "/failures",
  workers: "/workers",
  kinds: "/kinds",
  kind: "/kinds/sync",
  schedules: "/schedules",
  quotas: "/quotas",
  quota: "/quotas/shop-calls",
  groups: "/groups",
  group: `/groups/${made.group}`,
  nodes: "/nodes",
  submit: "/submit",
});
