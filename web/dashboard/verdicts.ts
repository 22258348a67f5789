// What each feature had to do with a verdict, as parts of the whole, largest first. Pure.
import type { Note } from "./shapes.ts";

export interface Part extends Note {
  share: number;
}

export function notesOf(explanation: readonly Note[]): Part[] {
  const sum = explanation.reduce((total, note) => total + Math.max(0, note.attribution), 0);
  return explanation
    .map((note) => ({ ...note, share: sum ? Math.max(0, note.attribution) / sum : 0 }))
    .sort((a, b) => b.share - a.share);
}
