// Two pictures beside each other, aligned by bands: which part of which tile is seen where. Pure.
import type { Line, Tile } from "./captures.ts";
import { percent, whole } from "./words.ts";

export type BandKind = "equal" | "added" | "removed" | "changed";
export type Box = readonly [x: number, y: number, width: number, height: number];

export interface Band {
  kind: BandKind;
  aTop: number;
  aHeight: number;
  bTop: number;
  bHeight: number;
  boxes: Box[];
}

export interface TextPiece {
  kind: "equal" | "added" | "removed";
  text: string;
}

export interface Comparison {
  a: Line;
  b: Line;
  isSame: boolean;
  text: TextPiece[];
  picture: { bands: Band[]; changedShare: number };
}

export interface Cut {
  url: string;
  top: number; // in parts of the band's height, as the tile's own height is
  height: number;
}

// The tiles of which something is seen between two heights, placed in parts of that span.
export function cuts(tiles: readonly Tile[], top: number, height: number): Cut[] {
  const found: Cut[] = [];
  let at = 0;
  for (const { url, heightPx } of tiles) {
    if (at < top + height && at + heightPx > top)
      found.push({ url, top: (at - top) / height, height: heightPx / height });
    at += heightPx;
  }
  return found;
}

const KINDS: Record<BandKind, string> = {
  equal: "Alike",
  added: "Only in the newer one",
  removed: "Only in the older one",
  changed: "Changed",
};

export function bandWords(band: Band): string {
  const [top, height] = band.kind === "removed" ? [band.aTop, band.aHeight] : [band.bTop, band.bHeight];
  return `${KINDS[band.kind]}: ${whole(height)} px from ${whole(top)} px on`;
}

export function differing(bands: readonly Band[]): Band[] {
  return bands.filter(({ kind }) => kind !== "equal");
}

export function verdictWords({ isSame, picture, text }: Comparison): string {
  if (isSame) return "Nothing differs: picture and text are the same.";
  const texts = text.some(({ kind }) => kind !== "equal");
  const share = picture.changedShare;
  if (!differing(picture.bands).length)
    return texts ? "The pictures are the same; the texts differ." : "Nothing that can be seen differs.";
  const much = share < 0.001 ? "Less than 0.1%" : percent(share);
  return `${much} of the picture differs; the texts ${texts ? "differ, too" : "are the same"}.`;
}

const AROUND = 160; // characters on each side of a difference, which is a sentence or two

export interface Shown {
  kind: TextPiece["kind"] | "skipped";
  text: string;
}

// Pieces as they are read one after the other: each begins a line, as each sentence within them does.
export function inLines(pieces: readonly TextPiece[]): TextPiece[] {
  return pieces.map((piece, at) => {
    const next = pieces[at + 1];
    const isApart = !next || /\s$/.test(piece.text) || /^\s/.test(next.text);
    return isApart ? piece : { ...piece, text: `${piece.text}\n` };
  });
}

// The differences with what stands around them; what is alike and far from any of them is left out, and said so.
export function shortened(pieces: readonly TextPiece[]): Shown[] {
  return pieces.flatMap(({ kind, text }, at): Shown[] => {
    if (kind !== "equal") return [{ kind, text }];
    const head = at > 0 ? AROUND : 0;
    const tail = at < pieces.length - 1 ? AROUND : 0;
    if (text.length <= head + tail + AROUND) return [{ kind, text }];
    // Cut between words, so that none is half a word.
    const left = text.slice(0, head).replace(/\S*$/, "");
    const right = tail ? text.slice(-tail).replace(/^\S*/, "") : "";
    const skipped = text.length - left.length - right.length;
    const parts: Shown[] = [
      { kind: "equal", text: left },
      { kind: "skipped", text: `${whole(skipped)} characters alike` },
      { kind: "equal", text: right },
    ];
    return parts.filter((one) => one.text);
  });
}
