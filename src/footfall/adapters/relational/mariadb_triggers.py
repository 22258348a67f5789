"""Triggers of MySQL and MariaDB: they gate, and append to the outbox, in the writer's own transaction.

No row is written by two writers. A route is read plainly first: a locking read of a row that is not there would lock
the gap where it might come, and others who insert would wait. A table that a statement's triggers name more than
once is locked for all of them as the strongest needs it, so routes are read plainly, locked and inserted by three
names: the table's and those of two views. Ids are of UUID_SHORT(), for a counter of the table's own (AUTO_INCREMENT)
would be locked until the end of every UPDATE, and two writers could wait for each other.
"""

from footfall.adapters.relational.dialects import MOVED, Trigger
from footfall.adapters.relational.watching import Note, Pointer, Roots, Watch, trigger_name
from footfall.ports.relational import EVERYTHING, Outline

_DECLARED = """\
  DECLARE footfall_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE footfall_side VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE footfall_said VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE footfall_epoch BIGINT;
  DECLARE footfall_filled TINYINT;
"""
SEEN, ADDED = "footfall_routes_seen", "footfall_routes_added"  # views of footfall_routes
AT_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
_IS_OTHERS = "COALESCE(@footfall_applying, 0) = 0"


def quoted(identifier: str) -> str:
    """Return a quoted name."""
    return "`" + identifier.replace("`", "``") + "`"


def triggers_of(outline: Outline, watch: Watch) -> list[Trigger]:
    """Return the triggers of one table."""
    return [_trigger(outline, watch, event) for event in ("INSERT", "UPDATE", "DELETE")]


def _trigger(outline: Outline, watch: Watch, event: str) -> Trigger:
    name = trigger_name(outline, watch.table, event)
    body = "".join(_noted(outline.entity, note, event) for note in watch.notes)
    making = (
        f"CREATE TRIGGER IF NOT EXISTS {quoted(name)} AFTER {event} ON {quoted(watch.table)} FOR EACH ROW\n"
        f"BEGIN\n{_DECLARED}{body}END"
    )
    return Trigger(name, watch.table, (making,), (f"DROP TRIGGER IF EXISTS {quoted(name)}",))


def _noted(entity: str, note: Note, event: str) -> str:
    column = quoted(note.column)
    if event == "INSERT":
        return _one(entity, note, f"NEW.{column}", is_new=True)
    if event == "DELETE":
        return _one(entity, note, f"OLD.{column}", is_new=False) + _given_up(entity, note, is_update=False)
    after = _one(entity, note, f"NEW.{column}", is_new=True)
    both = _one(entity, note, f"OLD.{column}", is_new=False) + f"  IF {_differs(column)} THEN\n{after}  END IF;\n"
    if note.only:
        changed = " OR ".join(_differs(quoted(one)) for one in note.only)
        both = f"  IF {changed} THEN\n{both}  END IF;\n"
    return both + _given_up(entity, note, is_update=True)


def _differs(column: str) -> str:
    # Bytes are compared, for to most collations A and a are the same.
    return f"NOT (CAST(OLD.{column} AS BINARY) <=> CAST(NEW.{column} AS BINARY))"


def _one(entity: str, note: Note, value: str, *, is_new: bool) -> str:
    if note.shared_table is not None:
        appended = _appended(entity, value, f"'{_inside(note.shared_table)}'")
        gate = _gate_of_roots(entity, note.roots, value) if note.roots else ""
        return f"  IF {value} IS NOT NULL THEN\n{gate}{appended}  END IF;\n"
    gate = _gate_of_new(entity) if note.is_root and is_new else _gate(entity)
    return (
        f"  IF {value} IS NOT NULL AND {_IS_OTHERS} THEN\n    SET footfall_key = {value};\n"
        f"{gate}{_refusal(entity)}{_appended(entity, 'footfall_key', 'NULL')}  END IF;\n"
    )


