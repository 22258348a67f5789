"""MySQL and MariaDB as a database that is being moved, through PyMySQL."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from footfall.adapters.relational.dialects import Column, Kind, Trigger, columns_from, keys_from
from footfall.adapters.relational.mariadb_errors import in_our_words, is_lost_by
from footfall.adapters.relational.mariadb_triggers import ADDED, AT_MS, SEEN, quoted, triggers_of
from footfall.adapters.relational.places import Place
from footfall.adapters.relational.sessions import MissingDriver, Record, Session, Values, marks
from footfall.adapters.relational.sql_relational import SqlRelational
from footfall.adapters.relational.watching import Watch
from footfall.ports.errors import Unavailable
from footfall.ports.relational import Cell, Outline

PORT = 3306
_TABLE = "ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
_KEYED = "entity VARCHAR(64) NOT NULL, entity_key VARCHAR(255) NOT NULL"
_WHOLE = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_TEXT = frozenset({"char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum"})
_MOMENT = frozenset({"datetime", "timestamp"})


class MariaDbRelational(SqlRelational):
    """A database on MySQL 8 or MariaDB 10.6 and newer."""

    def __init__(self, place: Place, *, pause: Callable[[float], None]) -> None:
        super().__init__(MariaDbDialect(place), pause=pause)


class MariaDbDialect:
    """How MySQL and MariaDB say it."""

    reading = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
    writing = "START TRANSACTION"
    by_key = " FORCE INDEX (PRIMARY)"
    making = (
        f"CREATE TABLE IF NOT EXISTS footfall_outbox (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, {_KEYED},"
        " shared_table VARCHAR(64) NULL, weight BIGINT NOT NULL, done TINYINT NOT NULL, at_ms BIGINT NOT NULL,"
        f" KEY clocks (entity, entity_key, shared_table, weight), KEY waiting (entity, done, id, at_ms)) {_TABLE}",
        "CREATE TABLE IF NOT EXISTS footfall_dropped (id BIGINT UNSIGNED NOT NULL PRIMARY KEY,"
        " entity VARCHAR(64) NOT NULL, owner_table VARCHAR(64) NOT NULL, owner_key VARCHAR(255) NOT NULL,"
        " shared_table VARCHAR(64) NOT NULL, shared_key VARCHAR(255) NOT NULL,"
        f" KEY owners (entity, owner_key, owner_table)) {_TABLE}",
        f"CREATE TABLE IF NOT EXISTS footfall_routes ({_KEYED}, side VARCHAR(8) NOT NULL, epoch BIGINT NOT NULL,"
        f" clock BIGINT NOT NULL, written_back BIGINT NOT NULL, PRIMARY KEY (entity, entity_key)) {_TABLE}",
        f"CREATE TABLE IF NOT EXISTS footfall_states ({_KEYED}, state VARCHAR(16) NOT NULL, until_ms BIGINT NOT NULL,"
        " reason VARCHAR(2000) NOT NULL, PRIMARY KEY (entity, entity_key), KEY taking (entity, state, until_ms))"
        f" {_TABLE}",
        f"CREATE TABLE IF NOT EXISTS footfall_shared ({_KEYED}, digests MEDIUMTEXT NOT NULL,"
        f" PRIMARY KEY (entity, entity_key)) {_TABLE}",
        f"CREATE OR REPLACE VIEW {SEEN} AS SELECT * FROM footfall_routes",  # noqa: S608 - names of ours
        f"CREATE OR REPLACE VIEW {ADDED} AS SELECT * FROM footfall_routes",  # noqa: S608 - names of ours
        "CREATE TABLE IF NOT EXISTS footfall_outlines (entity VARCHAR(64) NOT NULL PRIMARY KEY,"
        f" digest CHAR(32) NOT NULL, filled TINYINT NOT NULL) {_TABLE}",
    )
    removing = (f"DROP VIEW IF EXISTS {SEEN}", f"DROP VIEW IF EXISTS {ADDED}")

    def __init__(self, place: Place) -> None:
        self._place = place

    def opened(self, *, is_reader: bool) -> Session:
        """Return a new connection."""
        return MariaDbSession(self._place, isolation="REPEATABLE READ" if is_reader else "READ COMMITTED")

    def name(self, identifier: str) -> str:
        """Return a quoted name of a column."""
        return quoted(identifier)

    def table(self, identifier: str) -> str:
        """Return a quoted name of a table."""
        return quoted(identifier)

    def columns(self, session: Session, table: str) -> list[Column]:
        """Return a table's columns in their order, without those that the database computes."""
        found = session.rows(
            "SELECT column_name, data_type, character_maximum_length FROM information_schema.columns"
            " WHERE table_schema = DATABASE() AND table_name = %s AND COALESCE(generation_expression, '') = ''"
            " ORDER BY ordinal_position",
            (table,),
        )
        return columns_from(found, _kind)

    def unique_keys(self, session: Session, table: str) -> list[frozenset[str]]:
        """Return the columns of the primary key and of every other unique key."""
        sql = (
            "SELECT index_name, column_name FROM information_schema.statistics"
            " WHERE table_schema = DATABASE() AND table_name = %s AND non_unique = 0"
        )
        return keys_from(session.rows(sql, (table,)))

    def unwatched(self, session: Session, table: str) -> list[str]:
        """Return which foreign keys change rows without firing triggers, and whether there are no transactions."""
        sql = (
            "SELECT constraint_name FROM information_schema.referential_constraints"
            " WHERE constraint_schema = DATABASE() AND table_name = %s"
            " AND (delete_rule IN ('CASCADE', 'SET NULL') OR update_rule IN ('CASCADE', 'SET NULL'))"
        )
        told = [
            f"the foreign key {name} changes rows of {table} without firing triggers; make it RESTRICT first"
            for (name,) in session.rows(sql, (table,))
        ]
        sql = "SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = %s"
        for (engine,) in session.rows(sql, (table,)):
            if str(engine).lower() != "innodb":
                told.append(f"{table} is of the engine {engine}, which has no transactions; make it InnoDB first")
        return told

    def older(self, session: Session) -> set[str]:
        """Return the transactions that are open, as far as the user may see them.

        One whose moment is older than our tables cannot read them, and would be told to begin again when it writes.
        """
        sql = "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> CONNECTION_ID()"
        try:
            return {str(number) for (number,) in session.rows(sql)}
        except Unavailable:
            if session.is_lost:
                raise
            return set()

    def inserting(self, table: str, columns: Sequence[str], *, rows: int) -> str:
        """Return an INSERT of several rows that leaves those alone whose key is there."""
        row = f"({marks(columns)})"
        return f"INSERT IGNORE INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608 - ours

    def settling(self, *, rows: int) -> str:
        """Return an INSERT of states that replaces those that are there."""
        return (
            "INSERT INTO footfall_states (entity, entity_key, state, until_ms, reason) VALUES "  # noqa: S608 - ours
            + ", ".join(["(%s, %s, %s, 0, %s)"] * rows)
            + " ON DUPLICATE KEY UPDATE state = VALUES(state), until_ms = 0, reason = VALUES(reason)"
        )

    def triggers(self, outline: Outline, watch: Watch) -> list[Trigger]:
        """Return the triggers of one table."""
        return triggers_of(outline, watch)

    def triggers_there(self, session: Session) -> set[str]:
        """Return the names of our triggers."""
        sql = "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()"
        return {str(name) for (name,) in session.rows(sql) if str(name).startswith("footfall_")}

    def altering(self, session: Session, table: str, statements: Sequence[str]) -> None:
        """Change what belongs to a table if nobody uses it at this moment, else raise Busy without waiting."""
        # Whoever comes while a statement waits for a table's metadata lock waits behind it, so it does not wait.
        session.run("SET SESSION lock_wait_timeout = 0")
        try:
            session.run(f"LOCK TABLES {quoted(table)} WRITE")  # All of them in the one moment that was found.
            for statement in statements:
                session.run(statement)
        finally:
            if not session.is_lost:
                session.run("UNLOCK TABLES")
                session.run("SET SESSION lock_wait_timeout = DEFAULT")

    def folded(self, columns: Sequence[str]) -> str:
        """Return an INSERT of one notice that is done, with an id of its own."""
        return (
            f"INSERT INTO footfall_outbox (id, {', '.join(columns)}, done)"  # noqa: S608 - names of ours
            f" VALUES (UUID_SHORT(), {marks(columns)}, 1)"
        )

    @property
    def reminding(self) -> str:
        """Return an INSERT of a notice that counts nothing, for an entity and its key."""
        return (
            "INSERT INTO footfall_outbox (id, entity, entity_key, weight, done, at_ms)"  # noqa: S608 - names of ours
            f" VALUES (UUID_SHORT(), %s, %s, 0, 0, {AT_MS})"
        )

    def stored(self, cell: Cell, column: Column) -> Cell:
        """Return a cell as the database takes it: a moment without the T and the Z."""
        if column.kind is Kind.MOMENT and isinstance(cell, str):
            return cell.replace("T", " ", 1).removesuffix("Z")
        return cell

    def applying(self, session: Session, *, is_on: bool) -> None:
        """Tell triggers that the session writes back what came from the other side, or that it does not any more."""
        session.run(f"SET @footfall_applying = {int(is_on)}")

    def advance(self, session: Session, table: str, column: str, value: int) -> None:
        """Do nothing: the table's counter has already seen the number."""


