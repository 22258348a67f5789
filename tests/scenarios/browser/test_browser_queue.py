"""The review queue in a real browser: what was held, why, and the operator's decision."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from footfall.app import wiring
from footfall.app.settings import Settings
from footfall.screening.features import FeatureNote
from footfall.screening.findings import Cause, SubjectKind
from footfall.screening.verdicts import State, Verdict
from footfall.values.clock import SystemClock
from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.test_browser_people import set_up, shown
from tests.scenarios.instance import Starter

NOTES = (
    FeatureNote("steadiness", 0.97, 1.9, "high", 0.98),
    FeatureNote("hits", 812.0, 0.9, "high", 0.9),
    FeatureNote("sections", 1.0, 0.3, "low", 0.6),
)


def hold(data: Path) -> None:
    """Write what a judge would have found."""
    clock = SystemClock()
    now_ms = clock.now_ms()
    accounts = wiring.open_accounts(Settings(data_dir=str(data)), clock)
    verdict = Verdict(
        SubjectKind.VISITOR, "61c8f0a2b44d9e10", now_ms - 3_600_000, now_ms, next(iter(Cause)), State.HELD, now_ms,
        score=3.1, words="evenness of the time between hits higher than usual (61% of the score)", notes=NOTES,
        changed_at_ms=now_ms,
    )  # fmt: skip
    accounts.register.verdicts.find("herald", [verdict], since={})
    accounts.table.close()


def test_what_was_held_is_explained_and_released(browser: Browser, starter: Starter, data: Path) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    set_up(editor, instance)
    instance.terminate()
    hold(data)
    editor.instance = starter.start(data, dev=False, port=instance.port)
    editor.open("/screening?brand=herald")
    page = editor.page
    expect(page.get_by_text("1 waiting")).to_be_visible()
    expect(page.get_by_text("evenness of the time between hits higher than usual")).to_be_visible()
    assert page.locator(".notes progress").count() == len(NOTES)
    shown(editor, "review-queue")
    page.get_by_role("button", name="Release: these are readers").click()
    expect(page.get_by_text("0 waiting")).to_be_visible()
    page.get_by_role("button", name="Settled").click()
    expect(page.locator(".verdict .tag")).to_have_text("released")
    editor.leave(expected=["net::ERR_"])
