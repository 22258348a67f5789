"""Tables and the parts of a page that hold a picture with its numbers beside it."""

from collections.abc import Sequence
from html import escape

Cells = Sequence[str]


def picture_with_table(
    title: str, says: str, picture: str, head: Cells, rows: Sequence[Cells], *, is_open: bool = False
) -> str:
    """Return a picture with a sentence above it and its numbers in a table below."""
    opened = " open" if is_open else ""
    return (
        f"<section><h2>{escape(title)}</h2><p>{escape(says)}</p>"
        "<figure><div class=scroll tabindex=0 role=group "
        f"aria-label='{escape(title, quote=True)}'>{picture}</div></figure>"
        f"<details{opened}><summary>The numbers</summary>{table(title, head, rows)}</details></section>"
    )


def table(title: str, head: Cells, rows: Sequence[Cells]) -> str:
    """Return a table whose first cells name their rows; the caption is for those who hear it."""
    heads = "".join(f"<th scope=col>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>"
        + "".join(
            f"<{'th scope=row' if place == 0 else 'td'}>{escape(cell)}</{'th' if place == 0 else 'td'}>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<div class=scroll><table><caption>{escape(title)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