class MariaDbSession:
    """One connection through PyMySQL."""

    def __init__(self, place: Place, *, isolation: str) -> None:
        driver, self._errors = _driver()
        self._where = place.told
        self._is_lost = False
        try:
            self._connection: Any = driver.connect(
                host=place.host, port=place.port or PORT, user=place.user, password=place.password,
                database=place.database, charset="utf8mb4", autocommit=True, conv=_conversions(), connect_timeout=5,
                read_timeout=place.patience_s, write_timeout=place.patience_s, **place.options,
            )  # fmt: skip
        except self._errors as error:
            raise in_our_words(error, self._where) from error
        self._cursor: Any = self._connection.cursor()
        self.run(f"SET SESSION TRANSACTION ISOLATION LEVEL {isolation}")
        self.run("SET SESSION time_zone = '+00:00'")

    @property
    def is_lost(self) -> bool:
        """Tell whether the connection has to be made anew."""
        return self._is_lost

    def rows(self, sql: str, values: Values = ()) -> list[Record]:
        """Return what a query finds."""
        self.run(sql, values)
        return list(self._cursor.fetchall())

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement and return how many rows it found."""
        try:
            return int(self._cursor.execute(sql, values or None))
        except self._errors as error:
            self._is_lost = self._is_lost or is_lost_by(error)
            raise in_our_words(error, self._where) from error

    def close(self) -> None:
        """Let go of the connection; again changes nothing."""
        self._is_lost = True
        if self._connection.open:
            self._connection.close()


def _kind(data_type: str) -> Kind:
    if data_type in _WHOLE:
        return Kind.WHOLE
    if data_type in _TEXT:
        return Kind.TEXT
    return Kind.MOMENT if data_type in _MOMENT else Kind.OTHER


def _moment(text: str) -> str:
    """Return a moment in UTC with all six digits, so that the same moment is the same text."""
    return f"{text[:10]}T{text[11:19]}.{text[20:]:0<6}Z"


def _conversions() -> Mapping[Any, Any]:
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    ours: dict[Any, Any] = {code: said for code, said in conversions.items() if not isinstance(code, int)}
    whole = (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.INT24, FIELD_TYPE.LONGLONG, FIELD_TYPE.YEAR)
    ours |= dict.fromkeys(whole, int)
    ours |= dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), float)
    ours |= dict.fromkeys((FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP), _moment)
    return ours


def _driver() -> tuple[Any, tuple[type[Exception], ...]]:
    # Imported where it is used: only who moves a database needs it.
    try:
        import pymysql
    except ImportError as error:
        raise MissingDriver(
            f"MySQL and MariaDB need PyMySQL, which is not installed: `pip install 'footfall[migrate]'` ({error})"
        ) from error
    return pymysql, (pymysql.err.Error, OSError, RuntimeError)
