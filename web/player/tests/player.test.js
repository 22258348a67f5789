// The player's script with a video, a page and a server that the test moves.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const SOURCE = readFileSync(new URL("../player.js", import.meta.url), "utf-8");

class Video extends EventTarget {
  currentTime = 0;
  duration = 600;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 4;
  playbackRate = 1;

  say(...names) {
    for (const name of names) this.dispatchEvent(new Event(name));
  }
  play() {
    this.paused = false;
    this.say("play", "playing");
  }
  pause() {
    this.paused = true;
    this.say("pause");
  }
  seek(to) {
    this.seeking = true;
    this.currentTime = to;
    this.say("seeking");
    this.seeking = false;
    this.say("seeked");
  }
}

let [page, tab, video, sent, beacons, answer] = [];

// Let time pass, and the video with it.
async function pass(seconds) {
  for (let one = 0; one < seconds * 4; one++) {
    if (!video.paused && !video.ended && video.readyState > 2) {
      video.currentTime += 0.25 * video.playbackRate;
      video.say("timeupdate");
    }
    await vi.advanceTimersByTimeAsync(250);
  }
}

function hide(isHidden) {
  tab.hidden = isHidden;
  tab.dispatchEvent(new Event("visibilitychange"));
}

const beats = () => sent.flatMap((one) => one.beats);
const told = () => beats().map((one) => `${one.sequence} ${one.state} ${one.playhead}`);

// What counting makes of beats that came in order.
function credited(all) {
  const once = [...new Map(all.map((one) => [one.sequence, one])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );
  let ms = 0;
  once.slice(1).forEach((one, place) => {
    const before = once[place];
    if (one.state === "playing" && before.state === "playing") {
      const way = ((one.playhead - before.playhead) * 1000) / one.rate;
      ms += Math.max(0, Math.min(one.at - before.at, way, one.interval * 1500));
    }
  });
  return ms;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_794_744_000_000 });
  [sent, beacons, answer] = [[], [], 202];
  const script = {
    tagName: "SCRIPT",
    src: "https://f.example/player.js",
    dataset: { key: "ffpub_1", brand: "abc" },
  };
  tab = Object.assign(new EventTarget(), { currentScript: script, hidden: false });
  page = Object.assign(new EventTarget(), {
    AbortController,
    crypto,
    fetch: async (to, how) => {
      if (answer === undefined) throw new TypeError("no connection");
      sent.push({ to: String(to), beats: JSON.parse(how.body), status: answer });
      return { status: answer };
    },
  });
  const agent = { sendBeacon: (to, body) => beacons.push({ to: String(to), beats: JSON.parse(body) }) > 0 };
  new Function("window", "document", "navigator", SOURCE)(page, tab, agent);
  video = new Video();
});

afterEach(() => vi.useRealTimers());

describe("beats", () => {
  test("come every interval with all that is known, numbered from 0", async () => {
    page.footfall.watch(video, {
      asset: "film",
      series: "dark",
      member: "42",
      section: "drama",
      interval: 5,
    });
    await pass(20);
    expect(sent).toEqual([]);
    video.play();
    await pass(11);
    expect(sent[0].to).toBe("https://f.example/v1/pings?privacy=0&key=ffpub_1");
    expect(told()).toEqual(["0 playing 0", "1 playing 5", "2 playing 10"]);
    expect(beats()[2]).toMatchObject({
      brand: "abc",
      assetId: "film",
      series: "dark",
      member: "42",
      sectionId: "drama",
      duration: 600,
      interval: 5,
      rate: 1,
      at: Date.now() - 1_000,
    });
    expect(new Set(beats().map((one) => one.session)).size).toBe(1);
  });

  test("say what the video does, and every second that was played counts", async () => {
    page.footfall.watch(video, { asset: "film" });
    video.play();
    await pass(13);
    video.pause();
    await pass(60);
    video.play();
    await pass(4);
    video.seek(100);
    await pass(3);
    video.seek(50);
    await pass(3);
    video.readyState = 2;
    video.say("waiting");
    await pass(25);
    video.readyState = 4;
    video.say("playing");
    await pass(7);
    hide(true);
    await pass(30);
    hide(false);
    await pass(2);
    video.playbackRate = 2;
    video.say("ratechange");
    await pass(10);
    video.ended = video.paused = true;
    video.say("pause", "ended");
    await pass(60);
    const states = new Set(beats().map((one) => one.state));
    expect(states).toEqual(new Set(["playing", "paused", "seeking", "buffering", "background", "ended"]));
    expect(beats().at(-1).state).toBe("ended");
    expect(credited(beats()) / 1_000).toBeCloseTo(13 + 4 + 3 + 3 + 7 + 2 + 10, 5);
  });

  test("of a picture in the picture are not those of a tab in the background", async () => {
    page.footfall.watch(video, { asset: "film" });
    video.play();
    tab.pictureInPictureElement = video;
    hide(true);
    await pass(20);
    expect(new Set(beats().map((one) => one.state))).toEqual(new Set(["playing"]));
  });

  test("of a live channel have no duration, and odd rates are within what is taken", async () => {
    video.duration = Number.POSITIVE_INFINITY;
    video.playbackRate = -1;
    page.footfall.watch(video, { asset: 7 });
    video.play();
    await pass(1);
    expect(beats()[0]).toMatchObject({ assetId: 7, rate: 0, playhead: 0 });
    expect("duration" in beats()[0]).toBe(false);
  });
});

