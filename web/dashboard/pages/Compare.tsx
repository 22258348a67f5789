// Two captures: what differs in their pictures and in their texts.
import { useEffect } from "preact/hooks";
import { addressOf, go, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { type Comparison, inLines, shortened, verdictWords } from "../bands.ts";
import {
  type Capture,
  captureAddress,
  compareAddress,
  type Line,
  pageAddress,
  shortUrl,
  titleOf,
} from "../captures.ts";
import { useStanding } from "../context.ts";
import { Bands } from "../parts/Bands.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { ARCHIVE } from "../routes.ts";

export function ComparePage() {
  const { brand } = useStanding();
  const parameters = useParameters();
  const [a, b] = [parameters.get("a") ?? "", parameters.get("b") ?? ""];
  const asked = useAsked<Comparison>(a && b ? "/v1/archive/compare" : null, { brand: brand.brand, a, b });
  return (
    <>
      <div class="head">
        <h1>Two captures</h1>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Archive</Link>
      </div>
      {a && b ? (
        <Shown asked={asked} what="Comparing">
          {(told) => <Compared told={told} />}
        </Shown>
      ) : (
        <Empty title="Two captures are needed">
          <p>Open one, and choose there what to compare it with.</p>
        </Empty>
      )}
    </>
  );
}

function Compared({ told }: { told: Comparison }) {
  const { brand } = useStanding();
  const [a, b] = [useCapture(told.a.id), useCapture(told.b.id)];
  useEffect(() => {
    // The older one is on the left, whoever wrote the address.
    if (told.a.at > told.b.at) go(compareAddress(told.a, told.b, brand.brand), { replaces: true });
  }, [told]);
  return (
    <>
      <section class="card" aria-label="Which two">
        <p role="status">
          <strong>{verdictWords(told)}</strong>
        </p>
        <div class="columns even">
          <Which words="Older" one={told.a} />
          <Which words="Newer" one={told.b} />
        </div>
      </section>
      {a && b && told.picture.bands.length ? <Bands told={told} a={a} b={b} /> : null}
      <section class="card" aria-labelledby="texts-title">
        <h2 id="texts-title">The texts</h2>
        <Texts told={told} />
      </section>
    </>
  );
}

function useCapture(id: string): Capture | undefined {
  const { brand } = useStanding();
  return useAsked<Capture>(`/v1/archive/captures/${encodeURIComponent(id)}`, { brand: brand.brand }).value;
}

function Which({ words, one }: { words: string; one: Line }) {
  const { brand, times } = useStanding();
  return (
    <p class="what">
      <span class="about">{words}: </span>
      <Link to={captureAddress(one.id, brand.brand)} class="asset">
        <bdi>{titleOf(one)}</bdi>
      </Link>
      <br />
      <span class="about">
        <time dateTime={one.at}>{times.stampOf(one.at)}</time> ·{" "}
        <Link to={pageAddress(one.url, brand.brand)}>
          <bdi>{shortUrl(one.url)}</bdi>
        </Link>
      </span>
    </p>
  );
}

function Texts({ told }: { told: Comparison }) {
  if (!told.text.some(({ kind }) => kind !== "equal")) return <p class="about">They are the same.</p>;
  return (
    <>
      <p class="about">
        <del>Gone</del> is only in the older one, <ins>new</ins> only in the newer one.
      </p>
      <p class="kept-text" dir="auto">
        {shortened(inLines(told.text)).map(({ kind, text }) => {
          if (kind === "added") return <ins>{text}</ins>;
          if (kind === "removed") return <del>{text}</del>;
          return kind === "skipped" ? <span class="skipped">{text}</span> : text;
        })}
      </p>
    </>
  );
}
