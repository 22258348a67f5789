// What is wanted now and then: one line until somebody opens it.
import type { ComponentChildren } from "preact";

interface FoldedProps {
  words: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

export function Folded({ words, isOpen = false, children }: FoldedProps) {
  return (
    <details class="folded" open={isOpen}>
      <summary>{words}</summary>
      {children}
    </details>
  );
}
