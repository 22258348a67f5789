"""A client lives as long as its program: on both sides of a fork, and to the end."""

import subprocess
import sys
import textwrap

from tests.client.listener import Heard, Listener


def ran(program: str, listener: Listener) -> str:
    """Run a program of its own to its end; return what it printed."""
    code = f"import os, sys\nfrom footfall.client import Footfall, Options\nURL = {listener.url!r}\n"
    command = [sys.executable, "-W", "error", "-c", code + textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assets(heard: list[Heard]) -> list[str]:
    return sorted(str(hit["assetId"]) for one in heard for hit in one.hits())


def test_the_end_of_a_program_sends_what_is_queued(listener: Listener) -> None:
    ran(
        """
        client = Footfall(URL, brand="abc", options=Options(linger_ms=60_000))
        for number in range(700):
            client.hit(number)
        """,
        listener,
    )
    assert assets(listener.heard) == sorted(str(number) for number in range(700))


def test_a_client_whose_variable_is_gone_still_sends(listener: Listener) -> None:
    ran("Footfall(URL, brand='abc', options=Options(linger_ms=60_000)).hit('a')", listener)
    assert assets(listener.heard) == ["a"]


def test_each_side_of_a_fork_sends_its_own_hits_once(listener: Listener) -> None:
    ran(
        """
        client = Footfall(URL, brand="abc", options=Options(linger_ms=60_000))
        client.hit("sent before")
        assert client.flush()
        client.hit("queued before")
        children = []
        for name in ("first", "second"):
            child = os.fork()
            if child == 0:
                client.hit(f"{name} child")
                sys.exit(0)
            children.append(child)
        client.hit("parent")
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        """,
        listener,
    )
    assert assets(listener.heard) == ["first child", "parent", "queued before", "second child", "sent before"]
    assert len({heard.headers["idempotency-key"] for heard in listener.heard}) == len(listener.heard)


def test_a_child_may_ask_for_lists_although_the_parent_did(listener: Listener) -> None:
    said = ran(
        """
        client = Footfall(URL, brand="abc")
        for _ in range(2):
            try:
                client.popular()
            except Exception as error:
                print(type(error).__name__, flush=True)
            child = os.fork()
            if child == 0:
                try:
                    client.popular()
                except Exception as error:
                    print(type(error).__name__, flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        """,
        listener,
    )
    # The listener knows no lists, and each of the four asked it and was told so.
    assert said.split() == ["RefusedByServer"] * 4
    assert len(listener.heard) == 4


def test_the_client_needs_nothing_but_the_standard_library(listener: Listener) -> None:
    said = ran(
        """
        import footfall.client.asgi, footfall.client.django, footfall.client.flask
        known = set(sys.stdlib_module_names) | {"footfall", "__main__"}
        print(sorted({name.partition(".")[0] for name in sys.modules} - known))
        """,
        listener,
    )
    loaded = {name for name in ("apsw", "msgspec", "numpy", "django", "flask", "starlette") if f"'{name}'" in said}
    assert loaded == set()
