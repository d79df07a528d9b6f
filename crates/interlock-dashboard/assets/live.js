// Keeps a page fresh: on word from the server its inner part is fetched again and what differs is
// changed in place, so that nothing jumps; and times keep ticking. Without it everything can be read.
"use strict";

(() => {
  const TICK_MS = 1000;
  const RETRY_MS = 3000;

  // ---- changing what differs, in place ----

  const keyOf = (node) =>
    node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || null : null;

  const isSame = (a, b) =>
    a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  // What a person has opened, ticked or typed stays theirs.
  const isTheirs = (node, name) =>
    (name === "open" && node.nodeName === "DETAILS") ||
    (name === "checked" && node.nodeName === "INPUT") ||
    (name === "value" && node.nodeName === "INPUT" && node.type !== "hidden");

  const patchAttributes = (old, fresh) => {
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !isTheirs(old, name)) old.removeAttribute(name);
    }
    for (const { name, value } of [...fresh.attributes]) {
      if (old.getAttribute(name) !== value && !isTheirs(old, name)) old.setAttribute(name, value);
    }
  };

  const patch = (old, fresh) => {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    patchAttributes(old, fresh);
    if (old.nodeName === "TEXTAREA" || old.nodeName === "SELECT") return;
    patchChildren(old, fresh);
  };

  const patchChildren = (old, fresh) => {
    const keyed = new Map();
    for (const child of old.childNodes) {
      const key = keyOf(child);
      if (key) keyed.set(key, child);
    }
    const wanted = new Set([...fresh.childNodes].map(keyOf).filter(Boolean));
    let at = old.firstChild;
    for (const next of [...fresh.childNodes]) {
      // What will not be there any more, and what is not like anything, makes room.
      while (at && keyOf(at) && !wanted.has(keyOf(at))) at = removed(at);
      const key = keyOf(next);
      const known = key ? keyed.get(key) : null;
      if (known && known.nodeName === next.nodeName) {
        if (known === at) at = at.nextSibling;
        else old.insertBefore(known, at);
        patch(known, next);
      } else if (!key && at && isSame(at, next)) {
        const found = at;
        at = at.nextSibling;
        patch(found, next);
      } else {
        old.insertBefore(document.importNode(next, true), at);
      }
    }
    while (at) at = removed(at);
  };

  const removed = (node) => {
    const next = node.nextSibling;
    node.remove();
    return next;
  };

  // ---- times ----

  // The server's clock, not the browser's, says what now is.
  let skew = 0;
  const readClock = () => {
    const main = document.getElementById("main");
    if (main && main.dataset.now) skew = Number(main.dataset.now) - Date.now();
  };

  const two = (large, of, unit, restOf, restUnit) => {
    const rest = Math.floor((large % of) / restOf);
    const first = `${Math.floor(large / of)} ${unit}`;
    return rest ? `${first} ${rest} ${restUnit}` : first;
  };

  const coarse = (ms) => {
    const seconds = Math.floor(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 86400) return two(seconds, 3600, "h", 60, "min");
    return two(seconds, 86400, "d", 3600, "h");
  };

  const ahead = (ms) => (ms < 1000 ? "now" : `in ${coarse(ms)}`);

  const told = (how, ms) => {
    if (how === "since") return coarse(Math.max(0, -ms));
    if (how === "until") return ahead(ms);
    if (ms > 0) return ahead(ms);
    return ms > -1000 ? "just now" : `${coarse(-ms)} ago`;
  };

  const tick = () => {
    const now = Date.now() + skew;
    for (const time of document.querySelectorAll("time[data-rel]")) {
      const text = told(time.dataset.rel, Date.parse(time.dateTime) - now);
      if (time.textContent !== text) time.textContent = text;
    }
  };

  // ---- fetching again ----

  let fetching = false;
  let stale = false;

  const refresh = async () => {
    if (fetching) {
      stale = true;
      return;
    }
    fetching = true;
    stale = false;
    try {
      const answer = await fetch(location.href, { headers: { "interlock-inner": "1" } });
      // Signed out elsewhere, or the token was revoked: the page itself knows where to go.
      if (answer.status === 401) return location.reload();
      const text = await answer.text();
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
      if (answer.ok && fresh) {
        patch(document.getElementById("main"), fresh);
        document.title = fresh.dataset.title || document.title;
        readClock();
        tick();
        countAll();
      }
    } catch {
      // The server is away; the stream says when it is back.
    } finally {
      fetching = false;
      if (stale) setTimeout(refresh, TICK_MS);
    }
  };

  // ---- word from the server ----

  let source = null;
  let again = 0;
  let wasOpen = false;

  const show = (state) => document.documentElement.setAttribute("data-connection", state);

  const listen = () => {
    const url = document.body.dataset.live;
    if (!url || source) return;
    source = new EventSource(url);
    source.onopen = () => {
      show("live");
      // Whatever happened while nobody listened.
      if (wasOpen) refresh();
      wasOpen = true;
    };
    source.onmessage = refresh;
    source.onerror = () => {
      show("lost");
      if (source && source.readyState === EventSource.CLOSED) {
        hush();
        clearTimeout(again);
        again = setTimeout(listen, RETRY_MS);
        // It was refused, not interrupted: perhaps the page is no longer theirs to see.
        refresh();
      }
    };
  };

  const hush = () => {
    if (source) source.close();
    source = null;
  };

  // ---- forms ----

  // A box that ticks all boxes of its table, and a count of those that are ticked.
  const count = (form) => {
    const boxes = [...form.querySelectorAll("input[data-one]")];
    const ticked = boxes.filter((box) => box.checked).length;
    for (const out of form.querySelectorAll("[data-count]")) out.textContent = ` (${ticked})`;
    const all = form.querySelector("input[data-all]");
    if (all) {
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
    }
  };

  const countAll = () => document.querySelectorAll("form[data-bulk]").forEach(count);

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-bulk]");
    if (!form) return;
    if (event.target.matches("input[data-all]")) {
      for (const box of form.querySelectorAll("input[data-one]")) box.checked = event.target.checked;
    }
    count(form);
  });

  // A browser allows few connections to one server: a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return hush();
    listen();
  });
  window.addEventListener("pagehide", hush);
  window.addEventListener("pageshow", () => !document.hidden && listen());

  readClock();
  tick();
  countAll();
  setInterval(tick, TICK_MS);
  if (!document.hidden) listen();
})();
