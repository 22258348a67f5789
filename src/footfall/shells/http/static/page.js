"use strict";

// The live page. Ids, labels and brands come from strangers, so they enter the page as text and never as markup.

const REFRESH_MS = 2000;
const SLOW_MS = 30000; // Visitors and what rises are read for us when we ask, so we ask less often.
const GIVE_UP_MS = 8000; // A request that takes longer is asked anew.
const BRANDS_MAX = 12; // Lists shown at once: each asks the server twice in a refresh.
const ROOMY_MAX = 3; // With more brands than this they stand side by side, and a ledger is opened by hand.
const ITEMS = 10;
const RISING = 3;
const MOVE_MS = 350;

const PERIOD_NAMES = { justnow: "Just now", day: "Day", week: "Week" };
const PARTS = [
  ["counted", "in the lists"],
  ["duplicate", "sent before"],
  ["screened", "kept out by a rule"],
  ["late", "too old when they arrived"],
  ["future", "ahead of the clock"],
  ["unlabelled", "waiting for labels"],
  ["dead", "could not be counted"],
  ["inFlight", "not looked at yet"],
];

const numbers = new Intl.NumberFormat("en");
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

function part(root, name) {
  return root.querySelector(`.${name}`);
}

function made(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

function setText(element, text) {
  // An unchanged text is left alone: writing it would make a screen reader say it again.
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// Asking the server.

class Told extends Error {} // The server answered with a problem document.

async function answer(path, parameters) {
  const query = new URLSearchParams(parameters);
  const reply = await fetch(`${path}?${query}`, {
    cache: "no-cache", // Lists may be kept by caches for a while; we ask whether ours is still the newest.
    signal: AbortSignal.timeout(GIVE_UP_MS),
  });
  const body = await reply.json();
  if (!reply.ok) {
    throw new Told(body.detail || `the server answers ${reply.status}`);
  }
  return body;
}

// One brand.

class Brand {
  constructor(name, periods, { hasKeys, ledgerIsOpen }) {
    this.name = name;
    this.hasKeys = hasKeys; // Then the ledger is not for this page, which knows no key.
    this.period = periods[0];
    this.rows = new Map();
    this.refreshedAt = null;
    this.slowAt = null;
    this.root = made("brand-template");
    const id = `brand-${Brand.made++}`;
    const title = part(this.root, "brand-name");
    title.id = id;
    title.textContent = name;
    this.root.setAttribute("aria-labelledby", id);
    part(this.root, "ledger").open = ledgerIsOpen;
    part(this.root, "ledger").hidden = hasKeys;
    this.addPeriods(periods);
  }

  static made = 0;

  addPeriods(periods) {
    const group = part(this.root, "periods");
    group.setAttribute("aria-label", `Period of the list of ${this.name}`);
    for (const period of periods) {
      const button = element("button", "", PERIOD_NAMES[period] || period);
      button.type = "button";
      button.setAttribute("aria-pressed", String(period === this.period));
      button.addEventListener("click", () => {
        this.period = period;
        for (const other of group.children) {
          other.setAttribute("aria-pressed", String(other === button));
        }
        this.refresh();
      });
      group.append(button);
    }
  }

  // Resolves to whether the server was there; what it said in trouble is shown with the brand.
  async refresh() {
    const period = this.period;
    if (this.slowAt === null || performance.now() - this.slowAt > SLOW_MS) {
      this.slowAt = performance.now();
      this.refreshSlow();
    }
    const [list, ledger] = await Promise.allSettled([
      answer("/v1/popular", { brand: this.name, period, limit: ITEMS }),
      this.hasKeys ? null : answer("/v1/ledger", { brand: this.name }),
    ]);
    const failures = [list, ledger].filter((one) => one.status === "rejected").map((one) => one.reason);
    if (failures.some((failure) => !(failure instanceof Told))) {
      return false;
    }
    if (period !== this.period) {
      return true; // Another period was chosen meanwhile; its own answer is on the way.
    }
    if (list.value) {
      this.showList(list.value);
      this.refreshedAt = performance.now();
      part(this.root, "closed").hidden = !this.hasKeys;
    }
    if (ledger.value) {
      this.showLedger(ledger.value);
    }
    this.showTrouble(failures.map((failure) => failure.message).join("; "));
    this.showAge();
    return true;
  }

  // What it cannot learn stays as it was: trouble is told by the list, which is asked for far more often.
  async refreshSlow() {
    const [today, rising] = await Promise.allSettled([
      answer("/v1/series", { brand: this.name, grain: "day", last: 1, measure: "uniques" }),
      answer("/v1/trending", { brand: this.name, limit: RISING }),
    ]);
    if (today.value) {
      this.showVisitors(today.value);
    }
    if (rising.value) {
      this.showRising(rising.value);
    }
  }

  showVisitors(today) {
    const line = part(this.root, "visitors");
    line.hidden = !today.uniques;
    const isOne = today.uniques === 1;
    setText(line, `${numbers.format(today.uniques)} ${isOne ? "visitor" : "visitors"} today`);
    line.title = `Between ${numbers.format(today.uniquesAtLeast)} and ${numbers.format(today.uniquesAtMost)}, in 95 of 100 cases.`;
  }

  showRising(rising) {
    const line = part(this.root, "rising");
    line.hidden = !rising.items.length;
    const told = rising.items.map((item) => `${item.title || item.assetId} (${item.rise.toFixed(1)} times)`);
    setText(part(line, "rising-list"), told.join(", "));
    line.title = `The last hour against the day before, told from ${rising.basis}.`;
  }

  showTrouble(text) {
    const line = part(this.root, "brand-trouble");
    setText(line, text);
    line.hidden = !text;
  }

  showAge() {
    if (this.refreshedAt !== null) {
      const seconds = Math.floor((performance.now() - this.refreshedAt) / 1000);
      setText(part(this.root, "age"), `refreshed ${seconds} s ago`);
    }
  }

  showList(list) {
    setText(part(this.root, "span"), spanText(list.from, list.to));
    const proof = part(this.root, "proof");
    proof.hidden = false;
    proof.dataset.exact = String(list.exact);
    setText(proof, list.exact ? "exact" : "within bounds");
    proof.title = list.exact
      ? "Members, order and every count of this list are proven."
      : "Some hits were counted without their asset: each number is at least that.";
    part(this.root, "empty").hidden = list.items.length > 0;
    const holder = part(this.root, "list");
    const before = placesOf(holder);
    const most = Math.max(1, ...list.items.map((item) => item.hits));
    this.placeRows(holder, list.items);
    for (const item of list.items) {
      showRow(this.rows.get(item.assetId), item, item.hits / most);
    }
    moveFrom(holder, before);
  }

  placeRows(holder, items) {
    const wanted = new Set(items.map((item) => item.assetId));
    for (const [asset, row] of this.rows) {
      if (!wanted.has(asset)) {
        row.remove();
        this.rows.delete(asset);
      }
    }
    items.forEach((item, place) => {
      let row = this.rows.get(item.assetId);
      if (!row) {
        row = made("row-template");
        this.rows.set(item.assetId, row);
      }
      if (holder.children[place] !== row) {
        holder.insertBefore(row, holder.children[place] || null);
      }
    });
  }

  showLedger(book) {
    const table = part(this.root, "ledger").querySelector("tbody");
    const lines = [];
    let sum = 0;
    for (const [name, says] of PARTS) {
      const hasReasons = typeof book[name] === "object";
      const reasons = hasReasons ? Object.entries(book[name]) : [];
      const hits = hasReasons ? total(reasons) : book[name];
      sum += hits;
      lines.push({ name, says, hits, isReason: false });
      reasons.forEach(([reason, some]) => lines.push({ name: reason, says: "", hits: some, isReason: true }));
    }
    showLines(table, lines);
    setText(part(this.root, "accepted"), numbers.format(book.accepted));
    setText(part(this.root, "brief"), `${numbers.format(book.accepted)} accepted`);
    const line = part(this.root, "sum");
    line.dataset.balance = String(sum === book.accepted);
    const since = book.rawSince ? ` Raw hits are kept since ${momentText(new Date(book.rawSince))} UTC.` : "";
    const balance = sum === book.accepted ? "The lines add up." : `The lines add up to ${numbers.format(sum)}.`;
    setText(line, balance + since);
  }
}

function total(reasons) {
  return reasons.reduce((sum, [, hits]) => sum + hits, 0);
}

function showRow(row, item, share) {
  setText(part(row, "rank-number"), item.rank === null ? "–" : String(item.rank));
  showChange(part(row, "change"), item.change);
  showAsset(part(row, "asset"), item);
  const hits = numbers.format(item.hits);
  const isCertain = item.hitsAtMost === undefined || item.hitsAtMost === item.hits;
  setText(part(row, "hits-number"), isCertain ? hits : `${hits} to ${numbers.format(item.hitsAtMost)}`);
  part(row, "bar").style.setProperty("--share", share.toFixed(4));
  showLabels(part(row, "labels"), [
    item.sectionId === null ? null : `section ${item.sectionId}`,
    item.resourceType,
    item.paidType,
    item.pinned ? "pinned" : null,
  ]);
}

function showAsset(link, item) {
  setText(link, item.title || item.assetId);
  link.title = item.assetId;
  // An address may be of any kind; only one that leads to a page, from wherever it is read, is followed.
  if (/^https?:\/\//i.test(item.address || "")) {
    link.href = item.address;
  } else {
    link.removeAttribute("href");
  }
}

function showChange(holder, change) {
  let [way, arrow, text] = ["same", "–", "in the same place"];
  if (change === null) {
    [way, arrow, text] = ["new", "new", "new in the list"];
  } else if (change > 0) {
    [way, arrow, text] = ["up", `▲ ${change}`, `up ${change}`];
  } else if (change < 0) {
    [way, arrow, text] = ["down", `▼ ${-change}`, `down ${-change}`];
  }
  holder.dataset.way = way;
  setText(part(holder, "arrow"), arrow);
  setText(part(holder, "change-text"), text);
}

function showLabels(holder, labels) {
  const texts = labels.filter((label) => label !== null);
  while (holder.children.length > texts.length) {
    holder.lastElementChild.remove();
  }
  texts.forEach((text, place) => {
    if (holder.children[place]) {
      setText(holder.children[place], text);
    } else {
      holder.append(element("span", "label", text));
    }
  });
}

function showLines(table, lines) {
  while (table.rows.length > lines.length) {
    table.deleteRow(-1);
  }
  lines.forEach((line, place) => {
    const row = table.rows[place] || table.insertRow();
    if (!row.cells.length) {
      const head = document.createElement("th");
      head.scope = "row";
      head.append(element("span", "line-name", ""), element("span", "says", ""));
      row.append(head, document.createElement("td"));
    }
    row.className = line.isReason ? "reason" : "";
    row.dataset.none = String(line.hits === 0);
    setText(part(row, "line-name"), line.name);
    setText(part(row, "says"), line.says);
    setText(row.cells[1], numbers.format(line.hits));
  });
}

// Rows glide to their new places, so that the eye can follow.

function placesOf(holder) {
  return new Map([...holder.children].map((row) => [row, row.getBoundingClientRect().top]));
}

function moveFrom(holder, before) {
  if (still.matches) {
    return;
  }
  for (const row of holder.children) {
    const by = before.has(row) ? before.get(row) - row.getBoundingClientRect().top : 0;
    if (by) {
      const frames = [{ transform: `translateY(${by}px)` }, { transform: "none" }];
      row.animate(frames, { duration: MOVE_MS, easing: "ease-out" });
    }
  }
}

// Moments, always in UTC.

function momentText(moment) {
  const text = moment.toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 16)}`;
}

function spanText(from, to) {
  const [start, end] = [momentText(new Date(from)), momentText(new Date(to))];
  const shortEnd = start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end;
  return `${start} to ${shortEnd} UTC`;
}

// The whole page.

class Page {
  constructor(listed, periods, wanted) {
    this.listed = new Set(listed);
    const brands = wanted ? [wanted, ...listed.filter((name) => name !== wanted)] : listed;
    this.waiting = brands.slice(BRANDS_MAX);
    this.periods = periods;
    this.isAsking = false;
    this.missed = 0;
    this.holder = document.getElementById("brands");
    this.isRoomy = brands.length <= ROOMY_MAX;
    this.holder.classList.toggle("many", !this.isRoomy);
    this.shown = brands.slice(0, BRANDS_MAX).map((name) => this.brand(name));
    this.holder.append(...this.shown.map((brand) => brand.root));
    document.getElementById("none").hidden = brands.length > 0;
    this.offerRest();
    showTries(brands[0] || "abc", { hasKeys: brands.length > 0 && this.hasKeys(brands[0]) });
  }

  // Open brands are listed, so one that is not either has keys or does not exist, which the server tells.
  hasKeys(name) {
    return !this.listed.has(name);
  }

  brand(name) {
    return new Brand(name, this.periods, { hasKeys: this.hasKeys(name), ledgerIsOpen: this.isRoomy });
  }

  // A chosen brand takes the first place, and the last one shown goes back among the others.
  offerRest() {
    const choice = document.getElementById("more-brand");
    document.getElementById("more").hidden = this.waiting.length === 0;
    const options = this.waiting.map((name) => new Option(name, name));
    choice.replaceChildren(new Option(`${this.waiting.length} more`, ""), ...options);
    choice.onchange = () => {
      if (!choice.value) {
        return;
      }
      const dropped = this.shown.pop();
      dropped.root.remove();
      const chosen = this.brand(choice.value);
      this.shown.unshift(chosen);
      this.holder.prepend(chosen.root);
      this.waiting = [...this.waiting.filter((name) => name !== choice.value), dropped.name].sort();
      this.offerRest();
      showTries(chosen.name, { hasKeys: chosen.hasKeys });
      chosen.refresh();
    };
  }

  async refresh() {
    if (document.hidden || this.isAsking || !this.shown.length) {
      this.showPulse();
      return;
    }
    this.isAsking = true;
    try {
      const there = await Promise.all(this.shown.map((brand) => brand.refresh()));
      this.missed = there.every(Boolean) ? 0 : this.missed + 1;
    } finally {
      this.isAsking = false;
    }
    this.showPulse();
  }

  showPulse() {
    const [state, text] = this.pulse();
    document.getElementById("pulse").dataset.state = state;
    setText(document.getElementById("pulse-text"), text);
    const trouble = document.getElementById("trouble");
    trouble.hidden = !this.missed;
    const words = "The server does not answer. These are the last lists it sent; it is asked again every 2 seconds.";
    setText(trouble, this.missed ? words : "");
  }

  pulse() {
    if (!this.shown.length) {
      return ["waiting", "no brand listed"];
    }
    if (document.hidden) {
      return ["waiting", "paused"];
    }
    return this.missed ? ["gone", "no answer"] : ["live", "live"];
  }

  showAges() {
    this.shown.forEach((brand) => brand.showAge());
  }
}

// Three lines to try, on this server.

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function tries(brand, { hasKeys }) {
  const origin = window.location.origin;
  const hit = { brand, assetId: "hello-1", sectionId: 563, resourceType: "article", paidType: "free" };
  const key = hasKeys ? '-H "Authorization: Bearer $KEY" ' : "";
  const list = new URLSearchParams({ brand, period: "justnow", limit: ITEMS });
  return [
    ["Send a hit", `curl ${key}-d ${quoted(JSON.stringify(hit))} ${origin}/v1/hits`],
    ["Read the list", `curl ${quoted(`${origin}/v1/popular?${list}`)}`],
    ["Read the ledger", `curl ${key}${quoted(`${origin}/v1/ledger?${new URLSearchParams({ brand })}`)}`],
  ];
}

function showTries(brand, { hasKeys }) {
  const lines = tries(brand, { hasKeys }).map(([title, command]) => {
    const line = made("line-template");
    part(line, "line-title").textContent = title;
    line.querySelector("code").textContent = command;
    const button = part(line, "copy");
    button.setAttribute("aria-label", `Copy: ${title.toLowerCase()}`);
    button.addEventListener("click", () => copy(line.querySelector("code"), button));
    return line;
  });
  document.getElementById("try").replaceChildren(...lines);
}

async function copy(code, button) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    // Browsers keep the clipboard to secure pages; elsewhere the line is marked, ready for Ctrl+C.
    window.getSelection().selectAllChildren(code);
    isCopied = document.execCommand("copy");
  }
  setText(button, isCopied ? "Copied" : "Marked");
  setTimeout(() => setText(button, "Copy"), 1500);
}

// The policy lets no form be sent, so that nobody's markup can; the page goes to the address by itself.
function offerByName() {
  const form = document.getElementById("open");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const brand = document.getElementById("open-brand").value.trim();
    window.location.assign(`/?${new URLSearchParams({ brand })}`);
  });
}

function start() {
  const { brands, periods } = document.body.dataset;
  const wanted = new URLSearchParams(window.location.search).get("brand") || "";
  const page = new Page(JSON.parse(brands), JSON.parse(periods), wanted);
  offerByName();
  page.refresh();
  setInterval(() => page.refresh(), REFRESH_MS);
  setInterval(() => page.showAges(), 500);
  document.addEventListener("visibilitychange", () => page.refresh());
}

start();
