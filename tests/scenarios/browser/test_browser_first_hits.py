"""The first hits of a brand, by the lines that the page itself gives: what an editor copies is what works."""

import shlex
import subprocess
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.scenarios.browser.newsroom import Editor
from tests.scenarios.browser.scene import WAIT_S
from tests.scenarios.browser.test_browser_people import set_up
from tests.scenarios.instance import Starter, until


def run(command: list[str]) -> None:
    """Run a copied line, as a terminal would."""
    done = subprocess.run([*command, "--silent", "--fail-with-body"], capture_output=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done


def command_shown(editor: Editor) -> list[str]:
    return shlex.split(editor.page.locator(".first code").nth(1).inner_text())


def test_hits_of_programs_are_named_as_such_and_the_copied_command_moves_the_page(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)  # Where it takes any brand, whatever posts is taken for a server of ours.
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    command = command_shown(editor)
    agent = command.index("-A")
    as_program = command[:agent] + command[agent + 2 :]
    run(as_program)
    run(as_program)
    told = page.get_by_role("heading", name="2 hits came, and none is a reader\u2019s")
    expect(told).to_be_visible(timeout=WAIT_S * 1_000)  # It is asked for every few seconds.
    expect(page.locator(".first").get_by_role("link", name="See Screening")).to_be_visible()
    expect(page.locator(".first code")).to_have_count(0)
    assert editor.violations() == []
    run(command)
    until(editor.rows, lambda rows: rows == ["hello-1"], seconds=WAIT_S)
    expect(page.locator(".first")).to_have_count(0)
    editor.leave()


def test_lines_to_copy_have_the_key_that_lasts_as_soon_as_it_is_rotated(
    browser: Browser, starter: Starter, data: Path
) -> None:
    instance = starter.start(data, dev=False)
    editor = Editor(browser, instance)
    page = editor.page
    set_up(editor, instance)
    before = page.locator(".first code").first.inner_text()
    editor.choose_page("Settings")
    line = page.locator(".copied code", has_text="footfall.js")
    expect(line).to_have_text(before)
    page.locator("tr", has_text="send hits from pages").get_by_role("button", name="Rotate").click()
    expect(line).not_to_have_text(before)
    new = page.locator("[role=status] .copied code").first.inner_text()
    expect(line).to_contain_text(f'data-key="{new}"')
    page.reload()
    expect(line).to_contain_text(f'data-key="{new}"')
    editor.choose_page("Now")
    expect(page.locator(".first code").first).to_contain_text(new)
    run(command_shown(editor))
    until(editor.rows, lambda rows: rows == ["hello-1"], seconds=WAIT_S)
    editor.leave()
