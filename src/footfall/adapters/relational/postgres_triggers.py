"""Triggers of PostgreSQL: they gate, and append to the outbox, in the writer's own transaction.

Functions belong to whoever prepared the database and name every table in full, so that writers need no right on our
tables and may have any search path. FOR KEY SHARE is shared among writers and waits only for whoever hands over.
"""

from footfall.adapters.relational.dialects import MOVED, Trigger
from footfall.adapters.relational.watching import Note, Pointer, Roots, Watch, trigger_name
from footfall.ports.relational import EVERYTHING, Outline

AT_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
_IS_OTHERS = "coalesce(current_setting('footfall.applying', true), '') <> '1'"


def quoted(identifier: str) -> str:
    """Return a quoted name."""
    return '"' + identifier.replace('"', '""') + '"'


def triggers_of(outline: Outline, watch: Watch, schema: str) -> list[Trigger]:
    """Return the triggers of one table of a schema."""
    return [_trigger(outline, watch, schema, event) for event in ("INSERT", "UPDATE", "DELETE")]


def _trigger(outline: Outline, watch: Watch, schema: str, event: str) -> Trigger:
    name = trigger_name(outline, watch.table, event)
    table, function = f"{quoted(schema)}.{quoted(watch.table)}", f"{quoted(schema)}.{quoted(name)}"
    writer = _Writer(outline.entity, f"{quoted(schema)}.")
    body = "".join(writer.noted(note, event) for note in watch.notes)
    making = (
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
        f" SET search_path = pg_catalog AS $footfall$\n"
        "DECLARE\n  footfall_key text;\n  footfall_side text;\n  footfall_epoch bigint;\n  footfall_filled smallint;\n"
        f"BEGIN\n{body}  RETURN NULL;\nEND $footfall$",
        f"CREATE TRIGGER {quoted(name)} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {function}()",
    )
    removing = (f"DROP TRIGGER IF EXISTS {quoted(name)} ON {table}", f"DROP FUNCTION IF EXISTS {function}()")
    return Trigger(name, watch.table, making, removing)


class _Writer:
    """Writes the text of triggers of one entity."""

    def __init__(self, entity: str, schema: str) -> None:
        self._entity, self._schema = entity, schema

    def noted(self, note: Note, event: str) -> str:
        column = quoted(note.column)
        if event == "INSERT":
            return self._one(note, f"NEW.{column}", is_new=True)
        if event == "DELETE":
            return self._one(note, f"OLD.{column}", is_new=False) + self._given_up(note, is_update=False)
        before, after = (
            self._one(note, f"OLD.{column}", is_new=False),
            self._one(note, f"NEW.{column}", is_new=True),
        )
        both = f"{before}  IF {_differs(column)} THEN\n{after}  END IF;\n"
        if note.only:
            changed = " OR ".join(_differs(quoted(one)) for one in note.only)
            both = f"  IF {changed} THEN\n{both}  END IF;\n"
        return both + self._given_up(note, is_update=True)

    def _one(self, note: Note, value: str, *, is_new: bool) -> str:
        if note.shared_table is not None:
            appended = self._appended(f"{value}::text", f"'{_inside(note.shared_table)}'")
            gate = self._gate_of_roots(note.roots, value) if note.roots else ""
            return f"  IF {value} IS NOT NULL THEN\n{gate}{appended}  END IF;\n"
        gate = self._gate_of_new() if note.is_root and is_new else self._gate()
        return (
            f"  IF {value} IS NOT NULL AND {_IS_OTHERS} THEN\n    footfall_key := {value}::text;\n"
            f"{gate}{self._refusal()}{self._appended('footfall_key', 'NULL')}  END IF;\n"
        )

    def _gate(self) -> str:
        """Lock the entity's route; while routes are being filled in, lock instead that they are."""
        route = self._route("footfall_key")
        return f"""\
    footfall_side := ({route} FOR KEY SHARE);
    IF footfall_side IS NULL THEN
      footfall_filled := (SELECT filled FROM {self._schema}footfall_outlines
        WHERE entity = '{self._entity}' FOR KEY SHARE);
      -- A transaction whose moment is older than that sees nothing, and is told to begin again by the insert.
      IF footfall_filled IS DISTINCT FROM 0 THEN
{self._inserted_route()}\
        footfall_side := ({route} FOR KEY SHARE);
      END IF;
    END IF;
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours or quoted

    def _gate_of_roots(self, roots: Roots, value: str) -> str:
        """Lock the routes of all who share a row."""
        table, key, column = f"{self._schema}{quoted(roots.table)}", quoted(roots.key), quoted(roots.column)
        return f"""\
    IF {_IS_OTHERS} THEN
    FOR footfall_key IN SELECT r.{key}::text FROM {table} r WHERE r.{column} = {value} LOOP
{self._gate()}{self._refusal()}\
    END LOOP;
    END IF;
