// Each token is offered what it may do, and nothing else.
import assert from "node:assert/strict";
import test from "node:test";
import { close, open, signIn } from "../lib/browser.js";
import { suite } from "../lib/suite.js";

const ALL = ["submit", "work", "read", "operate", "admin"];
const tokens = { all: ALL, submit: ["submit"], work: ["work"], read: ["read"] };
const both = suite({
  tokens: { ...tokens, operate: ["read", "operate"], admin: ["admin"], "submit and read": ["submit", "read"] },
});

// What each may do on the page of a resource, and whether it may look at all.
const CASES = {
  all: { looks: true, holds: true, submits: true },
  submit: { looks: false, holds: false, submits: true },
  work: { looks: false, holds: false, submits: false },
  read: { looks: true, holds: false, submits: false },
  operate: { looks: true, holds: true, submits: false },
  admin: { looks: false, holds: false, submits: false },
  "submit and read": { looks: true, holds: false, submits: true },
};

for (const [name, wanted] of Object.entries(CASES)) {
  test(`a token for ${name} is offered what it may do`, async () => {
    const { server, browser } = both;
    await server.put("/v1/kinds/sync", {});
    await server.submit("sync", "repository:f16");
    const page = await open(browser, server, { token: server.secrets[name] });
    const looked = await page.goto("/resources/repository:f16");
    assert.equal(looked.status(), wanted.looks ? 200 : 403, "to look");
    const has = async (what) => (await what.count()) > 0;
    assert.equal(await has(page.getByRole("button", { name: "Hold", exact: true })), wanted.holds, "to hold");
    assert.equal(await has(page.getByRole("link", { name: "Submit a task" })), wanted.submits, "to submit");
    for (const path of ["/kinds", "/failures", "/schedules", "/quotas", "/workers"]) {
      await page.goto(path);
      const steers = await has(page.locator("main form[method=post]"));
      assert.ok(wanted.holds || !steers, `${path} offers what is not allowed`);
    }
    // Not offered is not enough: it must be refused, too.
    const held = await page.request.post("/resources/repository:f16/hold", {
      headers: { "sec-fetch-site": "same-origin" },
      form: { back: "/" },
      maxRedirects: 0,
    });
    assert.equal(held.status(), 303);
    const state = await server.get("/v1/resources/repository:f16");
    assert.equal(state.held, wanted.holds);
    if (state.held) await server.post("/v1/resources/repository:f16/release");
    await close(page);
  });
}

test("without a token there is only the page that asks for one, which then leads on", async () => {
  const { server, browser } = both;
  const page = await open(browser, server);
  await page.goto("/kinds?cursor=n-a");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await page.getByLabel("Token").fill("ilk_guess");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Token").fill(server.secrets.read);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Kinds" }).waitFor();
  assert.equal(new URL(page.url()).search, "?cursor=n-a");
  const cookies = await page.context().cookies();
  const kept = cookies.filter((cookie) => decodeURIComponent(cookie.value) === server.secrets.read);
  assert.equal(kept.length, 1);
  assert.equal(kept[0].httpOnly, true);
  assert.equal(kept[0].sameSite, "Strict");
  assert.equal(await page.evaluate(() => document.cookie), "", "no script sees a cookie");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goto("/kinds");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await close(page);
});

test("a token that is revoked is out at once", async () => {
  const { server, browser } = both;
  const made = await server.post("/v1/tokens", { name: "brief", scopes: ["read"] });
  const page = await open(browser, server);
  await signIn(page, made.secret);
  await page.goto("/tasks");
  // A page that is still open goes to where one signs in by itself, which is tested below: here it
  // would only get into the way of the next one.
  await page.goto("about:blank");
  await server.call("DELETE", `/v1/tokens/${made.token.id}`);
  await page.goto("/tasks");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await close(page);
});

test("a page whose token was revoked before it listens goes to where one signs in", async () => {
  const { server, browser } = both;
  const made = await server.post("/v1/tokens", { name: "briefer", scopes: ["read"] });
  const page = await open(browser, server);
  await signIn(page, made.secret);
  let revoke;
  const revoked = new Promise((resolve) => (revoke = resolve));
  await page.route((url) => url.pathname === "/live", async (route) => {
    await revoked;
    await route.continue();
  });
  await page.goto("/tasks", { waitUntil: "domcontentloaded" });
  await server.call("DELETE", `/v1/tokens/${made.token.id}`);
  revoke();
  await page.waitForURL("**/sign-in*");
  await close(page);
});
