"""Settings: which source wins, and the sentence for each thing that can be wrong."""

import os
from pathlib import Path
from typing import Any

import pytest

from footfall.accounts.brands import Brand
from footfall.app.settings import (
    AWS_RESOURCES,
    NAMES,
    Given,
    ImpossibleSetting,
    Settings,
    SettingsRefused,
    SettingsUnreadable,
    UnknownSetting,
    json_from_settings,
    require_named,
    settings_from_json,
)
from footfall.app.settings_reading import environment, read_settings
from footfall.values.period import DEFAULT_PERIODS, Period
from footfall.values.window import Grain


def flag(name: str, value: object) -> Given:
    return Given(name, value, f"the flag --{name}")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def read(data: Path, toml: str = "", variables: dict[str, str] | None = None, *flags: Given) -> Settings:
    if toml:
        (data / "footfall.toml").write_text(toml, encoding="utf-8")
    return read_settings([flag("data_dir", str(data)), *flags], variables=variables or {})


def test_without_any_source_the_defaults_hold() -> None:
    settings = Settings()
    assert settings.http_port == 8_080
    assert settings.http_host == "127.0.0.1"
    assert settings.http_trusted_proxies == ("127.0.0.0/8", "::1/128")
    assert settings.stream_bytes_max == 50_000_000_000
    assert settings.periods == dict(DEFAULT_PERIODS)
    assert settings.brands == {}
    assert settings.dev is False


def test_every_default_lies_in_its_own_range(data: Path) -> None:
    for setting in NAMES.values():
        if setting.kind == "whole":
            assert isinstance(setting.default, int)
            assert setting.lowest <= setting.default <= setting.highest, setting.name
        if setting.kind == "choice":
            assert setting.default in setting.choices, setting.name
        assert setting.says.endswith("."), setting.name


def test_the_file_goes_before_the_default(data: Path) -> None:
    assert read(data, "http_port = 1111").http_port == 1_111


def test_the_environment_goes_before_the_file(data: Path) -> None:
    assert read(data, "http_port = 1111", {"FOOTFALL_HTTP_PORT": "2222"}).http_port == 2_222


def test_a_flag_goes_before_the_environment(data: Path) -> None:
    settings = read(data, "http_port = 1111", {"FOOTFALL_HTTP_PORT": "2222"}, flag("http_port", "3333"))
    assert settings.http_port == 3_333


def test_the_data_directory_may_come_from_the_environment_and_brings_its_file(data: Path) -> None:
    (data / "footfall.toml").write_text("http_port = 1111", encoding="utf-8")
    settings = read_settings(variables={"FOOTFALL_DATA_DIR": str(data)})
    assert (settings.data_dir, settings.http_port) == (str(data), 1_111)


def test_a_named_file_is_read_instead_of_the_one_in_the_data_directory(data: Path, tmp_path: Path) -> None:
    (data / "footfall.toml").write_text("http_port = 1111", encoding="utf-8")
    named = tmp_path / "mine.toml"
    named.write_text(f'http_port = 4444\ndata_dir = "{data}"', encoding="utf-8")
    settings = read_settings(config=named)
    assert (settings.http_port, settings.data_dir) == (4_444, str(data))


def test_variables_of_other_programs_are_left_alone(data: Path) -> None:
    assert read(data, "", {"PATH": "/bin", "HTTP_PORT": "nonsense"}).http_port == 8_080


def test_only_our_variables_are_taken_from_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_HTTP_PORT", "2222")
    monkeypatch.setenv("SOMETHING_ELSE", "1")
    found = environment()
    assert found["FOOTFALL_HTTP_PORT"] == "2222"
    assert "SOMETHING_ELSE" in os.environ
    assert "SOMETHING_ELSE" not in found


def test_brands_of_all_sources_are_added_up_by_name(data: Path) -> None:
    toml = '[brands.abc]\nzone = "Asia/Kolkata"\nunlabelled = "hold"\n[brands.def]\n'
    settings = read(data, toml, {"FOOTFALL_BRANDS": "def:Europe/Helsinki, ghi"}, flag("brands", "jkl:UTC:hold"))
    assert settings.brands == {
        "abc": Brand("abc", zone="Asia/Kolkata", unlabelled="hold"),
        "def": Brand("def", zone="Europe/Helsinki"),
        "ghi": Brand("ghi"),
        "jkl": Brand("jkl", unlabelled="hold"),
    }


def test_own_periods_join_the_default_ones_and_may_redefine_them(data: Path) -> None:
    toml = '[periods.twodays]\nspan = "48h"\ngrain = "1h"\ncache = "120s"\n'
    settings = read(data, toml, {"FOOTFALL_PERIODS": "justnow=15m/5m/10s"})
    assert settings.periods["twodays"] == Period("twodays", count=48, grain=Grain.HOUR, cache_s=120)
    assert settings.periods["justnow"] == Period("justnow", count=3, grain=Grain.FIVE, cache_s=10)
    assert settings.periods["week"] == DEFAULT_PERIODS["week"]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("dev", "true", True),
        ("dev", "0", False),
        ("log_level", "debug", "debug"),
        ("stream_bytes_max", "2_000_000", 2_000_000),
        ("store_keep_rows", "0", 0),
        ("http_trusted_proxies", "10.0.0.0/8, ::1", ("10.0.0.0/8", "::1/128")),
        ("http_trusted_proxies", "", ()),
    ],
)
def test_every_kind_can_be_written_as_text(data: Path, name: str, text: str, value: object) -> None:
    assert getattr(read(data, "", {NAMES[name].variable: text}), name) == value


