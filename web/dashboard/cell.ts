// A value that others can watch, and the hook that draws a component again when it changes.
import { useEffect, useState } from "preact/hooks";

export class Cell<T> {
  private readonly watchers = new Set<() => void>();

  constructor(private held: T) {}

  get value(): T {
    return this.held;
  }

  set(value: T): void {
    if (Object.is(value, this.held)) return;
    this.held = value;
    for (const watcher of [...this.watchers]) watcher();
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useCell<T>(cell: Cell<T>): T {
  const [, again] = useState(0);
  useEffect(() => {
    again((times) => times + 1); // It may have changed between the drawing and now.
    return cell.watch(() => again((times) => times + 1));
  }, [cell]);
  return cell.value;
}
