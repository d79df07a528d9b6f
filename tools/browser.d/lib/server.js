// The real binary on a free port of the loopback, with data in a directory of its own, and its
// interface as a client has it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const STARTED_WITHIN_MS = 20_000;

export class Server {
  /** Starts one, and creates these tokens: scopes by name. `all` must be the first, and have all. */
  static async start({ tokens = {} } = {}) {
    const server = new Server();
    server.dir = await mkdtemp(join(tmpdir(), "interlock-browser-"));
    server.secrets = {};
    server.process = server.spawn(["serve", "--listen", "127.0.0.1:0", "--log", "warn"], "pipe");
    const lines = createInterface({ input: server.process.stdout });
    const late = setTimeout(() => server.process.kill(), STARTED_WITHIN_MS);
    const [line] = await Promise.race([
      once(lines, "line"),
      once(server.process, "exit").then(() => {
        throw new Error("the server ended before it listened");
      }),
    ]);
    clearTimeout(late);
    server.url = line.trim().split(" ").pop();
    // The first one may create the others: from then on nobody comes in without.
    for (const [name, scopes] of Object.entries(tokens)) {
      server.secrets[name] = (await server.post("/v1/tokens", { name, scopes })).secret;
    }
    return server;
  }

  spawn(args, stdout) {
    const options = { cwd: this.dir, stdio: ["ignore", stdout, "inherit"] };
    return spawn(process.env.INTERLOCK_BINARY, args, options);
  }

  /** Calls the interface; anything but success is an error. */
  async call(method, path, body, token = this.secrets.all) {
    const headers = { "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    const answer = await fetch(this.url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  get = (path) => this.call("GET", path);
  put = (path, body) => this.call("PUT", path, body);
  post = (path, body = {}) => this.call("POST", path, body);

  async submit(kind, resource, more = {}) {
    const resources = resource ? [resource].flat() : [];
    const report = await this.post("/v1/tasks", { kind, resources, ...more });
    return report.task;
  }

  async stop() {
    if (this.process.exitCode === null) {
      this.process.kill("SIGTERM");
      await once(this.process, "exit");
    }
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** A worker by hand: takes what it is told to, and ends it when it is told to. */
export class Worker {
  static async register(server, name, kinds) {
    const worker = new Worker();
    worker.server = server;
    worker.number = 0;
    const { session } = await server.post("/v1/work/register", { name, kinds });
    worker.session = session;
    return worker;
  }

  /** Takes one task; there must be one. */
  async take() {
    this.number += 1;
    const { session, number } = this;
    const taken = await this.server.post("/v1/work/take", { session, number, wait: "10s" });
    if (!taken.hand_outs.length) throw new Error("there was nothing to take");
    return taken.hand_outs[0];
  }

  /** Asks for a task without waiting: what can't start now is told why. */
  async look() {
    this.number += 1;
    const { session, number } = this;
    return this.server.post("/v1/work/take", { session, number });
  }

  async progress(run, done, total, more = {}) {
    const progress = { done, total, ...more };
    await this.server.post("/v1/work/progress", { session: this.session, token: run.token, progress });
  }

  /** Renews these runs until it is told to stop; the answers say what runs shall stop. */
  keep(runs, every_ms = 1000) {
    const told = [];
    const beat = async () => {
      const tokens = runs.map((run) => ({ token: run.token }));
      const beaten = await this.server.post("/v1/work/beat", { session: this.session, runs: tokens });
      told.push(beaten);
    };
    const timer = setInterval(() => beat().catch(() => {}), every_ms);
    return { told, stop: () => clearInterval(timer) };
  }

  async finish(run, how, more = {}) {
    const finishes = [{ token: run.token, how, ...more }];
    return this.server.post("/v1/work/finish", { session: this.session, finishes });
  }

  succeed = (run, result) => this.finish(run, "succeed", { result });
  fail = (run, message, detail = "") =>
    this.finish(run, "fail", { error: { message, detail } });
}