def test_the_file_may_hold_every_kind(data: Path) -> None:
    settings = read(data, 'dev = true\nhttp_trusted_proxies = ["10.0.0.0/8"]\nlog_level = "error"\nhttp_host = "::1"')
    assert (settings.dev, settings.http_trusted_proxies, settings.log_level) == (True, ("10.0.0.0/8",), "error")


BAD_FILES = [
    ("http_prot = 1", "http_prot", "did you mean http_port?"),
    ("zzzzzz = 1", "zzzzzz", "docs/reference/settings.md lists them all"),
    ('http_port = "many"', "http_port", "is 'many': it must be a whole number from 0 to 65,535"),
    ("http_port = 65536", "http_port", "is 65536: it must be a whole number from 0 to 65,535"),
    ("http_port = -1", "http_port", "is -1: it must be"),
    ("http_port = 80.5", "http_port", "is 80.5: it must be"),
    ("http_port = true", "http_port", "is true: it must be"),
    ("count_flush_ms = 99", "count_flush_ms", "from 100 to 1,000"),
    ("stream_shards = 17", "stream_shards", "from 1 to 16"),
    ("dev = 1", "dev", "true or false"),
    ("http_host = 5", "http_host", "a text that is not empty"),
    ('http_host = " "', "http_host", "a text that is not empty"),
    ("log_level = []", "log_level", "one of debug, info, warning, error"),
    ("http_trusted_proxies = 5", "http_trusted_proxies", "a list of networks"),
    ("http_trusted_proxies = [5]", "http_trusted_proxies", "5 is not a text"),
    ('http_trusted_proxies = ["10.0.0.1/8"]', "http_trusted_proxies", "host bits"),
    ("brands = 5", "brands", "[brands.NAME]"),
    ("[brands]\nabc = 5", "brands", "[brands.NAME]"),
    ('[brands.Abc]\nzone = "UTC"', "brands", "not a brand name"),
    ('[brands.abc]\nzone = "Mars"', "brands", "'Mars'"),
    ('[brands.abc]\nunlabelled = "drop"', "brands", "neither 'count' nor 'hold'"),
    ('[brands.abc]\nzones = "UTC"', "brands.abc.zones", "it may be zone or unlabelled"),
    ("periods = []", "periods", "[periods.NAME]"),
    ('[periods.two]\nspan = "2h"', "periods", "span, grain and cache"),
    ('[periods.two]\nspan = "2h"', "periods.two", "is {span = '2h'}: it must be [periods.NAME] with span"),
    ('[periods.two]\nspan = 2\ngrain = "1h"\ncache = "1s"', "periods", "span, grain and cache"),
    ('[periods.two]\nspan = "90s"\ngrain = "1h"\ncache = "1s"', "periods", "periods.two.span"),
    ('[periods.two]\nspam = "90s"', "periods.two.spam", "it may be span or grain or cache"),
    ("http_body_bytes_max = 8_000_000", "http_inflated_bytes_max", "must be at least http_body_bytes_max"),
    ('data_dir = "elsewhere"', "data_dir", "cannot name another one"),
]


@pytest.mark.parametrize(("toml", "name", "says"), BAD_FILES)
def test_a_bad_file_stops_the_start_with_a_sentence(data: Path, toml: str, name: str, says: str) -> None:
    with pytest.raises(SettingsRefused) as caught:
        read(data, toml)
    sentence = str(caught.value)
    assert sentence.startswith(name)
    assert says in sentence
    assert "\n" not in sentence
    if "at least" not in says:
        assert str(data / "footfall.toml") in sentence


BAD_VARIABLES = [
    ("FOOTFALL_HTTP_PRT", "1", UnknownSetting, "did you mean http_port?"),
    ("FOOTFALL_http_port", "1", UnknownSetting, "did you mean http_port?"),
    ("FOOTFALL_", "1", UnknownSetting, "is not a setting"),
    ("FOOTFALL_HTTP_PORT", "", ImpossibleSetting, "http_port"),
    ("FOOTFALL_HTTP_PORT", "8080.0", ImpossibleSetting, "whole number"),
    ("FOOTFALL_HTTP_PORT", "٣٣٣٣", ImpossibleSetting, "whole number"),
    ("FOOTFALL_DEV", "maybe", ImpossibleSetting, "true or false"),
    ("FOOTFALL_BRANDS", "abc:Nowhere", ImpossibleSetting, "'Nowhere'"),
    ("FOOTFALL_BRANDS", "abc:UTC:drop", ImpossibleSetting, "neither"),
    ("FOOTFALL_PERIODS", "twodays=48h", ImpossibleSetting, "NAME=SPAN/GRAIN/CACHE"),
    ("FOOTFALL_HTTP_TRUSTED_PROXIES", "everybody", ImpossibleSetting, "networks"),
]


