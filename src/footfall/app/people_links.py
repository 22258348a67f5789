"""Links that people follow, and how they reach them: by mail, or through whoever reads the log."""

from footfall.app.settings import Settings
from footfall.ports.mail import Letter, Mail
from footfall.values.clock import Clock

INVITATION, RESET, SETUP = "invitation", "reset", "setup"


def mail_from(settings: Settings, clock: Clock) -> Mail | None:
    """Return the way to mail that the settings name; None when they name none."""
    if not settings.smtp_host:
        return None
    # What speaks SMTP takes a moment to load, which commands should not wait for.
    from footfall.adapters.smtp.smtp_mail import SmtpMail, SmtpServer

    server = SmtpServer(
        settings.smtp_host, settings.smtp_port, settings.smtp_security, settings.smtp_user, settings.smtp_password
    )
    return SmtpMail(server, sender=settings.smtp_from, clock=clock)


def link_to(settings: Settings, page: str, token: str, *, host: str = "") -> str:
    """Return the address of a page; what opens it stands behind the hash, where no server and no log sees it."""
    base = settings.people_url
    if not base and host:
        base = f"https://{host}" if settings.ground == "aws" else f"http://{host}"
    if not base and settings.ground != "aws":
        base = f"http://{_opened_host(settings.http_host)}:{settings.http_port}"
    return f"{base}/{page}#{token}" if token else f"{base}/{page}"


def _opened_host(listens_on: str) -> str:
    """Return what a browser on this machine calls the host; one that listens on all addresses has none of its own."""
    if listens_on in ("", "0.0.0.0", "::"):  # noqa: S104 - nothing is bound to it here
        return "localhost"
    return f"[{listens_on}]" if ":" in listens_on else listens_on


def letter_of_reset(to: str, link: str) -> Letter:
    """Return the letter that brings the link to a new password."""
    text = (
        "Somebody, most likely you, asked for a new password for footfall. This link lets you choose one, once,\n"
        f"within an hour:\n\n{link}\n\nIf it was not you, there is nothing to do: nothing has changed.\n"
    )
    return Letter(to, "A new password for footfall", text)


def letter_of_invitation(to: str, link: str, *, brand: str, role: str, by: str) -> Letter:
    """Return the letter that brings an invitation."""
    text = (
        f"{by} invites you to footfall, to look at what the readers of {brand} read (as {role}). This link\n"
        f"lets you in, once, within seven days:\n\n{link}\n"
    )
    return Letter(to, f"An invitation to footfall for {brand}", text)
