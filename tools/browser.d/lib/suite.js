// A server and a browser for the tests of one file.
import { after, before } from "node:test";
import { launch } from "./browser.js";
import { Server } from "./server.js";

/**
 * Starts both before the tests and stops them after; what it gives is filled in by then. `prepare`
 * puts something there first, and may give what is to be done at the end.
 */
export function suite({ prepare, ...options } = {}) {
  const both = {};
  before(async () => {
    both.server = await Server.start(options);
    both.browser = await launch();
    both.finish = await prepare?.(both.server);
  });
  after(async () => {
    both.finish?.();
    await both.browser?.close();
    await both.server?.stop();
  });
  return both;
}