def _gate(entity: str) -> str:
    """Lock the entity's route in share mode; while routes are being filled in, lock instead that they are."""
    # A greatest value is found even where there is no row, so that nobody sees a warning.
    return f"""\
    SELECT MAX(side) INTO footfall_side FROM {SEEN} WHERE entity = '{entity}' AND entity_key = footfall_key;
    IF footfall_side IS NULL THEN
      SELECT MAX(filled) INTO footfall_filled FROM footfall_outlines WHERE entity = '{entity}' LOCK IN SHARE MODE;
    ELSE
      SET footfall_filled = 1;
    END IF;
    IF footfall_side IS NULL AND footfall_filled = 1 THEN
      SELECT MAX(epoch) INTO footfall_epoch FROM {SEEN} WHERE entity = '{entity}' AND entity_key = '{EVERYTHING}';
{_inserted_route(entity)}    END IF;
    IF footfall_filled = 1 THEN
{_locked(entity)}    END IF;
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours


def _gate_of_roots(entity: str, roots: Roots, value: str) -> str:
    """Lock the routes of all who share a row; they are found by a plain read, which locks no row and no gap."""
    table, key, column = quoted(roots.table), quoted(roots.key), quoted(roots.column)
    return f"""\
    IF {_IS_OTHERS} THEN
    BEGIN
    DECLARE footfall_is_over TINYINT DEFAULT 0;
    DECLARE footfall_roots CURSOR FOR SELECT {key} FROM {table} WHERE {column} = {value};
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET footfall_is_over = 1;
    OPEN footfall_roots;
    FETCH footfall_roots INTO footfall_key;
    WHILE footfall_is_over = 0 DO
{_gate(entity)}{_refusal(entity)}\
    FETCH footfall_roots INTO footfall_key;
    END WHILE;
    CLOSE footfall_roots;
    END;
    END IF;
"""  # noqa: S608 - names are quoted


def _gate_of_new(entity: str) -> str:
    """Lock the route of everything that is not there yet, and give the entity one of its own."""
    return f"""\
    SELECT MAX(side), MAX(epoch) INTO footfall_side, footfall_epoch FROM footfall_routes
      WHERE entity = '{entity}' AND entity_key = '{EVERYTHING}' LOCK IN SHARE MODE;
{_refusal(entity)}{_inserted_route(entity)}\
      INSERT IGNORE INTO footfall_states (entity, entity_key, state, until_ms, reason)
        VALUES ('{entity}', footfall_key, 'NOT_MIGRATED', 0, '');
{_locked(entity)}"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours


def _inserted_route(entity: str) -> str:
    return f"""\
      INSERT IGNORE INTO {ADDED} (entity, entity_key, side, epoch, clock, written_back)
        VALUES ('{entity}', footfall_key, 'old', footfall_epoch, 0, 0);
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours


def _locked(entity: str) -> str:
    return f"""\
      SELECT MAX(side) INTO footfall_side FROM footfall_routes
        WHERE entity = '{entity}' AND entity_key = footfall_key LOCK IN SHARE MODE;
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours


def _refusal(entity: str) -> str:
    return f"""\
    IF footfall_side <> 'old' THEN
      SET footfall_said = LEFT(CONCAT('{MOVED}{entity} ', footfall_key, ' is written on the new side'), 120);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = footfall_said;
    END IF;
"""


def _appended(entity: str, key: str, shared_table: str) -> str:
    return f"""\
    INSERT INTO footfall_outbox (id, entity, entity_key, shared_table, weight, done, at_ms)
      VALUES (UUID_SHORT(), '{entity}', {key}, {shared_table}, 1, 0, {AT_MS});
"""  # noqa: S608 - the entity's name is required to be plain, and all else is ours


def _given_up(entity: str, note: Note, *, is_update: bool) -> str:
    return "".join(_given_up_one(entity, note, pointer, is_update=is_update) for pointer in note.pointers)


def _given_up_one(entity: str, note: Note, pointer: Pointer, *, is_update: bool) -> str:
    owner, value = f"OLD.{quoted(note.column)}", f"OLD.{quoted(pointer.column)}"
    changed = f" AND ({_differs(quoted(pointer.column))} OR {_differs(quoted(note.column))})" if is_update else ""
    tables = f"'{_inside(note.shared_table or '')}', {owner}, '{_inside(pointer.table)}', {value}"
    return f"""\
  IF {owner} IS NOT NULL AND {value} IS NOT NULL{changed} THEN
    INSERT INTO footfall_dropped (id, entity, owner_table, owner_key, shared_table, shared_key)
      VALUES (UUID_SHORT(), '{entity}', {tables});
  END IF;
"""  # noqa: S608 - names are quoted


def _inside(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "''")
