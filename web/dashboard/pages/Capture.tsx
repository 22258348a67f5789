// A capture: its picture, its text, its replay on another origin, and everything that is known of it.
import { useEffect, useState } from "preact/hooks";
import { addressOf, captureIdOf, changed, go, place, safeAddress, useParameters } from "../address.ts";
import { Gone, Problem, session, text } from "../api.ts";
import { type Asked, useAsked } from "../asking.ts";
import {
  type Capture,
  compareAddress,
  detailsOf,
  fileOf,
  microseconds,
  ownAddress,
  pageAddress,
  type Shelf,
  shortUrl,
  titleOf,
  tombstoneIn,
} from "../captures.ts";
import { useCell } from "../cell.ts";
import { subject, useStanding } from "../context.ts";
import { CaptureActs } from "../parts/CaptureActs.tsx";
import { Marks } from "../parts/Captures.tsx";
import { Copied } from "../parts/FirstSteps.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Loading, Shown } from "../parts/states.tsx";
import { Tiles } from "../parts/Tiles.tsx";
import { ARCHIVE, CAPTURES } from "../routes.ts";
import { whole } from "../words.ts";

const VIEWS = { "": "Picture", text: "Text", replay: "Replay", details: "Details" } as const;
const OTHERS_MAX = 100;
const TEXT_MAX = 200_000; // Longer than any page that is read; a browser lays it out at once.

export function CapturePage() {
  const { brand } = useStanding();
  const id = captureIdOf(useCell(place).path);
  const asked = useAsked<Capture>(`/v1/archive/captures/${encodeURIComponent(id)}`, { brand: brand.brand });
  const title = asked.value ? titleOf(asked.value) : "Capture";
  useEffect(() => {
    subject.set(title);
    return () => subject.set("");
  }, [title]);
  if (asked.problem?.status === 410) return <Removed problem={asked.problem} />;
  return (
    <>
      <div class="head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Archive</Link>
      </div>
      <Shown asked={asked} what="Opening the capture">
        {(one) => <Opened one={one} asked={asked} />}
      </Shown>
    </>
  );
}

function Opened({ one, asked }: { one: Capture; asked: Asked<Capture> }) {
  const { brand, times } = useStanding();
  const parameters = useParameters();
  const wanted = parameters.get("view") ?? "";
  const view = (wanted in VIEWS ? wanted : "") as keyof typeof VIEWS;
  const at = (name: string) =>
    `${CAPTURES}${encodeURIComponent(one.id)}?${changed(parameters, { brand: brand.brand, view: name })}`;
  return (
    <>
      <p class="about">
        Kept <time dateTime={one.at}>{times.dateOf(one.at)}</time> from{" "}
        <Link to={pageAddress(one.url, brand.brand)} title="All captures of this page">
          <bdi>{shortUrl(one.url)}</bdi>
        </Link>{" "}
        <Marks of={one} />
      </p>
      <div class="capture-bar">
        <nav class="tabs" aria-label="Views">
          {Object.entries(VIEWS).map(([name, words]) => (
            <Link key={name} to={at(name)} current={name === view}>
              {words}
            </Link>
          ))}
        </nav>
        <Others one={one} />
      </div>
      <div class="columns">
        {view === "" ? <Picture one={one} /> : null}
        {view === "text" ? <Text one={one} /> : null}
        {view === "replay" ? <Replay one={one} /> : null}
        {view === "details" ? <Details one={one} /> : null}
        <div class="aside">
          <Taking one={one} />
          <CaptureActs one={one} again={asked.again} />
        </div>
      </div>
    </>
  );
}

function Picture({ one }: { one: Capture }) {
  return (
    <section class="card" aria-label="The picture">
      {one.tiles.length ? <Tiles of={one} /> : <p class="about">There is no picture of it.</p>}
    </section>
  );
}

function Text({ one }: { one: Capture }) {
  const [words, setWords] = useState<string | undefined>(undefined);
  const [said, setSaid] = useState("");
  useEffect(() => {
    let isOver = false;
    text(ownAddress(one.text) ?? "")
      .then((told) => isOver || setWords(told))
      .catch((error: unknown) => {
        if (!(error instanceof Problem || error instanceof Gone)) throw error;
        if (!isOver) setSaid(error instanceof Problem ? error.message : "The server does not answer.");
      });
    return () => {
      isOver = true;
    };
  }, [one.text]);
  if (said)
    return (
      <p class="said bad" role="alert">
        {said}
      </p>
    );
  if (words === undefined) return <Loading what="Reading the text" />;
  return (
    <section class="card" aria-label="The text">
      {one.keywords.length ? (
        <p class="about">
          Keywords: <bdi>{one.keywords.join(", ")}</bdi>
        </p>
      ) : null}
      <p class="kept-text" dir="auto">
        {words.slice(0, TEXT_MAX) || "It has no text."}
      </p>
      {words.length > TEXT_MAX ? (
        <p class="about">
          These are the first {whole(TEXT_MAX)} of {whole(words.length)} characters; all are in the download.
        </p>
      ) : null}
    </section>
  );
}