"""  # noqa: S608 - names are quoted

    def _gate_of_new(self) -> str:
        """Lock the route of everything that is not there yet, and give the entity one of its own."""
        return f"""\
    footfall_side := ({self._route(f"'{EVERYTHING}'")} FOR KEY SHARE);
{self._refusal()}\
{self._inserted_route()}\
    INSERT INTO {self._schema}footfall_states (entity, entity_key, state, until_ms, reason)
      VALUES ('{self._entity}', footfall_key, 'NOT_MIGRATED', 0, '') ON CONFLICT DO NOTHING;
    footfall_side := ({self._route("footfall_key")} FOR KEY SHARE);
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours or quoted

    def _inserted_route(self) -> str:
        return f"""\
    footfall_epoch := (SELECT coalesce(max(epoch), 0) FROM {self._schema}footfall_routes
      WHERE entity = '{self._entity}' AND entity_key = '{EVERYTHING}');
    INSERT INTO {self._schema}footfall_routes (entity, entity_key, side, epoch, clock, written_back)
      VALUES ('{self._entity}', footfall_key, 'old', footfall_epoch, 0, 0) ON CONFLICT DO NOTHING;
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours or quoted

    def _route(self, key: str) -> str:
        return f"SELECT side FROM {self._schema}footfall_routes WHERE entity = '{self._entity}' AND entity_key = {key}"  # noqa: S608 - ours

    def _refusal(self) -> str:
        return f"""\
    IF footfall_side <> 'old' THEN
      RAISE EXCEPTION USING ERRCODE = '45000',
        MESSAGE = '{MOVED}{self._entity} ' || footfall_key || ' is written on the new side';
    END IF;
"""

    def _appended(self, key: str, shared_table: str) -> str:
        return f"""\
    INSERT INTO {self._schema}footfall_outbox (entity, entity_key, shared_table, weight, done, at_ms)
      VALUES ('{self._entity}', {key}, {shared_table}, 1, 0, {AT_MS});
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours or quoted

    def _given_up(self, note: Note, *, is_update: bool) -> str:
        return "".join(self._given_up_one(note, pointer, is_update=is_update) for pointer in note.pointers)

    def _given_up_one(self, note: Note, pointer: Pointer, *, is_update: bool) -> str:
        owner, value = f"OLD.{quoted(note.column)}", f"OLD.{quoted(pointer.column)}"
        changed = f" AND ({_differs(quoted(pointer.column))} OR {_differs(quoted(note.column))})" if is_update else ""
        tables = f"'{_inside(note.shared_table or '')}', {owner}::text, '{_inside(pointer.table)}', {value}::text"
        return f"""\
  IF {owner} IS NOT NULL AND {value} IS NOT NULL{changed} THEN
    INSERT INTO {self._schema}footfall_dropped (entity, owner_table, owner_key, shared_table, shared_key)
      VALUES ('{self._entity}', {tables});
  END IF;
"""  # noqa: S608 - names are quoted


def _differs(column: str) -> str:
    # Text is compared, for to some types A and a are the same.
    return f"OLD.{column}::text IS DISTINCT FROM NEW.{column}::text"


def _inside(name: str) -> str:
    return name.replace("'", "''")
