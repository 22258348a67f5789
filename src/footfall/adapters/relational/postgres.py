"""PostgreSQL as a database that is being moved, through psycopg."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, cast

from footfall.adapters.relational.dialects import Column, Kind, Trigger, columns_from, keys_from
from footfall.adapters.relational.places import Place
from footfall.adapters.relational.postgres_errors import in_our_words
from footfall.adapters.relational.postgres_triggers import AT_MS, quoted, triggers_of
from footfall.adapters.relational.sessions import MissingDriver, Record, Session, Values, marks
from footfall.adapters.relational.sql_relational import SqlRelational
from footfall.adapters.relational.watching import Watch
from footfall.ports.relational import Cell, Outline

if TYPE_CHECKING:
    import psycopg

PORT = 5432
NUMBERS_PASSED_MAX = 100_000  # of a sequence, one by one, which no other can get between
_KEYED = "entity text NOT NULL, entity_key text NOT NULL"
_WHOLE = frozenset({"smallint", "integer", "bigint"})
_TEXT = frozenset({"character varying", "text"})
_MOMENT = frozenset({"timestamp with time zone", "timestamp without time zone"})
_AS_TEXT = (
    "numeric", "date", "time", "timetz", "interval", "uuid", "json", "jsonb", "inet", "cidr", "money", "bpchar",
)  # fmt: skip
_AS_MOMENT = ("timestamp", "timestamptz")


class PostgresRelational(SqlRelational):
    """A database on PostgreSQL 11 and newer."""

    def __init__(self, place: Place, *, pause: Callable[[float], None]) -> None:
        super().__init__(PostgresDialect(place), pause=pause)


class PostgresDialect:
    """How PostgreSQL says it."""

    reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    writing = "BEGIN"
    by_key = ""
    making = (
        f"CREATE TABLE IF NOT EXISTS footfall_outbox (id bigserial PRIMARY KEY, {_KEYED}, shared_table text NULL,"
        " weight bigint NOT NULL, done smallint NOT NULL, at_ms bigint NOT NULL)",
        "CREATE INDEX IF NOT EXISTS footfall_outbox_clocks ON footfall_outbox"
        " (entity, entity_key, shared_table, weight)",
        "CREATE INDEX IF NOT EXISTS footfall_outbox_waiting ON footfall_outbox (entity, done, id)",
        "CREATE TABLE IF NOT EXISTS footfall_dropped (id bigserial PRIMARY KEY, entity text NOT NULL,"
        " owner_table text NOT NULL, owner_key text NOT NULL, shared_table text NOT NULL, shared_key text NOT NULL)",
        "CREATE INDEX IF NOT EXISTS footfall_dropped_owners ON footfall_dropped (entity, owner_key, owner_table)",
        f"CREATE TABLE IF NOT EXISTS footfall_routes ({_KEYED}, side text NOT NULL, epoch bigint NOT NULL,"
        " clock bigint NOT NULL, written_back bigint NOT NULL, PRIMARY KEY (entity, entity_key))",
        f"CREATE TABLE IF NOT EXISTS footfall_states ({_KEYED}, state text NOT NULL, until_ms bigint NOT NULL,"
        " reason text NOT NULL, PRIMARY KEY (entity, entity_key))",
        "CREATE INDEX IF NOT EXISTS footfall_states_taking ON footfall_states (entity, state, until_ms)",
        f"CREATE TABLE IF NOT EXISTS footfall_shared ({_KEYED}, digests text NOT NULL,"
        " PRIMARY KEY (entity, entity_key))",
        "CREATE TABLE IF NOT EXISTS footfall_outlines (entity text PRIMARY KEY, digest text NOT NULL,"
        " filled smallint NOT NULL)",
    )
    removing: tuple[str, ...] = ()

    def __init__(self, place: Place) -> None:
        self._place = place
        self._schema = ""

    def opened(self, *, is_reader: bool) -> Session:
        """Return a new connection."""
        session = PostgresSession(self._place)
        if not self._schema:
            self._schema = str(session.rows("SELECT current_schema()")[0][0])
        return session

    def name(self, identifier: str) -> str:
        """Return a quoted name of a column."""
        return quoted(identifier)

    def table(self, identifier: str) -> str:
        """Return a quoted name of a table in the schema that sessions of ours see first."""
        return f"{quoted(self._schema)}.{quoted(identifier)}"

    def columns(self, session: Session, table: str) -> list[Column]:
        """Return a table's columns in their order, without those that the database computes."""
        found = session.rows(
            "SELECT column_name::text, data_type::text, character_maximum_length::int FROM information_schema.columns"
            " WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
            (self._schema, table),
        )
        return columns_from(found, _kind)

    def unique_keys(self, session: Session, table: str) -> list[frozenset[str]]:
        """Return the columns of the primary key and of every other unique key."""
        sql = (
            "SELECT i.indexrelid::text, a.attname::text FROM pg_index i"
            " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)"
            " WHERE i.indrelid = to_regclass(%s) AND i.indisunique AND i.indpred IS NULL"
        )
        return keys_from(session.rows(sql, (self.table(table),)))

    def unwatched(self, session: Session, table: str) -> list[str]:
        """Return whether the table is one whose rows triggers do not see."""
        sql = "SELECT relkind::text FROM pg_class WHERE oid = to_regclass(%s)"
        kinds = [str(kind) for (kind,) in session.rows(sql, (self.table(table),))]
        return [] if kinds in (["r"], ["p"]) else [f"{table} is not a table, so its changes cannot be seen"]

    def older(self, session: Session) -> set[str]:
        """Return no transactions: any can read tables that are younger than its moment."""
        return set()

    def inserting(self, table: str, columns: Sequence[str], *, rows: int) -> str:
        """Return an INSERT of several rows that leaves those alone whose key is there."""
        listed = ", ".join([f"({marks(columns)})"] * rows)
        return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {listed} ON CONFLICT DO NOTHING"  # noqa: S608 - ours

    def settling(self, *, rows: int) -> str:
        """Return an INSERT of states that replaces those that are there."""
        return (
            "INSERT INTO footfall_states (entity, entity_key, state, until_ms, reason) VALUES "  # noqa: S608 - ours
            + ", ".join(["(%s, %s, %s, 0, %s)"] * rows)
            + " ON CONFLICT (entity, entity_key) DO UPDATE SET state = EXCLUDED.state, until_ms = 0,"
            " reason = EXCLUDED.reason"
        )

    def triggers(self, outline: Outline, watch: Watch) -> list[Trigger]:
        """Return the triggers of one table."""
        return triggers_of(outline, watch, self._schema)

    def triggers_there(self, session: Session) -> set[str]:
        """Return the names of our triggers."""
        sql = (
            "SELECT t.tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND t.tgname LIKE 'footfall%%'"
            " AND t.tgenabled <> 'D'"
        )
        return {str(name) for (name,) in session.rows(sql, (self._schema,))}

    def altering(self, session: Session, table: str, statements: Sequence[str]) -> None:
        """Change what belongs to a table if nobody writes it at this moment, else raise Busy without waiting."""
        mode = "ACCESS EXCLUSIVE" if any("DROP" in one for one in statements) else "SHARE ROW EXCLUSIVE"
        session.run(self.writing)
        try:
            # Whoever comes while we wait for a lock waits behind us, so we do not wait.
            session.run(f"LOCK TABLE {self.table(table)} IN {mode} MODE NOWAIT")
            for statement in statements:
                session.run(statement)
            session.run("COMMIT")
        except BaseException:
            if not session.is_lost:
                session.run("ROLLBACK")
            raise

    def folded(self, columns: Sequence[str]) -> str:
        """Return an INSERT of one notice that is done, with an id of its own."""
        return f"INSERT INTO footfall_outbox ({', '.join(columns)}, done) VALUES ({marks(columns)}, 1)"  # noqa: S608 - ours

    @property
    def reminding(self) -> str:
        """Return an INSERT of a notice that counts nothing, for an entity and its key."""
        return f"INSERT INTO footfall_outbox (entity, entity_key, weight, done, at_ms) VALUES (%s, %s, 0, 0, {AT_MS})"  # noqa: S608 - ours

    def stored(self, cell: Cell, column: Column) -> Cell:
        """Return a cell as the database takes it, which reads any text for its type."""
        return cell

    def applying(self, session: Session, *, is_on: bool) -> None:
        """Tell triggers that the session writes back what came from the other side, or that it does not any more."""
        session.run(f"SET footfall.applying = '{int(is_on)}'")

    def advance(self, session: Session, table: str, column: str, value: int) -> None:
        """Let the column's sequence pass the number, if it has one."""
        ((sequence,),) = session.rows("SELECT pg_get_serial_sequence(%s, %s)", (self.table(table), column))
        if sequence is None:
            return
        ((last, is_called),) = session.rows(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - its own name
        missing = value - int(str(last)) + (0 if is_called else 1)
        if 0 < missing <= NUMBERS_PASSED_MAX:
            session.rows("SELECT max(nextval(%s::regclass)) FROM generate_series(1, %s)", (sequence, missing))
        elif missing > 0:
            session.rows("SELECT setval(%s::regclass, %s)", (sequence, value))


class PostgresSession:
    """One connection through psycopg."""

    def __init__(self, place: Place) -> None:
        self._where = place.told
        driver = _driver()
        self._errors: tuple[type[Exception], ...] = (driver.Error, OSError)
        try:
            self._connection: psycopg.Connection[Record] = driver.connect(
                host=place.host, port=place.port or PORT, user=place.user, password=place.password,
                dbname=place.database, autocommit=True, connect_timeout=5, application_name="footfall migrate",
                **place.options,
            )  # pyright: ignore[reportArgumentType, reportAttributeAccessIssue]  # fmt: skip
        except self._errors as error:
            raise in_our_words(error, self._where) from error
        _read_as_text(self._connection)
        self._cursor = self._connection.cursor()
        self.run("SET TIME ZONE 'UTC'")
        self.run("SET DateStyle = 'ISO, YMD'")
        self.run(f"SET statement_timeout = '{place.patience_s}s'")

    @property
    def is_lost(self) -> bool:
        """Tell whether the connection has to be made anew."""
        return self._connection.closed

    def rows(self, sql: str, values: Values = ()) -> list[Record]:
        """Return what a query finds."""
        self.run(sql, values)
        try:
            return self._cursor.fetchall()
        except self._errors as error:
            raise in_our_words(error, self._where) from error

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement and return how many rows it found."""
        try:
            self._cursor.execute(cast("LiteralString", sql), values or None)
        except self._errors as error:
            raise in_our_words(error, self._where) from error
        return self._cursor.rowcount

    def close(self) -> None:
        """Let go of the connection; again changes nothing."""
        self._connection.close()


def _kind(data_type: str) -> Kind:
    if data_type in _WHOLE:
        return Kind.WHOLE
    if data_type in _TEXT:
        return Kind.TEXT
    return Kind.MOMENT if data_type in _MOMENT else Kind.OTHER


def _read_as_text(connection: "psycopg.Connection[Any]") -> None:
    from psycopg.abc import Buffer
    from psycopg.adapt import Loader

    class Text(Loader):
        """Reads a value as the text that the server sent."""

        def load(self, data: Buffer) -> str:
            return bytes(data).decode()

    class Moment(Loader):
        """Reads a moment in UTC with all six digits, so that the same moment is the same text."""

        def load(self, data: Buffer) -> str:
            text = bytes(data).decode().removesuffix("+00")
            day, _, time = text.partition(" ")
            if not time or time.endswith("BC"):
                return text
            seconds, _, fraction = time.partition(".")
            return f"{day}T{seconds}.{fraction:0<6}Z"

    for name in _AS_TEXT:
        connection.adapters.register_loader(name, Text)
    for name in _AS_MOMENT:
        connection.adapters.register_loader(name, Moment)


def _driver() -> Any:
    # Imported where it is used: only who moves a database needs it.
    try:
        import psycopg
    except ImportError as error:
        raise MissingDriver(
            f"PostgreSQL needs psycopg, which is not installed: `pip install 'footfall[migrate]'` ({error})"
        ) from error
    return psycopg
