"""The player's script in a real Chromium: what a video plays is credited, what it does not is not."""

import base64
import io
import json
import time
import wave

from tests.scenarios.browser.scene import WAIT_S, Scene
from tests.scenarios.instance import footfall, until

SOUND_S = 40
RATE_HZ = 8_000


def sound() -> str:
    """Return the address of a silent sound, which a video element plays like any film."""
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE_HZ)
        file.writeframes(b"\x80" * (RATE_HZ * SOUND_S))
    return f"data:audio/wav;base64,{base64.b64encode(written.getvalue()).decode()}"


def page_with_a_video(scene: Scene) -> str:
    facts = "{asset: 'harbour-1', series: 'the-harbour', section: 'drama', interval: 1}"
    player = f'<script src="{scene.instance.url}/player.js" data-brand="{scene.brand}"></script>'
    body = f"<body><video muted src='{sound()}'></video>{player}<script>"
    body += f"const video = document.querySelector('video'); footfall.watch(video, {facts});</script>"
    return scene.site.add(f"/{scene.brand}/video", body)


def rows_of(scene: Scene) -> list[dict[str, object]]:
    """Return the watch log of today and yesterday: a test may run over midnight."""
    days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - ago_s)) for ago_s in (86_400, 0)]
    whose = ("--data", str(scene.instance.data), "--brand", scene.brand, "--json")
    told = [footfall("audience", "watched", "--day", day, *whose) for day in days]
    assert [one.returncode for one in told] == [0, 0], told[0].stderr + told[1].stderr
    return [row for one in told for row in json.loads(one.stdout)["items"]]


def test_what_was_played_is_credited_and_what_was_skipped_or_paused_is_not(scene: Scene) -> None:
    page = scene.reader()
    page.goto(page_with_a_video(scene))
    page.evaluate("video.play()")
    page.wait_for_function("video.currentTime > 3")
    page.evaluate("video.pause()")
    played_s = page.evaluate("video.currentTime")
    page.wait_for_timeout(1_500)
    page.evaluate(f"video.currentTime = {SOUND_S - 2}")
    page.evaluate("video.play()")
    page.wait_for_function("video.ended")
    (row,) = until(lambda: rows_of(scene), bool, seconds=WAIT_S)
    assert (row["assetId"], row["series"], row["sectionId"]) == ("harbour-1", "the-harbour", "drama")
    seconds = float(str(row["milliseconds"])) / 1_000
    # A stretch may lose what passes until a busy page tells of it; nothing is credited that was not played.
    assert played_s + 2 - 1.5 <= seconds <= played_s + 2 + 0.1, (played_s, row)
