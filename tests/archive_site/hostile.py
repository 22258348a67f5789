"""The pages that no capture gets the better of: what ends them is said in their names."""

from tests.archive_site.pages import page


def endless_alert() -> str:
    """Return a page that speaks without an end."""
    return page("Endless alert", "<script>for (;;) alert('again')</script>")


def loop() -> str:
    """Return a page whose script never ends."""
    return page("Loop", "<p>busy</p><script>setTimeout(() => { for (;;); }, 50)</script>")


def bomb() -> str:
    """Return a page that takes all memory there is."""
    return page(
        "Bomb",
        """<script>
          const all = [];
          setInterval(() => { for (let n = 0; n < 4; n++) all.push(new Uint8Array(16e6).fill(n + 1)); }, 10);
        </script>""",
    )


def framed_bomb(other: str) -> str:
    """Return a page with a frame of another site that takes all memory there is."""
    return page("Framed bomb", f'<iframe src="{other}/bomb"></iframe><script src="/never"></script>')


def restless() -> str:
    """Return a page that goes on to itself again and again."""
    return page("Restless", "<script>setTimeout(() => { location.href = '/restless?' + Math.random(); }, 30)</script>")


def leaving() -> str:
    """Return a page that leads out of the web."""
    return page("Leaving", "<script>location.href = 'about:blank'</script>")


def inward(to: str) -> str:
    """Return a page that leads to where nobody may be sent."""
    return page("Inward", f"<p>Wait</p><script>location.href = '{to}'</script>")


def router() -> str:
    """Return a page that writes its own address anew all the time, and stays what it is."""
    return page(
        "Router",
        "<p>here</p><script>let n = 0; setInterval(() => history.pushState(0, '', `?${n++}`), 20)</script>",
    )


def auto_download() -> str:
    """Return a page that has a file saved when it is opened."""
    return page("Auto-download", "<p>Thank you</p><script>location.href = '/download'</script>")


def going_on(to: str, *, by_script: bool) -> str:
    """Return a page that is there only to lead to another."""
    if by_script:
        return page("Going on", f"<script>location.replace('{to}')</script>")
    return page("Going on", "", head=f'<meta http-equiv="refresh" content="0;url={to}">')
