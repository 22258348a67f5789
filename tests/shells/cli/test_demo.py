"""The demo command: invented traffic at a rate, through refusals and restarts."""

from pathlib import Path
from typing import Any

from footfall.app.invented_audience import Cinema
from footfall.shells.cli.calls import Reply
from footfall.shells.cli.demo_video import Show, begin_show, play_on
from tests.shells.cli.conftest import NOW_MS


def test_it_sends_about_the_rate_for_the_time_it_was_given(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    assert shell.run("demo", "--url", server.url, "--brand", "abc", "--rate", "100", "--seconds", "10") == 0
    hits = [hit for asked in server.asked for hit in asked.json()]
    assert 200 < len(hits) < 3_000  # The hour of the day decides how far from 1,000.
    assert {hit["brand"] for hit in hits} == {"abc"}
    assert len({asked.headers["idempotency-key"] for asked in server.asked}) == len(server.asked)
    assert len({asked.connection for asked in server.asked}) == 1
    assert f"{len(hits):,} invented hits sent, 0 refused." in shell.printed()


def test_the_same_seed_sends_the_same_hits(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    argv = ("demo", "--url", server.url, "--rate", "50", "--seconds", "2", "--seed", "7")
    start_ms = shell.clock.now_ms()
    shell.run(*argv)
    first = [asked.body for asked in server.asked]
    server.asked.clear()
    shell.clock.set(start_ms)
    shell.run(*argv)
    assert [asked.body for asked in server.asked] == first
    assert first


def test_past_hours_are_sent_first_with_their_times(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    start_ms = shell.clock.now_ms()
    assert shell.run("demo", "--url", server.url, "--rate", "1", "--seconds", "1", "--backfill-hours", "1") == 0
    times = [hit["at"] for asked in server.asked for hit in asked.json() if "at" in hit]
    assert len(times) > 60
    assert min(times) >= start_ms - 3_600_000
    assert max(times) < start_ms
    assert times == sorted(times)


def test_a_busy_server_gets_the_same_batch_again(shell: Any, server: Any) -> None:
    server.answer({}, status=429, headers={"Retry-After": "1"})
    server.answer({}, status=503)
    server.answer({"accepted": 1}, status=202)
    assert shell.run("demo", "--url", server.url, "--rate", "100", "--seconds", "5") == 0
    assert len({asked.body for asked in server.asked[:3]}) == 1
    assert len({asked.headers["idempotency-key"] for asked in server.asked[:3]}) == 1


def test_it_survives_a_restart(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    for _ in range(20):
        server.answer(b"", status=0)
    server.answer({"accepted": 1}, status=202)
    assert shell.run("demo", "--url", server.url, "--rate", "100", "--seconds", "120") == 0
    assert shell.complained() == ""


def test_what_was_missed_in_a_long_absence_is_not_made_up_for(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    server.answer({}, status=503, headers={"Retry-After": "60"})
    server.answer({"accepted": 1}, status=202)
    assert shell.run("demo", "--url", server.url, "--rate", "100", "--seconds", "62") == 0
    assert sum(len(asked.json()) for asked in server.asked) < 2_000


def test_a_wrong_address_is_code_3_after_some_seconds(shell: Any) -> None:
    assert shell.run("demo", "--url", "http://127.0.0.1:9", "--rate", "100") == 3
    assert "Cannot reach http://127.0.0.1:9" in shell.complained()
    assert sum(shell.pauses) < 30


def test_the_time_may_run_out_while_the_server_is_away(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    server.answer({}, status=503)
    assert shell.run("demo", "--url", server.url, "--rate", "100", "--seconds", "30") == 0


def test_a_refused_brand_ends_it_with_code_4(shell: Any, server: Any) -> None:
    server.answer({"status": 404, "field": "brand", "detail": "'demo' is not a brand here"}, status=404)
    assert shell.run("demo", "--url", server.url, "--rate", "100") == 4
    assert "'demo' is not a brand here" in shell.complained()


def test_a_refusal_of_every_hit_ends_it_with_code_4(shell: Any, server: Any) -> None:
    refused = [{"index": index, "field": "brand", "reason": "is unknown"} for index in range(1)]
    server.answer({"accepted": 0, "refused": refused}, status=202)
    assert shell.run("demo", "--url", server.url, "--rate", "1") == 4
    assert "brand: is unknown" in shell.complained()


def test_a_terminal_gets_one_line_that_moves(terminal: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    assert terminal.run("demo", "--url", server.url, "--rate", "100", "--seconds", "3") == 0
    assert terminal.printed().count("\n") == 2
    assert "\r" in terminal.printed()
    assert " sent · " in terminal.printed()


def test_a_pipe_gets_no_moving_line(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    shell.run("demo", "--url", server.url, "--rate", "100", "--seconds", "1")
    assert "\r" not in shell.printed()


def test_some_readers_are_programs_and_the_rest_say_nothing_of_their_browser(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    assert shell.run("demo", "--url", server.url, "--rate", "200", "--seconds", "10") == 0
    agents = [hit.get("agent") for asked in server.asked for hit in asked.json()]
    programs = [agent for agent in agents if agent]
    assert 0.02 < len(programs) / len(agents) < 0.12
    assert any("GPTBot" in agent for agent in programs)


def test_the_past_is_not_sent_again_to_a_brand_that_has_one_and_its_titles_are_told(shell: Any, server: Any) -> None:
    argv = (
        "demo",
        "--url",
        server.url,
        "--rate",
        "1",
        "--seconds",
        "3",
        "--backfill-hours",
        "1",
        "--if-empty",
        "--titles",
    )
    for items, has_past in (([], True), ([{"assetId": "7"}], False)):
        server.asked.clear()
        server.answer({"items": items}, status=200)
        shell.run(*argv)
        told = [one for asked in server.asked if asked.method == "PUT" for one in asked.json()]
        assert len({one["assetId"] for one in told}) == len(told) >= 400
        assert all(" " in one["title"] for one in told)
        hits = [hit for asked in server.asked if asked.method == "POST" for hit in asked.json()]
        assert any("at" in hit for hit in hits) is has_past


def test_with_video_players_send_the_last_hour_and_then_go_on(shell: Any, server: Any) -> None:
    server.answer({"accepted": 1}, status=202)
    now_ms = shell.clock.now_ms()
    assert shell.run("demo", "--url", server.url, "--rate", "1", "--seconds", "30", "--video") == 0
    beats = [beat for asked in server.asked if asked.path == "/v1/pings" for beat in asked.json()]
    assert len({(beat["session"], beat["sequence"]) for beat in beats}) == len(beats) > 5_000
    assert min(beat["at"] for beat in beats) >= now_ms - 3_600_000
    assert now_ms < max(beat["at"] for beat in beats) <= now_ms + 30_000
    assert all(len(asked.json()) <= 1_000 for asked in server.asked)
    assert not [asked for asked in server.asked if asked.path.startswith("/v1/audience")]
    assert "need a key" in shell.printed()
    assert f"{len(beats):,} beats of invented players sent." in shell.printed()


def test_with_a_key_members_follow_series_and_their_histories_and_playbacks_are_told(
    shell: Any, server: Any, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("ffsec_a_b\n")
    server.answer({"accepted": 1}, status=202)
    argv = ("demo", "--url", server.url, "--rate", "1", "--seconds", "60", "--video", "--titles")
    assert shell.run(*argv, "--secret-file", str(tmp_path / "key")) == 0
    paths = {f"{asked.method} {asked.path.partition('?')[0]}" for asked in server.asked}
    assert paths >= {
        "PUT /v1/audience/history/series/the-harbour/episodes", "PUT /v1/audience/follows",
        "POST /v1/audience/history", "POST /v1/audience/playbacks", "POST /v1/audience/playbacks/beat",
        "POST /v1/audience/playbacks/end",
    }  # fmt: skip
    histories = [asked.json()["events"] for asked in server.asked if "/v1/audience/history?" in asked.path]
    assert all(0 < len(events) <= 100 for events in histories)
    follows = [(asked.method, asked.path) for asked in server.asked if "/v1/audience/follows" in asked.path]
    followed: set[str] = set()
    for method, path in follows:  # Who follows already does not follow again, and ends only what began.
        assert (path in followed) == (method == "DELETE")
        followed ^= {path}
    assert 0 < sum(method == "DELETE" for method, _ in follows) < len(follows) / 4
    titles = [one["title"] for asked in server.asked if "/v1/assets" in asked.path for one in asked.json()]
    assert any(title.startswith("The Harbour, 1: ") for title in titles)


def test_a_key_that_may_not_tell_of_members_is_said_once_and_the_beats_go_on(
    shell: Any, server: Any, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("ffsec_a_b\n")
    server.answer({"status": 403, "field": "key", "detail": "may not do this"}, status=403)
    server.answer({"accepted": 1}, status=202)
    argv = ("demo", "--url", server.url, "--rate", "1", "--seconds", "5", "--video")
    assert shell.run(*argv, "--secret-file", str(tmp_path / "key")) == 0
    assert len([asked for asked in server.asked if asked.path.startswith("/v1/audience")]) == 1
    assert shell.printed().count("has not the scope audience") == 1
    assert any(asked.path == "/v1/pings" for asked in server.asked)


def test_a_playback_that_has_lost_its_place_asks_for_it_no_more() -> None:
    asked = list[str]()

    def call(_method: str, path: str, document: Any) -> Reply:
        if "/playbacks" in path:
            asked.append(document["session"])
        return Reply(410 if "/playbacks" in path else 200, {}, b"{}")

    show = Show(cinema=Cinema(1, brand="demo"), brand="demo", call=call, say=print, knows_members=True)
    begin_show(show, now_ms=NOW_MS, is_described=False)
    for second in range(1, 61):
        play_on(show, now_ms=NOW_MS + second * 1_000)
    assert len(asked) > 20
    assert len(set(asked)) == len(asked)
