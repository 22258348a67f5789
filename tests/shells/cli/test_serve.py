"""The serve command: what its flags say about settings."""

from pathlib import Path
from typing import Any

from footfall.app.settings import Settings
from footfall.app.settings_reading import read_settings
from footfall.shells.cli.main import parser
from footfall.shells.cli.serve import given_by_flags


def settings_of(*argv: str) -> Settings:
    return read_settings(given_by_flags(parser().parse_args(["serve", *argv])))


def test_each_flag_reaches_its_setting(tmp_path: Path) -> None:
    settings = settings_of(
        "--data", str(tmp_path), "--host", "::1", "--port", "0", "--dev", "--brand", "abc:Asia/Kolkata:hold",
        "--brand", "def", "--log-level", "debug", "--set", "stream_shards=4", "--set", "count_flush_ms=100",
    )  # fmt: skip
    assert (settings.data_dir, settings.http_host, settings.http_port) == (str(tmp_path), "::1", 0)
    assert (settings.dev, settings.log_level) == (True, "debug")
    assert list(settings.brands) == ["abc", "def"]
    assert (settings.brands["abc"].zone, settings.brands["abc"].unlabelled) == ("Asia/Kolkata", "hold")
    assert (settings.stream_shards, settings.count_flush_ms) == (4, 100)


def test_without_flags_nothing_is_given() -> None:
    assert given_by_flags(parser().parse_args(["serve"])) == []


def test_the_demo_brings_its_brand(tmp_path: Path) -> None:
    assert list(settings_of("--data", str(tmp_path), "--demo").brands) == ["demo"]
    assert list(settings_of("--data", str(tmp_path), "--demo-rate", "5").brands) == ["demo"]


def test_a_wrong_port_names_the_flag(shell: Any, tmp_path: Path) -> None:
    assert shell.run("serve", "--data", str(tmp_path), "--port", "http") == 2
    assert "http_port in the flag --port is 'http'" in shell.complained()


def test_a_setting_without_a_value_names_the_flag(shell: Any, tmp_path: Path) -> None:
    assert shell.run("serve", "--data", str(tmp_path), "--set", "stream_shards") == 2
    assert "the flag --set stream_shards" in shell.complained()


def test_dev_on_an_address_for_everybody_is_code_2(shell: Any, tmp_path: Path) -> None:
    assert shell.run("serve", "--data", str(tmp_path), "--dev", "--host", "0.0.0.0") == 2
    assert "loopback" in shell.complained()


def test_a_missing_settings_file_is_code_2(shell: Any, tmp_path: Path) -> None:
    assert shell.run("serve", "--config", str(tmp_path / "gone.toml")) == 2
    assert "gone.toml cannot be read" in shell.complained()
