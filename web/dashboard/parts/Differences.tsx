// In what two versions differ, field by field: what is gone is struck through, what is new is underlined.
import { compared, fateOf, itemsOf, type Piece, wordsOf } from "../changes.ts";
import { type Difference, fieldWords, valueWords } from "../metrics.ts";

export function Differences({ items }: { items: readonly Difference[] }) {
  return (
    <table class="stacked differences">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">
            Before (<del>gone</del>)
          </th>
          <th scope="col">
            After (<ins>new</ins>)
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <Row key={one.field} difference={one} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ difference: { field, before, after } }: { difference: Difference }) {
  const [old, now] = [valueWords(field, before), valueWords(field, after)];
  const fate = fateOf(old, now);
  const words = (value: unknown, text: string) => (Array.isArray(value) ? itemsOf(value) : wordsOf(text));
  const pieces = compared(
    fate === "added" ? [] : words(before, old),
    fate === "removed" ? [] : words(after, now),
  );
  return (
    <tr>
      <th scope="row">
        {fieldWords(field)} <span class="tag">{fate}</span>
      </th>
      <td data-name="Before">
        {fate === "added" ? old : <Pieces of={pieces.before} mark={(text) => <del>{text}</del>} />}
      </td>
      <td data-name="After">
        {fate === "removed" ? now : <Pieces of={pieces.after} mark={(text) => <ins>{text}</ins>} />}
      </td>
    </tr>
  );
}

function Pieces({ of, mark }: { of: readonly Piece[]; mark: (text: string) => preact.JSX.Element }) {
  return <span>{of.map(({ text, isOther }) => (isOther ? mark(text) : text))}</span>;
}
