// The most-read box: asks a footfall instance for a list and shows it where its tag stands, or shows nothing.
//
// It never moves what a reader looks at, lets no error reach the page, stores nothing and sets no cookie. What its tag
// may say is described in docs/how-to/most-read-box.md. `make tracker` minifies it into
// src/footfall/shells/http/static/widget.js, which has to stay below 5,120 bytes.

((window, document) => {
  const WAIT_MS = 8000; // for an answer
  const LOOK_MS = 200; // after a page has moved, until the box looks whether there is room for it now
  const ROW = "(1.4em*var(--footfall-lines,2) + 2*var(--footfall-space,.5em))";
  const LINKED = /^(https?:\/)?\//i; // The catalogue takes addresses of the web and paths, and so does the box.

  // Every title has room for so many lines and no more, so the height of the box is known before its list is. What is
  // important in here wins over whatever the page has for all of its elements. Font and colours are the page's own:
  // its dark theme is the box's.
  const STYLE = `
    :host {
      all: unset !important; display: block !important; width: 100% !important; min-width: 10em !important;
      contain: layout style !important; contain: layout style inline-size !important;
    }
    section {
      min-height: calc(2em + var(--limit)*${ROW}); margin: var(--footfall-margin, 0); padding: var(--footfall-padding, 0);
      font: var(--footfall-font, inherit); color: var(--footfall-color, inherit); text-align: start;
      background: var(--footfall-background, none); border-radius: var(--footfall-radius, 0);
    }
    .h {
      height: 2em; margin: 0; font: inherit; font-weight: 700; line-height: 1.6em; white-space: nowrap;
      overflow: hidden; text-overflow: ellipsis; color: var(--footfall-heading-color, inherit);
    }
    ol { margin: 0; padding: 0; list-style: none; counter-reset: r; }
    li {
      box-sizing: border-box; display: flex; gap: .6em; height: calc${ROW}; padding: var(--footfall-space, .5em) 0 0;
      line-height: 1.4em; counter-increment: r; border-top: 1px solid var(--footfall-rule-color, #8886);
    }
    li::before {
      content: counter(r); min-width: 1.2em; font-weight: 700; font-variant-numeric: tabular-nums;
      color: var(--footfall-rank-color, inherit);
    }
    a {
      align-self: start; overflow: hidden; overflow-wrap: anywhere; color: var(--footfall-link-color, inherit);
      text-decoration: none; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--footfall-lines, 2);
    }
    a:hover, a:focus-visible { text-decoration: underline; }
    a:focus-visible { outline: 2px solid; outline-offset: -2px; }`;

  // Nothing that fails in here is the page's business.
  const attempt = (work) => {
    try {
      return work();
    } catch {}
  };

  const start = (script, tag) => {
    const limit = Math.min(20, Math.max(1, parseInt(tag.limit) || 5));
    const refreshMs = tag.refresh && Math.max(30, parseInt(tag.refresh) || 0) * 1000;
    const make = (name, text = "") => {
      const element = document.createElement(name);
      element.textContent = text;
      return element;
    };
    const host = make("div");
    const section = make("section");

    let shown; // the list that is shown, as one text
    let isWanted = 1; // There is a list, or one is on its way.
    let wasPlaced;
    let isListening;
    let failures = 0;

    const style = () => {
      const root = host.attachShadow({ mode: "open" });
      const sheet = attempt(() => new CSSStyleSheet());
      if (sheet && root.adoptedStyleSheets) {
        // No policy is against it, unlike an element with a style in it, which is for browsers before 2023.
        sheet.replaceSync(STYLE);
        root.adoptedStyleSheets = [sheet];
      } else {
        root.append(make("style", STYLE));
      }
      host.className = "footfall-widget";
      section.lang = tag.lang || "";
      section.style.setProperty("--limit", limit);
      section.setAttribute("aria-labelledby", "h");
      root.append(section);
    };

    const insert = () => {
      if (tag.target) {
        document.querySelector(tag.target).append(host);
      } else {
        script.after(host);
      }
    };

    // Return where everything stands that is in view and that a change of the box could move.
    const standing = () => {
      const found = [];
      const look = (node, isAround) => {
        const rect = node.getBoundingClientRect();
        if (isAround || (rect.height && rect.bottom > 0 && rect.top < window.innerHeight)) {
          found.push(rect.left, rect.top);
        }
      };
      const range = document.createRange();
      let node = host.isConnected ? host : tag.target ? document.querySelector(tag.target) : script;
      if (tag.target && node == host) {
        node = host.parentNode;
      }
      for (; node && node != document.documentElement; node = node.parentNode) {
        look(node.parentNode, 1);
        for (let next = node.nextSibling; next; next = next.nextSibling) {
          range.selectNode(next);
          look(next.getBoundingClientRect ? next : range);
        }
      }
      return found + "";
    };

    // Let the box come or go, unless something that is in view would move: then it is taken back before anybody has
    // seen it, and tried again when the page has moved. What was not painted yet cannot be seen to move.
    const settle = () => {
      if (wasPlaced && !host.isConnected) {
        return; // The page has taken it away.
      }
      if (isWanted != host.isConnected) {
        attempt(() => {
          const [change, undo] = isWanted ? [insert, () => host.remove()] : [() => host.remove(), insert];
          const isSeen = window.performance.getEntriesByType("paint")[0];
          const before = isSeen && standing();
          change();
          if (isSeen && standing() != before) {
            undo();
          }
        });
        wasPlaced = host.isConnected;
      }
      if (isWanted != host.isConnected && !isListening) {
        isListening = 1;
        const again = () =>
          setTimeout(() => {
            isListening = 0;
            settle();
          }, LOOK_MS);
        window.addEventListener("scroll", again, { capture: true, once: true, passive: true });
      }
    };

    const show = (items) => {
      const links = items
        .filter((item) => String(item.title || "").trim() && LINKED.test(item.address || item.assetId))
        .slice(0, limit)
        .map((item) => [item.address || item.assetId, item.title]);
      const text = JSON.stringify(links);
      // A list that somebody walks through with the keyboard stays as it is; so does one that nothing comes after.
      if (links[0] && text != shown && !host.shadowRoot.activeElement) {
        shown = text;
        const list = make("ol");
        list.setAttribute("role", "list"); // Safari takes it for no list without its numbers.
        for (const [address, title] of links) {
          const link = make("a", title);
          link.href = address;
          link.dir = "auto";
          const line = make("li");
          line.append(link);
          list.append(line);
        }
        const heading = make(/^[3-6]$/.test(tag.level) ? "h" + tag.level : "h2", tag.title || "Most read");
        heading.className = heading.id = "h";
        section.textContent = "";
        section.append(heading, list);
      }
    };

    // In the order in which footfall itself writes a question, so that caches have one entry for it.
    const question = () => {
      const asked = {
        author: tag.author,
        brand: tag.brand,
        exclude: tag.exclude,
        limit: limit * 2, // Of some nobody has told the title yet; others take their places.
        paidType: tag.paid,
        period: tag.period || "day",
        resourceType: tag.type,
        section: tag.section,
        sort: tag.sort,
        tag: tag.tag,
      };
      const parts = Object.keys(asked)
        .filter((name) => asked[name])
        .map((name) => name + "=" + encodeURIComponent(asked[name]).replace(/%2C/g, ","));
      return new URL("v1/popular?" + parts.join("&"), script.src);
    };

    const ask = () => {
      const control = new AbortController();
      const timer = setTimeout(() => control.abort(), WAIT_MS);
      new Promise((done) => done(window.fetch(question(), { signal: control.signal, credentials: "omit", referrerPolicy: "no-referrer" })))
        .then((answer) => answer.ok && answer.json())
        .then((told) => {
          show(told.items);
          failures = 0;
        })
        .catch(() => failures++)
        .then(() => {
          clearTimeout(timer);
          isWanted = shown ? 1 : 0; // The last good list stays.
          settle();
          later();
        })
        .catch(() => {});
    };

    // Ask again from time to time, each page at its own moment, less and less often when nobody answers, and not at all
    // while nobody looks at the page.
    const later = () => {
      if (refreshMs) {
        setTimeout(due, refreshMs * (0.9 + Math.random() / 5) * 2 ** Math.min(failures, 5));
      }
    };
    const due = () => {
      if (document.hidden) {
        document.addEventListener("visibilitychange", () => setTimeout(due, Math.random() * 2000), { once: true });
      } else if (host.isConnected || !wasPlaced) {
        attempt(ask);
      }
    };

    style();
    settle();
    document.addEventListener("DOMContentLoaded", settle); // The target may stand further down.
    ask();
  };

  attempt(() => {
    const script = document.currentScript;
    // An element that the page calls `currentScript` takes the place of the property; its address must not become ours.
    if (script.tagName == "SCRIPT") {
      start(script, script.dataset);
    }
  });
})(window, document);
