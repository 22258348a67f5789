// The tracker: tells a footfall instance that a page was seen, once each time it is seen.
//
// It stores nothing, sets no cookie, and whatever happens, the page that carries it never notices. What it reads from
// the page is described in docs/how-to/add-the-tracker.md. `make tracker` minifies it into
// src/footfall/shells/http/static/footfall.js, which has to stay below 2,048 bytes.
//
// It is not strict code on purpose: writing to something frozen then does nothing instead of throwing.

((window, document, location, navigator, history) => {
  const script = document.currentScript || {};
  const tag = script.dataset; // Read anew for every hit: a single-page app may change it as it goes.
  const queue = []; // What waits until somebody looks at the page.

  let address; // of the page that was counted last
  let asset; // that it was counted as
  let hint; // what the tag or the canonical link said of it
  let coming; // the address that will be counted once it has settled
  let isRepeat; // The same page is to be counted once more.
  let referrer = document.referrer;
  let timer;

  // Nothing that fails in here is the page's business.
  const attempt = (work) => {
    try {
      return work();
    } catch {}
  };

  // The window sees all that is told to the document, and no element's name can hide its functions.
  const listen = (name, work, target = window) => target.addEventListener(name, (event) => attempt(() => work(event)), 1);

  // Return what an element says; nothing when there is none, or when the page has odd names for its elements.
  const found = (selector, property) => attempt(() => document.querySelector(selector)[property]);
  const said = (name) => found(`meta[name="footfall:${name}"]`, "content");

  // Return an address, cut to what is taken, without what only tells how the reader came.
  const cleaned = (url) =>
    url.slice(0, 2048).replace(/\?([^#]*)/, (_, query) => {
      query = query
        .split("&")
        .filter((pair) => !/^((utm|mtm|pk|hsa|gad)_|mc_[ce]id|_g[al]=|_hs|mkt_tok|igsh|srsltid|[gw]braid|\w*clk?id=|$)/i.test(pair))
        .join("&");
      return query && "?" + query;
    });

  // Return what fits into 256 bytes: a longer text keeps its beginning and gets a hash of the whole.
  const fitting = (text, hash = 0) => {
    for (const character of text) {
      hash = (hash * 31 + character.charCodeAt()) >>> 0;
    }
    return text[256] ? text.slice(0, 248) + "~" + hash.toString(36) : text;
  };

  const addressNow = () => cleaned(location.origin + location.pathname + location.search + (tag.hash ? location.hash : ""));

  // A page in a background tab, or one made ahead of a click, was not read.
  const isSeen = () => !document.prerendering && document.hidden !== true;
  const whenSeen = (work) => (isSeen() ? attempt(work) : queue.push(work));

  const send = (hit) => {
    const wantsPrivacy = navigator.globalPrivacyControl || navigator.doNotTrack == 1;
    const label = (name) => hit[name] || said(name) || tag[name];
    const body = JSON.stringify({
      brand: tag.brand,
      assetId: hit.asset,
      sectionId: label("section"),
      resourceType: label("type"),
      paidType: label("paid"),
      url: addressNow(),
      referrer: wantsPrivacy ? "" : cleaned(referrer),
      // Whether a program drives the browser, how wide its screen is and how far its clock is from Greenwich's: one
      // that says what no browser can say is not a reader's. A page's own variable may stand in the screen's place.
      client: [navigator.webdriver, (window.screen || 0).width, Date().slice(25, 33)] + "",
    });
    const given = (name) => (tag[name] ? `&${name}=` + tag[name] : "");
    const to = (path = "hits?") => new URL(`v1/${path}privacy=${+wantsPrivacy}` + given("key") + given("token"), script.src);
    // Each way is tried only when the one before it could not even begin, so that no hit goes out twice.
    attempt(() => navigator.sendBeacon(to(), body)) ||
      attempt(() => window.fetch(to(), { method: "POST", body, keepalive: 1 }).catch(() => {})) ||
      (new Image().src = to(`pixel.gif?hit=${encodeURIComponent(body)}&`));
  };

  // Count the page that is shown, unless it has been counted.
  const countPage = () => {
    const now = addressNow();
    if (now != address) {
      const says = tag.asset || (!tag.hash && cleaned(found("link[rel~=canonical]", "href") || ""));
      // What did not change with the address was said of the page before, so this one goes by its address.
      asset = fitting(said("asset") || (says != hint && says) || now);
      hint = says;
      referrer = address || referrer;
      address = now;
      isRepeat = 1;
    }
    if (isRepeat) {
      isRepeat = 0;
      send({ asset });
    }
  };

  const count = () => whenSeen(countPage);

  const countAgain = () => {
    isRepeat = 1;
    count();
  };

  // Frameworks change the address first, and what the page says of itself a moment later. A page that is left before
  // that moment, as in a redirect, was not seen.
  const settle = () => {
    if (addressNow() != coming) {
      coming = addressNow();
      clearTimeout(timer);
      timer = setTimeout(count, 300);
    }
  };

  const look = () => isSeen() && queue.splice(0).map(attempt);

  const watch = () => {
    listen("pagehide", count);
    listen("pageshow", (event) => event.persisted && countAgain());
    // Of its three words, "loading" is the short one.
    if (document.readyState[7]) {
      count();
    } else {
      listen("DOMContentLoaded", count);
    }
    const { navigation } = window;
    // Pages like to call a variable of their own `navigation`, and that replaces the browser's.
    if (navigation && navigation.currentEntry) {
      listen("currententrychange", settle, navigation);
    } else {
      listen("popstate", settle);
      ["push", "replace"].map((name) => {
        const original = history[(name += "State")];
        history[name] = function () {
          const result = original.apply(this, arguments);
          attempt(settle);
          return result;
        };
      });
    }
  };

  attempt(() => {
    // Two tags on one page are one tracker (a function; an element of that name has no `call`), else every page would count twice. An injected `<img name="currentScript">`
    // takes the place of the property; its address must not become ours.
    if (script.tagName == "SCRIPT" && !(window.footfall || 0).call && /^http/.test(location)) {
      listen("visibilitychange", look);
      listen("prerenderingchange", look);
      if (tag.auto != "off") {
        attempt(watch);
      }
      // For a page that knows better: `footfall()` counts it again, `footfall({asset: "7"})` counts what it names.
      window.footfall = (hit) => whenSeen(() => (hit && hit.asset ? send(hit) : countAgain()));
    }
  });
})(window, document, location, navigator, history);
