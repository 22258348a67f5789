// What is read now, as the server tells it. Where it cannot tell, it is asked, no more often than caches let go.
import { ask, missed } from "./api.ts";
import { isWrong, patience } from "./asking.ts";
import { Cell } from "./cell.ts";
import { LastHit, serverNow } from "./clock.ts";
import { facts } from "./facts.ts";
import type { List, Now, Series } from "./shapes.ts";

export type LiveState = "starting" | "live" | "polling" | "gone" | "paused";

const POLL_MS = 5_000;
const SILENT_MS = 75_000; // The list moves on with every minute, so that silence means that nobody is there.
const AWAY_MS = 20_000; // A tab that is looked at again within this time never left.
const POLLS_UNTIL_TOLD = 12; // A server that told nobody may do so again after a restart: it is tried once a minute.

export class LiveFeed {
  readonly now = new Cell<Now | null>(null);
  readonly state = new Cell<LiveState>("starting");
  readonly trouble = new Cell<Error | null>(null);
  private readonly lastHit = new LastHit();
  private source: EventSource | null = null;
  private timer = 0;
  private away = 0; // A clock of its own: what comes meanwhile must not keep a tab awake that nobody looks at.
  private turn = 0; // Whoever began before the last beginning has nothing to say.
  private failures = 0;
  private polls = 0;
  private isOver = false;

  constructor(private readonly brand: string) {
    document.addEventListener("visibilitychange", this.onShown);
    this.begin();
  }

  close(): void {
    this.isOver = true;
    this.letGo();
    clearTimeout(this.away);
    document.removeEventListener("visibilitychange", this.onShown);
  }

  private begin(): void {
    if (this.isOver) return;
    this.letGo();
    const isTried = this.failures % 3 !== 2 || this.polls >= POLLS_UNTIL_TOLD;
    if (facts.live && isTried) this.listen();
    else void this.poll();
  }

  private letGo(): void {
    this.turn += 1;
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  private listen(): void {
    this.polls = 0;
    const source = new EventSource(`/v1/live?${new URLSearchParams({ brand: this.brand })}`);
    this.source = source;
    this.watchSilence();
    source.addEventListener("open", () => this.watchSilence());
    source.addEventListener("now", (event) => {
      this.failures = 0;
      missed.set(0);
      this.take(JSON.parse((event as MessageEvent<string>).data) as Now, "live");
      this.watchSilence();
    });
    source.addEventListener("error", () => {
      // The browser comes back by itself unless it was refused; whichever it is, asking tells why.
      if (this.isOver || this.source !== source) return;
      this.letGo();
      this.failures += 1;
      void this.poll();
    });
  }

  // Heartbeats are no events, so a connection that is dead and was never closed is found by its silence.
  private watchSilence(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), SILENT_MS) as unknown as number;
  }

  private async poll(): Promise<void> {
    const turn = this.turn;
    const minute = { brand: this.brand, grain: "minute", last: "2" };
    let waitMs = POLL_MS;
    try {
      const [list, minutes, visitors] = await Promise.all([
        ask<List>("GET", `/v1/popular?${new URLSearchParams({ brand: this.brand, limit: "25" })}`),
        ask<Series>("GET", `/v1/series?${new URLSearchParams(minute)}`),
        ask<Series>("GET", `/v1/series?${new URLSearchParams({ ...minute, measure: "uniques" })}`),
      ]);
      if (turn !== this.turn) return;
      this.polls += 1;
      this.take(
        {
          list: list.body,
          minutes: minutes.body,
          visitors: visitors.body,
          lastHit: this.lastHit.take(minutes.body.points, serverNow()),
        },
        "polling",
      );
      waitMs = facts.live ? POLL_MS : Math.max(POLL_MS, list.maxAgeS * 1_000);
    } catch (error) {
      if (turn !== this.turn) return;
      this.failures += 1;
      this.trouble.set(error instanceof Error ? error : new Error("no answer"));
      this.state.set("gone");
      if (isWrong(error)) return;
      waitMs = patience(this.failures, POLL_MS, Math.random());
    }
    this.timer = setTimeout(() => this.begin(), waitMs) as unknown as number;
  }

  private take(now: Now, state: LiveState): void {
    this.trouble.set(null);
    this.now.set(now);
    this.state.set(state);
  }

  private readonly onShown = (): void => {
    clearTimeout(this.away);
    if (document.hidden) {
      this.away = setTimeout(() => {
        this.letGo();
        this.state.set("paused");
      }, AWAY_MS) as unknown as number;
      return;
    }
    if (this.source) return; // It is told all the while.
    if (this.state.value === "paused") this.state.set("starting");
    this.begin();
  };
}