@pytest.mark.parametrize(("variable", "text", "error", "says"), BAD_VARIABLES)
def test_a_bad_variable_stops_the_start_with_its_name(
    data: Path, variable: str, text: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as caught:
        read(data, "", {variable: text})
    assert variable in str(caught.value)
    assert says in str(caught.value)


def test_a_bad_flag_stops_the_start_with_its_name(data: Path) -> None:
    with pytest.raises(ImpossibleSetting, match="http_port in the flag --http_port is 'x'"):
        read(data, "", None, flag("http_port", "x"))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::", "example.com"])
def test_dev_is_refused_where_others_can_reach_it(data: Path, host: str) -> None:
    with pytest.raises(ImpossibleSetting, match=r"dev in the flag --dev is on while http_host in .*--http_host"):
        read(data, "", None, flag("dev", True), flag("http_host", host))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_dev_is_fine_on_a_loopback_address(data: Path, host: str) -> None:
    assert read(data, "", None, flag("dev", True), flag("http_host", host)).dev


def test_a_named_file_that_is_missing_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsUnreadable, match=r"gone\.toml cannot be read: No such file"):
        read_settings(config=tmp_path / "gone.toml")


@pytest.mark.parametrize("content", [b"http_port = ", b"\xff\xfe", b"a = 1\na = 2"])
def test_a_file_that_is_not_toml_stops_the_start(data: Path, content: bytes) -> None:
    (data / "footfall.toml").write_bytes(content)
    with pytest.raises(SettingsUnreadable, match="is not TOML"):
        read(data)


def test_a_huge_file_is_not_read(data: Path) -> None:
    (data / "footfall.toml").write_bytes(b"#" * 1_100_000)
    with pytest.raises(SettingsUnreadable, match="larger than"):
        read(data)


def test_a_parent_hands_the_same_settings_to_its_child(data: Path) -> None:
    toml = '[brands.abc]\nzone = "Asia/Kolkata"\n[periods.twodays]\nspan = "48h"\ngrain = "1h"\ncache = "120s"\n'
    settings = read(data, toml, {"FOOTFALL_DEV": "true", "FOOTFALL_HTTP_TRUSTED_PROXIES": "10.0.0.0/8"})
    assert settings_from_json(json_from_settings(settings)) == settings


def test_settings_cannot_be_changed() -> None:
    settings: Any = Settings()
    with pytest.raises(AttributeError):
        settings.http_port = 1


# The ground: one directory, or services of AWS.

ON_AWS = {"FOOTFALL_GROUND": "aws", "FOOTFALL_AWS_STREAM": "hits", "FOOTFALL_AWS_STORE_TABLE": "store"}


def test_the_environment_of_a_function_gives_its_settings(data: Path) -> None:
    variables = {**ON_AWS, "FOOTFALL_STREAM_SHARDS": "256", "FOOTFALL_AWS_FRESHNESS_S": "15", "FOOTFALL_AWS_REGION": ""}
    settings = read(data, "", variables)
    assert (settings.ground, settings.aws_stream, settings.aws_store_table) == ("aws", "hits", "store")
    assert (settings.stream_shards, settings.aws_freshness_s, settings.aws_region) == (256, 15, "")


@pytest.mark.parametrize("name", AWS_RESOURCES)
def test_a_resource_of_aws_is_refused_in_a_directory_of_its_own(data: Path, name: str) -> None:
    with pytest.raises(ImpossibleSetting, match=f"{name} in the environment .* 'hits' while ground in the defaults"):
        read(data, "", {NAMES[name].variable: "hits"})


@pytest.mark.parametrize("name", ["dev", "catalog_fetch_titles"])
def test_what_only_one_machine_can_do_is_refused_on_aws(data: Path, name: str) -> None:
    with pytest.raises(ImpossibleSetting, match=f"{name} in .* is on while ground in .* is 'aws'"):
        read(data, "", {**ON_AWS, NAMES[name].variable: "true"})


@pytest.mark.parametrize("name", AWS_RESOURCES)
def test_a_resource_that_is_needed_and_not_named_is_asked_for_by_its_setting(name: str) -> None:
    with pytest.raises(ImpossibleSetting, match=f"ground is 'aws' and {name} is empty: .*{NAMES[name].variable}"):
        require_named(Settings(ground="aws"), name)


def test_a_secret_that_could_be_guessed_is_refused_and_not_repeated(data: Path) -> None:
    with pytest.raises(ImpossibleSetting, match=r"http_proxy_secret in the environment .* has 6 characters") as refused:
        read(data, "", {"FOOTFALL_HTTP_PROXY_SECRET": "hunter"})
    assert "hunter" not in str(refused.value)
    assert read(data, "", {"FOOTFALL_HTTP_PROXY_SECRET": "x" * 16}).http_proxy_secret == "x" * 16
