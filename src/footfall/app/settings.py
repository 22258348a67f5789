"""What an operator may choose, declared once: the file, the environment, the flags and the reference page agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import msgspec

from footfall.accounts.brands import Brand
from footfall.app.setting_values import Given as Given
from footfall.app.setting_values import ImpossibleSetting as ImpossibleSetting
from footfall.app.setting_values import Kind
from footfall.app.setting_values import Setting as Setting
from footfall.app.setting_values import SettingsRefused as SettingsRefused
from footfall.app.setting_values import SettingsUnreadable as SettingsUnreadable
from footfall.app.setting_values import UnknownSetting as UnknownSetting
from footfall.values.period import DEFAULT_PERIODS, Period

AWS_RESOURCES: Mapping[str, str] = {
    "aws_stream": "the Kinesis stream",
    "aws_store_table": "the table of counts",
    "aws_accounts_table": "the table of brands and keys",
    "aws_catalog_table": "the table of assets",
    "aws_metrics_table": "the table of metrics",
    "aws_audience_table": "the table of the audience",
    "aws_salts_table": "the table of salts",
    "aws_rows_table": "the table of rows",
    "aws_archive_table": "the table of the archive",
    "aws_archive_bucket": "the bucket of captures",
    "aws_archive_machine": "the archive's state machine",
    "aws_raw_bucket": "the bucket of raw hits",
}

KIB, MIB, GIB = 1_024, 1_048_576, 1_073_741_824
MEGABYTE, GIGABYTE = 1_000_000, 1_000_000_000
MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]
GroundName = Literal["embedded", "aws"]
Lists = Literal["by-bytes", "by-folders"]
Layout = Literal["packed", "rows"]

Registration = Literal["closed", "open"]
SmtpSecurity = Literal["starttls", "tls", "none"]


def _whole(default: int, lowest: int, highest: int, says: str) -> int:
    return field(default=default, metadata={"kind": "whole", "lowest": lowest, "highest": highest, "says": says})


def _one_of(choices: tuple[str, ...], says: str) -> Mapping[str, object]:
    return {"kind": "choice", "choices": choices, "says": says}


def _other(default: Any, kind: Kind, says: str) -> Any:
    return field(default=default, metadata={"kind": kind, "says": says})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every choice of one instance; immutable, and the same in each of its processes."""

    ground: GroundName = field(
        default="embedded",
        metadata=_one_of(("embedded", "aws"), "Where everything is kept: in one directory, or in services of AWS."),
    )
    data_dir: str = _other("data", "text", "The directory that holds everything footfall keeps; not used on AWS.")
    http_host: str = _other("127.0.0.1", "text", "The address that the server listens on.")
    http_port: int = _whole(8_080, 0, 65_535, "The port that the server listens on; 0 takes any free one.")
    http_trusted_proxies: tuple[str, ...] = _other(
        ("127.0.0.0/8", "::1/128"), "networks", "The networks whose forwarded addresses are believed."
    )
    http_proxy_secret: str = _other(
        "", "text", "What a proxy sends in x-footfall-proxy so that its word about addresses is believed; empty is off."
    )
    http_metrics_networks: tuple[str, ...] = _other(
        ("127.0.0.0/8", "::1/128"), "networks", "The networks that may read /metrics, which tells of every brand."
    )
    http_body_bytes_max: int = _whole(MIB, KIB, 16 * MIB, "The largest request body, as it is sent.")
    http_inflated_bytes_max: int = _whole(4 * MIB, KIB, 64 * MIB, "The largest request body once it is decompressed.")
    http_batch_hits_max: int = _whole(5_000, 1, 50_000, "The most hits that one request may carry.")
    http_connections_max: int = _whole(12_000, 16, 100_000, "The most connections that are open at once.")
    http_header_ms_max: int = _whole(10_000, 100, 2 * MINUTE_MS, "The time a client has to send a request's head.")
    http_body_ms_max: int = _whole(30_000, 100, 10 * MINUTE_MS, "The time a client has to send a request's body.")
    http_idle_ms_max: int = _whole(75_000, 1_000, HOUR_MS, "How long a connection may wait for its next request.")
    http_pending_bytes_max: int = _whole(
        32 * MIB, MIB, GIB, "The most bytes of hits that wait for the disk; beyond it senders get 429."
    )
    dev: bool = _other(
        default=False, kind="switch", says="Any brand is accepted without being added; on a loopback address only."
    )
    brands: Mapping[str, Brand] = field(
        default_factory=dict[str, Brand],
        metadata={
            "kind": "brands",
            "says": "The brands, each with its zone, its rule for unlabelled hits and its mode of screening.",
        },
    )
    periods: Mapping[str, Period] = field(
        default_factory=lambda: dict(DEFAULT_PERIODS),
        metadata={
            "kind": "periods",
            "says": "The periods that lists are made for; the defaults stay unless redefined.",
        },
    )
    limit_key_per_s: int = _whole(
        0, 0, 1_000_000, "The requests a second that one key may make for long; 0 sets no limit."
    )
    limit_key_burst: int = _whole(2_000, 1, 1_000_000, "The requests that one key may make at once.")
    limit_address_per_s: int = _whole(
        50,
        0,
        1_000_000,
        "The requests a second that one address may make for long, without a secret key; 0 sets no limit.",
    )
    limit_address_burst: int = _whole(500, 1, 1_000_000, "The requests that one address may make at once.")
    people_url: str = _other("", "text", "Where people open the pages, as https://footfall.example.com; in links.")
    people_register: Registration = field(
        default="closed", metadata=_one_of(("closed", "open"), "Whether anybody may make an account for themselves.")
    )
    people_register_brands: str = _other("", "text", "The brands that those who do may view, with commas between.")
    smtp_host: str = _other("", "text", "The server that takes mail to people; empty: links are logged instead.")
    smtp_port: int = _whole(587, 1, 65_535, "The port of the server that takes mail.")
    smtp_security: SmtpSecurity = field(
        default="starttls", metadata=_one_of(("starttls", "tls", "none"), "How mail is encrypted on its way there.")
    )
    smtp_user: str = _other("", "text", "The name to give to that server; empty: none is asked for.")
    smtp_password: str = _other("", "text", "The password that goes with it.")
    smtp_from: str = _other("", "text", "The address that mail to people is from.")
    alerts_every_s: int = _whole(15, 1, 60, "How often alerts are looked at on one machine; on AWS it is each minute.")
    alerts_private_places: bool = _other(
        default=False,
        kind="switch",
        says="Let alerts be posted to private addresses and this machine, too (docs/how-to/alerts.md).",
    )
    screening_rules: bool = _other(
        True,  # noqa: FBT003 - what it is unless it is set
        "switch",
        "Label hits at the door by the rules of docs/screening.md; when it is off, every hit is a person's.",
    )
    screening_judging: bool = _other(
        True,  # noqa: FBT003 - what it is unless it is set
        "switch",
        "Judge visitors and assets by what they do, in a process or a function of its own (docs/screening.md).",
    )
    screening_repeats_max: int = _whole(
        10, 0, 1_000_000, "How often one visitor may hit one asset before it is suspected; 0 sets no limit."
    )
    screening_address_repeats_max: int = _whole(
        100, 0, 1_000_000, "How often one address may hit one asset, by whatever agents; 0 sets no limit."
    )
    screening_repeats_minutes: int = _whole(10, 1, 1_440, "The minutes in which repeats of an asset are counted.")
    screening_visitor_per_minute: int = _whole(
        120, 0, 1_000_000, "The hits a minute that one visitor may send before they are suspected; 0 sets no limit."
    )
    screening_key_per_minute: int = _whole(
        0, 0, 1_000_000_000, "The hits a minute that one key may send before they are suspected; 0 sets no limit."
    )
    screening_keep_days: int = _whole(
        90, 1, 3_660, "How long hits that were set apart by screening are kept for analysis, and digests of its days."
    )
    stream_shards: int = _whole(
        1, 1, 256, "How many shards the stream has, each with a counting worker of its own; on one machine at most 16."
    )
    stream_keep_days: int = _whole(14, 1, 366, "How long raw hits are kept for counting again.")
    audit_keep_days: int = _whole(400, 1, 3_660, "How long the audit trail tells who did what.")
    stream_bytes_max: int = _whole(
        50 * GIGABYTE, MEGABYTE, 100_000 * GIGABYTE, "The most disk that raw hits take; the oldest go first."
    )
    stream_id_hours: int = _whole(24, 1, 168, "How long an id or an Idempotency-Key is remembered.")
    count_flush_ms: int = _whole(500, 100, 1_000, "The longest time between two writes of an open minute.")
    count_lateness_hours: int = _whole(24, 1, 720, "How old a hit may be when it arrives; an older one is late.")
    count_future_ms: int = _whole(5 * MINUTE_MS, 0, DAY_MS, "How far ahead of its arrival a hit's time may be.")
    count_passed_ms: int = _whole(
        30_000, 0, HOUR_MS, "How long after its end a window waits for hits before it closes."
    )
    count_fold_ms: int = _whole(10 * MINUTE_MS, 1_000, DAY_MS, "How often late hits are folded into their windows.")
    uniques: bool = _other(
        default=True,
        kind="switch",
        says="Count how many visitors assets, sections and brands have; when it is off, no visitor is counted.",
    )
    referrers: bool = _other(
        default=True,
        kind="switch",
        says="Count where readers came from (docs/how-to/referrers.md); what was counted stays when it is off.",
    )
    store_keep_rows: int = _whole(500, 0, 1_000_000, "How many rows of each slice a final window keeps; 0 keeps all.")
    store_layout: Layout = field(
        default="packed",
        metadata=_one_of(
            ("packed", "rows"), "With rows, closed windows are written one row an asset as well, for other tools."
        ),
    )
    store_minutes_days: int = _whole(2, 1, 366, "How long minutes are kept.")
    store_hours_days: int = _whole(60, 1, 3_660, "How long hours are kept.")
    store_days_days: int = _whole(
        762, 1, 36_600, "How long days are kept: 25 months. Raise it before you import older logs."
    )
    serve_rows_max: int = _whole(12_000_000, 1_000, 1_000_000_000, "The most rows that serving holds in memory.")
    serve_answers_bytes_max: int = _whole(64 * MIB, MIB, 16 * GIB, "The most memory that ready answers take.")
    serve_refresh_ms: int = _whole(200, 10, 1_000, "How often serving looks for new counts.")
    plan_hits_per_day: int = _whole(
        0, 0, 10**13, "Hits of a day that were planned for, which Operations puts beside what came; 0: no plan."
    )
    catalog_fetch_titles: bool = _other(
        default=False,
        kind="switch",
        says="Fetch the titles of pages that are hit and not in the catalogue (docs/how-to/describe-your-assets.md).",
    )
    archive: bool = _other(
        default=False,
        kind="switch",
        says="Capture pages that are asked for, in a process of its own with Chromium (docs/how-to/archive-pages.md).",
    )
    archive_worker_apart: bool = _other(
        default=False,
        kind="switch",
        says="The worker that captures runs by itself (footfall archive worker); with archive, the rest is done here.",
    )
    archive_contexts: int = _whole(2, 1, 16, "How many pages are captured at once.")
    archive_chromium: str = _other("", "text", "Where Chromium lies; empty looks for it where programs are.")
    archive_allowed: str = _other(
        "", "text", "Hosts with ports beside the public web that pages may be captured from, with commas between."
    )
    archive_watch_captures_per_day: int = _whole(
        500, 0, 100_000, "How many captures the watches of one brand may ask for in a day (docs/how-to/watch-pages.md)."
    )
    archive_outside_url: str = _other(
        "", "text", "Where addresses that a brand kept are handed to as well, an outside archive; empty: nowhere."
    )
    archive_outside_field: str = _other("url", "text", "The field of the form in which that archive takes an address.")
    archive_replay_port: int = _whole(
        0, 0, 65_535, "The port of the origin that captures are replayed on, beside http_host; 0 takes any free one."
    )
    archive_replay_url: str = _other(
        "", "text", "Where people reach that origin, as https://replay.example.com; empty: http_host and its port."
    )
    archive_keep_days: int = _whole(0, 0, 36_600, "How long captures are kept; 0 keeps them for good.")
    archive_member_open_max: int = _whole(200, 0, 1_000_000, "The pages one member may wait for; 0 sets no limit.")
    archive_member_day_max: int = _whole(2_000, 0, 1_000_000, "The pages one member may ask for in a day; 0: no limit.")
    archive_brand_open_max: int = _whole(5_000, 0, 1_000_000, "The pages one brand may wait for; 0 sets no limit.")
    archive_brand_day_max: int = _whole(20_000, 0, 10_000_000, "The pages one brand may ask for in a day; 0: no limit.")
    archive_worker_bytes_max: int = _whole(
        GIB, 256 * MIB, 64 * GIB, "The memory at which the archive's process begins anew, its browsers not counted."
    )
    archive_processes_max: int = _whole(2_000, 100, 100_000, "The most processes of the user that captures pages.")
    audience_kinds: str = _other(
        "", "text", "Kinds of things beside member, series, asset, author and actor, with commas between them."
    )
    audience_follows_max: int = _whole(5_000, 1, 5_000, "How many things one thing may follow.")
    audience_uncounted_brands: str = _other(
        "", "text", "Brands whose follows are not counted, which halves what a follow costs; chosen before the first."
    )
    audience_ignored_percent: int = _whole(5, 0, 50, "Below so much of an asset, a member has not begun it.")
    audience_watched_percent: int = _whole(90, 51, 100, "Above so much of an asset, a member has watched it.")
    audience_short_ms: int = _whole(
        300_000, 0, HOUR_MS, "An asset that is shorter is watched when its player ends, wherever that was."
    )
    audience_playbacks_max: int = _whole(3, 1, 64, "How many playbacks a member may have at once, if no plan is named.")
    audience_plans: str = _other(
        "", "text", "Plans and how many playbacks each may have at once, as in basic=1,family=4."
    )
    audience_full: Literal["stop-oldest", "refuse-newest"] = field(
        default="stop-oldest", metadata=_one_of(("stop-oldest", "refuse-newest"), "Who gives way when all places play.")
    )
    audience_beat_ms: int = _whole(30_000, 1_000, 5 * MINUTE_MS, "How often a player tells that it still plays.")
    audience_answer_ms: int = _whole(300, 50, 10_000, "How long a player waits for the table; then memory answers.")
    aws_region: str = _other("", "text", "The region of AWS; empty takes that of the machine's own AWS settings.")
    aws_dynamodb_endpoint: str = _other("", "text", "The address of a store that speaks DynamoDB; empty is AWS's own.")
    aws_kinesis_endpoint: str = _other("", "text", "The address of a stream that speaks Kinesis; empty is AWS's own.")
    aws_s3_endpoint: str = _other("", "text", "The address of a store that speaks S3; empty is AWS's own.")
    aws_other_endpoint: str = _other("", "text", "The address of AWS's other services; empty is AWS's own.")
    aws_stack: str = _other("footfall", "text", "The stack's name, which stands in every gauge.")
    aws_stream: str = _other("", "text", "The Kinesis stream that carries hits.")
    aws_store_table: str = _other("", "text", "The DynamoDB table of counts, checkpoints and the ledger.")
    aws_accounts_table: str = _other("", "text", "The DynamoDB table of brands and keys.")
    aws_catalog_table: str = _other("", "text", "The DynamoDB table of what is known of assets.")
    aws_metrics_table: str = _other("", "text", "The DynamoDB table of the metric catalogue.")
    aws_audience_table: str = _other("", "text", "The DynamoDB table of the audience.")
    aws_salts_table: str = _other("", "text", "The DynamoDB table of visitors' salts, without point-in-time recovery.")
    aws_rows_table: str = _other("", "text", "The DynamoDB table of store_layout = rows; empty: rows go nowhere.")
    aws_raw_bucket: str = _other("", "text", "The S3 bucket that raw hits are kept in.")
    aws_archive_table: str = _other("", "text", "The DynamoDB table of the archive; empty: there is none.")
    aws_archive_bucket: str = _other("", "text", "The S3 bucket that captures are kept in.")
    aws_archive_machine: str = _other("", "text", "The ARN of the archive's state machine.")
    aws_s3_lists: Lists = field(
        default="by-bytes",
        metadata=_one_of(
            ("by-bytes", "by-folders"), "How the bucket's store orders the names it lists: as S3, or folder by folder."
        ),
    )
    aws_freshness_s: int = _whole(60, 1, 300, "How often a shard's counts are written on AWS, where writes cost money.")
    shutdown_ms_max: int = _whole(10_000, 100, 10 * MINUTE_MS, "How long a stop waits for work to be finished.")
    log_level: LogLevel = field(
        default="info",
        metadata=_one_of(("debug", "info", "warning", "error"), "The least grave message that is logged."),
    )
    log_format: LogFormat = field(
        default="text",
        metadata=_one_of(("text", "json"), "How a line of the log looks: for people, or one JSON object each."),
    )


def _declared() -> Mapping[str, Setting]:
    defaults = Settings()
    return {
        one.name: Setting(name=one.name, default=getattr(defaults, one.name), **one.metadata)
        for one in fields(Settings)
    }


NAMES: Mapping[str, Setting] = _declared()


def json_from_settings(settings: Settings) -> str:
    """Return the settings as text that a child process can be started with."""
    return msgspec.json.encode(settings).decode()


def settings_from_json(text: str) -> Settings:
    """Return the settings that a parent process handed over."""
    return msgspec.json.decode(text, type=Settings)


def require_named(settings: Settings, name: str) -> str:
    """Return the setting that names a resource of AWS, or raise ImpossibleSetting when it names none."""
    value: str = getattr(settings, name)
    if not value:
        raise ImpossibleSetting(
            f"ground is 'aws' and {name} is empty: set it, or {NAMES[name].variable}, to what "
            f"{AWS_RESOURCES[name]} is called (`footfall deploy status` tells)."
        )
    return value