describe("what is not acknowledged", () => {
  test.each([[undefined], [429], [503]])(
    "after %s is sent again until it is, in its order",
    async (status) => {
      page.footfall.watch(video, { asset: "film" });
      video.play();
      await pass(21);
      answer = status;
      await pass(300);
      answer = 202;
      sent = sent.filter((one) => one.status === 202);
      await pass(11);
      const numbers = beats().map((one) => one.sequence);
      expect(numbers).toEqual(numbers.map((_, place) => place));
      expect(credited(beats())).toBe(330_000);
    },
  );

  test("is given up when it was refused, for it would be refused again", async () => {
    answer = 400;
    page.footfall.watch(video, { asset: "film" });
    video.play();
    await pass(35);
    expect(told()).toEqual(["0 playing 0", "1 playing 10", "2 playing 20", "3 playing 30"]);
  });

  test("is bounded, and goes in requests that are", async () => {
    answer = undefined;
    page.footfall.watch(video, { asset: "film", interval: 1 });
    video.play();
    video.duration = 1e5;
    await vi.advanceTimersByTimeAsync(2_500_000);
    answer = 202;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(beats().length).toBeLessThan(2_010);
    expect(Math.max(...sent.map((one) => one.beats.length))).toBe(100);
    expect(beats().at(-1).sequence).toBeGreaterThanOrEqual(2_500);
  });

  test("waits for one answer at a time, and not for ever", async () => {
    let open = 0;
    page.fetch = (_, how) => {
      open++;
      return new Promise((_, refuse) =>
        how.signal.addEventListener("abort", () => refuse(new Error("too slow"))),
      );
    };
    page.footfall.watch(video, { asset: "film" });
    video.play();
    await pass(29);
    expect(open).toBe(1);
    await pass(15);
    expect(open).toBe(2);
  });
});

describe("a page that goes", () => {
  test("sends its last beats by beacon, and the same again when it comes back", async () => {
    page.footfall.watch(video, { asset: "film" });
    video.play();
    await pass(14);
    page.dispatchEvent(new Event("pagehide"));
    expect(beacons[0].to).toBe("https://f.example/v1/pings?privacy=0&key=ffpub_1");
    expect(beacons[0].beats.map((one) => `${one.sequence} ${one.state} ${one.playhead}`)).toEqual([
      "2 playing 14",
      "3 background 14",
    ]);
    expect(credited([...beats(), ...beacons[0].beats])).toBe(14_000);
    page.dispatchEvent(new Event("pageshow"));
    await pass(10);
    expect(beats().map((one) => one.sequence)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("of a phone is sent when it is hidden, since it may never be told to go", async () => {
    page.footfall.watch(video, { asset: "film" });
    answer = undefined;
    video.play();
    await pass(14);
    hide(true);
    expect(beacons[0].beats.map((one) => one.state)).toEqual(["playing", "playing", "playing", "background"]);
  });
});

describe("watching", () => {
  test("another asset with the same video is another session, and the one before has ended", async () => {
    page.footfall.watch(video, { asset: "one" });
    video.play();
    await pass(5);
    page.footfall.watch(video, { asset: "two" });
    await pass(5);
    const shown = beats().map((one) => `${one.assetId} ${one.sequence} ${one.state}`);
    expect(shown).toEqual(["one 0 playing", "one 1 playing", "one 2 ended", "two 0 playing"]);
    expect(new Set(beats().map((one) => one.session)).size).toBe(2);
  });

  test("stops when it is told, and what is left is still sent", async () => {
    const stop = page.footfall.watch(video, { asset: "film" });
    video.play();
    await pass(5);
    answer = undefined;
    stop();
    stop();
    answer = 202;
    await pass(60);
    expect(told()).toEqual(["0 playing 0", "1 playing 5", "2 ended 5"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is there beside the tracker, whichever of the two came first", () => {
    const { watch } = page.footfall;
    expect(page.footfall.call).toBeUndefined(); // by which the tracker knows that it is the first
    const tracker = () => {};
    page.footfall = tracker;
    expect(page.footfall).toBe(tracker);
    expect(page.footfall.watch).toBe(watch);
    const other = { ...page, footfall: () => {} };
    new Function("window", "document", "navigator", SOURCE)(other, tab, {});
    expect(other.footfall.watch).toBeTypeOf("function");
  });

  test("without an asset or a video does nothing and fails at nothing", async () => {
    for (const [of, facts] of [
      [video, {}],
      [video, undefined],
      [null, { asset: "film" }],
    ]) {
      page.footfall.watch(of, facts)();
    }
    video.play();
    await pass(30);
    expect(sent).toEqual([]);
  });
});
