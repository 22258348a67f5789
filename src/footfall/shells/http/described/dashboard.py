"""The dashboard: its pages, its files, and what it listens to."""

from http import HTTPStatus

from footfall.shells.http.described.lists import BRAND
from footfall.shells.http.described.operation import Answer, Operation, Parameter, problem, text

GROUP = "The dashboard"

_PAGES = {
    "/": ("page", "What is being read now, moving by itself."),
    "/most-read": ("mostReadPage", "The most read of any period, with filters that are in the address."),
    "/trending": ("trendingPage", "What rises."),
    "/assets/{id}": ("assetPage", "How one asset does."),
    "/sections": ("sectionsPage", "Sections and types."),
    "/audience": ("audiencePage", "Hits and visitors over time."),
    "/watching": ("watchingPage", "Who watches now, minutes, how far an asset is watched, and closed earnings."),
    "/catalogue": ("metricsPage", "A brand's metrics, found by words and kinds."),
    "/catalogue/{name}": ("metricPage", "One metric: what it is, its numbers, where it comes from, its versions."),
    "/migration": ("migrationPage", "How far the move of a database into the brand's catalogue is."),
    "/archive": ("archiveOverviewPage", "Have pages kept, see how far it is, and find again what was kept."),
    "/archive/page": ("archivedPage", "All captures of an address, on a calendar."),
    "/archive/capture/{id}": ("capturePage", "A capture: picture, text, replay and details. A permanent link."),
    "/archive/compare": ("comparePage", "What differs between two captures."),
    "/archive/watches": ("watchesPage", "The watch list: what is kept by itself."),
    "/screening": ("screeningPage", "What was held back and why, and what waits for a decision."),
    "/ledger": ("ledgerPage", "Where every hit went."),
    "/operations": ("operationsPage", "How the instance is."),
    "/settings": ("settingsPage", "A brand's rules, keys, members, pins and hidden assets."),
    "/account": ("accountPage", "Your own password, and where you are signed in."),
    "/sign-in": ("signInPage", "Sign in."),
    "/setup": ("setupPage", "The first run: an owner and a first brand."),
    "/invitation": ("invitationPage", "Accept an invitation."),
    "/reset": ("resetPage", "Ask for a new password, and set it."),
}
_SHELL = Answer(HTTPStatus.OK, "The shell of every page; it asks for the rest itself.", "text/html", text())
_PLACES = {
    "/assets/{id}": (Parameter("id", "The asset.", text(), "path", is_required=True, example="132141398"),),
    "/archive/capture/{id}": (Parameter("id", "The capture.", text(), "path", is_required=True, example="EXAMPLE"),),
    "/catalogue/{name}": (Parameter("name", "The metric.", text(), "path", is_required=True, example="reads"),),
}
_FILE = Parameter("file", "Its name, which has a hash in it.", text(bytes_max=100), "path", is_required=True)

LIVE = Operation(
    "GET",
    "/v1/live",
    "live",
    "Listen: the just-now list and the newest minutes, each time they change.",
    GROUP,
    "read",
    more="Server-sent events, at most one a second. Each event `now` is whole: `list` is the answer of `/v1/popular` "
    "for `justnow`, `minutes` and `visitors` are those of `/v1/series` for the last two minutes, `lastHit` is when the "
    "brand was last heard of. `Last-Event-ID` spares what is known. A comment comes every 15 s; after ten minutes the "
    "listener is let go, to come back. Needs no key where lists are public. Not on AWS, where answers are asked for.",
    is_public=True,
    parameters=(
        BRAND,
        Parameter("Last-Event-ID", "The id of the last event that was heard.", text(bytes_max=64), "header"),
    ),
    answers=(
        Answer(HTTPStatus.OK, "Events, as they come.", "text/event-stream", text()),
        problem(HTTPStatus.BAD_REQUEST, "A parameter is missing, unknown, given twice or no name of a brand."),
        problem(HTTPStatus.NOT_FOUND, "There is no such brand, or the ground is AWS."),
        problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many listen already."),
    ),
)
OPERATIONS = (
    *(
        Operation("GET", path, name, says, GROUP, parameters=_PLACES.get(path, ()), answers=(_SHELL,))
        for path, (name, says) in _PAGES.items()
    ),
    Operation(
        "GET",
        "/static/{file}",
        "dashboardFile",
        "A script or a style of the dashboard, compressed, to be kept for good.",
        GROUP,
        parameters=(_FILE,),
        answers=(
            Answer(HTTPStatus.OK, "The file.", "text/javascript", text(), also=("text/css",)),
            problem(HTTPStatus.NOT_FOUND, "There is no such file, or not any more: load the page again."),
        ),
    ),
    LIVE,
)
