// A browser, and pages that notice whatever a policy or a script complains about.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.env.INTERLOCK_MODULES;
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

export const launch = () =>
  chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: FLAGS });

/** A page of its own, with a list of everything that went wrong on it. */
export async function open(browser, server, options = {}) {
  const { token, scheme = "light", viewport = DESKTOP, script = true } = options;
  const context = await browser.newContext({
    baseURL: server.url,
    colorScheme: scheme,
    viewport,
    javaScriptEnabled: script,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`a script failed: ${error}`));
  page.on("dialog", async (dialog) => {
    page.faults.push(`a dialog opened: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("console", (message) => {
    // What the page was refused on purpose is not a fault of the page.
    const refused = /Failed to load resource.*(40[0-9]|503)/.test(message.text());
    if (message.type() === "error" && !refused) page.faults.push(message.text());
  });
  if (script) {
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }
  if (token) await signIn(page, token);
  return page;
}

export async function signIn(page, token) {
  await page.goto("/sign-in");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}

/** Nothing went wrong on the page, and it leaves. */
export async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

let axe = null;

/** What a person with other senses would stumble over, a line for each. */
export async function stumbles(page, name) {
  axe ??= await readFile(join(modules, "axe-core/axe.min.js"), "utf8");
  // Evaluated from outside, so the page's own policy stays as it is.
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map((node) => `${node.target}: ${node.failureSummary}`);
    return `${name}: ${id}: ${help} (${nodes.length} times)\n${places.join("\n")}`;
  });
}

/** A picture of the whole page, kept with the others. */
export async function picture(page, name) {
  const path = join(process.env.INTERLOCK_SCREENSHOTS, `${name}.png`);
  await page.screenshot({ path, fullPage: true });
}