// A stranger's page: another origin, and a sandbox in which nothing runs.
function Replay({ one }: { one: Capture }) {
  const link = safeAddress(one.replay);
  if (!link)
    return (
      <Empty title="There is no replay here">
        <p>
          Replay needs an origin of its own, which this instance does not have. Take the WACZ below to any
          player of web archives instead.
        </p>
      </Empty>
    );
  return (
    <section class="card" aria-label="The replay">
      <p class="about">
        The page as it stood, without its scripts. Nothing in it reaches the web, or this dashboard.
      </p>
      <iframe
        class="replay"
        sandbox=""
        referrerpolicy="no-referrer"
        title={`Replay of “${titleOf(one)}”`}
        src={link}
      />
    </section>
  );
}

function Details({ one }: { one: Capture }) {
  const outside = safeAddress(one.outsideUrl);
  const self = useCell(session)?.person?.id ?? "";
  return (
    <section class="card" aria-label="The details">
      <dl class="details">
        {detailsOf(one, self).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        {one.keywords.length ? (
          <div>
            <dt>Keywords</dt>
            <dd>
              <bdi>{one.keywords.join(", ")}</bdi>
            </dd>
          </div>
        ) : null}
        {outside ? (
          <div>
            <dt>Outside archive</dt>
            <dd>
              <a href={outside} rel="noreferrer" target="_blank">
                <bdi>{outside}</bdi>
              </a>
            </dd>
          </div>
        ) : null}
      </dl>
    </section>
  );
}

// Another capture of the same page, to be compared with.
function Others({ one }: { one: Capture }) {
  const { brand, times } = useStanding();
  const asked = useAsked<Shelf>("/v1/archive/captures", {
    brand: brand.brand,
    url: one.url,
    limit: OTHERS_MAX,
  });
  const others = asked.value?.captures.filter(({ id }) => id !== one.id) ?? [];
  if (!others.length) return null;
  return (
    <label class="field inline">
      <span>Compare with…</span>
      <select
        value=""
        onChange={(event) => {
          const other = others.find(({ id }) => id === event.currentTarget.value);
          if (other) go(compareAddress(one, other, brand.brand));
        }}
      >
        <option value="">choose a moment</option>
        {others.map((other) => (
          <option key={other.id} value={other.id}>
            {times.stampOf(other.at)}
          </option>
        ))}
      </select>
    </label>
  );
}

const FILES = [
  ["picture", "Picture", "png"],
  ["wacz", "WACZ", "wacz"],
  ["warc", "WARC", "warc.gz"],
  ["html", "HTML", "html"],
  ["text", "Text", "txt"],
] as const;

function Taking({ one }: { one: Capture }) {
  const { brand } = useStanding();
  const permanent = ownAddress(one.permanent) ?? `${CAPTURES}${encodeURIComponent(one.id)}`;
  const link = safeAddress(one.permanent) ?? new URL(permanent, location.origin).href;
  return (
    <section class="card" aria-labelledby="take-title">
      <h2 id="take-title">Link and download</h2>
      <Copied name="the permanent link" text={link} />
      <p class="acts">
        {FILES.filter(([file]) => file !== "picture" || one.tiles.length).map(([file, words, ending]) => (
          <a
            key={file}
            class="button quiet"
            href={fileOf(one.id, file, brand.brand)}
            download={`${one.id}.${ending}`}
          >
            {words}
          </a>
        ))}
      </p>
    </section>
  );
}

function Removed({ problem }: { problem: Problem }) {
  const { brand, times } = useStanding();
  const { at, removedAt, removedBy, why } = tombstoneIn(problem.more);
  return (
    <>
      <div class="head">
        <h1>Removed</h1>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Archive</Link>
      </div>
      <Empty title="This capture was removed">
        <p>
          {removedAt ? `It was taken away ${times.dateOf(removedAt)}` : "It was taken away"}
          {removedBy ? ` by ${removedBy}` : ""}. Nothing of the page is kept but this note.
        </p>
        {why ? (
          <p>
            The reason: <bdi>{why}</bdi>
          </p>
        ) : null}
        {at ? <p class="about">It had been kept {microseconds(at)}.</p> : null}
      </Empty>
    </>
  );
}
