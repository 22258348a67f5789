// The player's script: `footfall.watch(video, {asset: "7"})` tells a footfall instance what a video does, as beats.
//
// Beats that were not acknowledged are sent again, in their order; a beat that comes twice counts once. It stores nothing,
// sets no cookie, and whatever happens, the page never notices. docs/how-to/count-watch-time.md says how it is used.
// `make tracker` minifies it into src/footfall/shells/http/static/player.js, which has to stay below 4,096 bytes.

((window, document, navigator) => {
  const script = document.currentScript || {};
  const tag = script.dataset;

  const AT_ONCE = 100; // beats of a request: half of the 64 KB that a browser sends for a page that is gone
  const WAITING_MAX = 2000; // More than five hours without a connection; then the oldest are given up.
  const ANSWER_MS = 30000;

  const watched = new WeakMap(); // how to stop what is told of each video

  // Nothing that fails in here is the page's business.
  const attempt = (work) => {
    try {
      return work();
    } catch {}
  };

  const address = () => {
    const wantsPrivacy = navigator.globalPrivacyControl || navigator.doNotTrack == 1;
    const given = (name) => (tag[name] ? `&${name}=` + encodeURIComponent(tag[name]) : "");
    return new URL(`v1/pings?privacy=${+!!wantsPrivacy}` + given("key") + given("token"), script.src);
  };

  const newSession = () =>
    attempt(() => window.crypto.randomUUID()) || Date.now().toString(36) + Math.random().toString(36).slice(1);

  const watch = (video, facts) => {
    const session = newSession();
    const interval = Math.min(300, Math.max(1, +facts.interval || 10));
    const listening = [];
    let waiting = []; // beats that nobody has acknowledged, the oldest first
    let sequence = 0;
    let state = "paused"; // as it was told last; a video that has not begun tells nothing
    let place = 0; // where it played last: a video that seeks is already where it goes to
    let rate = video.playbackRate;
    let isSending;
    let isOver;

    const stateNow = () => {
      if (isOver || video.ended) return "ended";
      if (video.paused) return "paused";
      if (video.seeking) return "seeking";
      if (video.readyState < 3) return "buffering";
      return document.hidden && document.pictureInPictureElement != video ? "background" : "playing";
    };

    const note = (told, playhead = video.currentTime) => {
      waiting.push({
        brand: tag.brand,
        session,
        sequence: sequence++,
        assetId: facts.asset,
        sectionId: facts.section,
        resourceType: facts.type,
        paidType: facts.paid,
        series: facts.series,
        member: facts.member,
        device: facts.device,
        playhead: Math.max(0, Math.round(playhead * 1000) / 1000) || 0,
        duration: video.duration < Infinity ? video.duration : undefined,
        state: told,
        rate: Math.min(16, Math.max(0, rate)),
        at: Date.now(),
        interval,
      });
      waiting = waiting.slice(-WAITING_MAX);
    };

    // The seconds since the last beat count only if both ends of them were playing.
    const closePlaying = () => state == "playing" && note(state, video.seeking ? place : video.currentTime);

    const change = (now) => {
      if (now != state) {
        closePlaying();
        state = now;
        note(now);
        return true;
      }
    };

    const send = () => {
      const batch = waiting.slice(0, AT_ONCE);
      if (isSending || !batch.length) return;
      const giveUp = window.AbortController && new AbortController();
      const timer = setTimeout(() => giveUp && giveUp.abort(), ANSWER_MS);
      isSending = 1;
      const done = (status) => {
        clearTimeout(timer);
        isSending = 0;
        // What was refused would be refused again; what met a busy server or none goes with the next beat.
        if (status && status < 500 && status != 429 && status != 408) {
          waiting = waiting.filter((beat) => !batch.includes(beat));
          if (batch.length == AT_ONCE) send();
        }
      };
      const body = JSON.stringify(batch);
      const answer = attempt(() => window.fetch(address(), { method: "POST", body, signal: giveUp ? giveUp.signal : undefined }));
      if (answer) {
        answer.then((said) => done(said.status)).catch(() => done());
      } else {
        done();
      }
    };

    // Whether it arrives is not told to a page that is gone; one that comes back sends the same again.
    const sendLast = () => {
      const body = JSON.stringify(waiting.slice(0, AT_ONCE));
      if (waiting.length) {
        attempt(() => navigator.sendBeacon(address(), body)) ||
          attempt(() => window.fetch(address(), { method: "POST", body, keepalive: true }).catch(() => {}));
      }
    };

    const listen = (target, names, work) =>
      names.split(" ").map((name) => {
        const listener = () => attempt(work);
        target.addEventListener(name, listener, true);
        listening.push(() => target.removeEventListener(name, listener, true));
      });

    const look = () => {
      const isNew = change(stateNow());
      if (isNew) send();
      return isNew;
    };

    const leave = () => {
      change(state == "playing" ? "background" : stateNow());
      sendLast();
    };

    const beat = () => {
      if (!look() && !/paused|ended/.test(state)) note(state);
      send();
      if (isOver && !waiting.length) clearInterval(timer);
    };
    const timer = setInterval(() => attempt(beat), interval * 1000);

    listen(video, "play playing pause waiting seeking seeked ended emptied enterpictureinpicture leavepictureinpicture", look);
    listen(video, "timeupdate", () => {
      if (!video.seeking) place = video.currentTime;
    });
    listen(video, "ratechange", () => {
      closePlaying(); // What was played until now was played at the rate before.
      rate = video.playbackRate;
    });
    listen(document, "visibilitychange", () => {
      look();
      if (document.hidden) sendLast();
    });
    listen(window, "pagehide", leave);
    listen(window, "pageshow", look);
    look();

    return () => {
      if (!isOver) {
        isOver = 1;
        if (sequence) change("ended");
        listening.map((forget) => forget());
        send();
      }
    };
  };

  const begin = (video, facts) => {
    const stop = attempt(() => {
      (watched.get(video) || Boolean)();
      return facts.asset || facts.asset === 0 ? watch(video, facts) : undefined;
    });
    if (stop) watched.set(video, stop);
    return () => attempt(stop || Boolean);
  };

  attempt(() => {
    // An injected `<img name="currentScript">` takes the place of the property; its address must not become ours.
    if (script.tagName != "SCRIPT") return;
    let there = window.footfall;
    if (typeof there == "function") {
      there.watch = begin;
      return;
    }
    // The tracker is not there yet: it puts its function here when it comes, and must find no other.
    there = { watch: begin };
    Object.defineProperty(window, "footfall", {
      configurable: true,
      get: () => there,
      set: (value) => {
        there = value;
        attempt(() => (value.watch = begin));
      },
    });
  });
})(window, document, navigator);
