"""The routes of the most-read box: its script, and itself as HTML."""

from http import HTTPStatus

from footfall.catalog.asset import NAME_BYTES_MAX
from footfall.flow.serve.query import HITS, MEASURES, NAMES_MAX, VALUES_MAX
from footfall.flow.serve.widget import HEADING, HEADING_BYTES_MAX, LEVELS, PERIOD, SHOWN_DEFAULT, SHOWN_MAX
from footfall.shells.http.described.lists import BRAND, GROUP, several
from footfall.shells.http.described.operation import Answer, Operation, Parameter, text, whole
from footfall.values.hit import ASSET_BYTES_MAX, LABEL_BYTES_MAX

HTML = "text/html"
_EXAMPLE = """\
<section class="footfall-box" aria-labelledby="footfall-1a2b3c4d">
<h2 class="footfall-heading" id="footfall-1a2b3c4d">Most read</h2>
<ol class="footfall-list">
<li class="footfall-item"><a class="footfall-link" dir="auto" href="https://www.example.com/a/7">The harbour</a></li>
</ol>
</section>
"""


def _nothing(status: HTTPStatus, says: str) -> Answer:
    return Answer(status, f"{says} The body is empty.", HTML, text(maxLength=0))


SCRIPT = Operation(
    "GET",
    "/widget.js",
    "widgetScript",
    "The most-read box: the script that shows a list where its tag stands.",
    GROUP,
    parameters=(Parameter("If-None-Match", "The `ETag` of the one that is there.", text(), "header"),),
    answers=(
        Answer(HTTPStatus.OK, "The script, to be kept for a day.", "text/javascript", text()),
        Answer(HTTPStatus.NOT_MODIFIED, "It has not changed."),
    ),
)
BOX = Operation(
    "GET",
    "/v1/widget",
    "widget",
    "The most-read box as HTML, for servers to include in a page.",
    GROUP,
    more="Made for caches, as the list itself is, and without style or script. Includes show whatever they are sent, "
    "so the body is empty where there is nothing to show, and where there is an error, which the status and the header "
    "`footfall-problem` tell. Assets of which the catalogue has no title are left out.",
    parameters=(
        BRAND,
        Parameter("period", "A period of the brand.", text(default=PERIOD), example="day"),
        Parameter("section", "Only these sections.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("resourceType", "Only these resource types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("paidType", "Only these paid types.", several(LABEL_BYTES_MAX, VALUES_MAX)),
        Parameter("author", "Only assets by one of these authors.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("tag", "Only assets with one of these tags.", several(NAME_BYTES_MAX, NAMES_MAX)),
        Parameter("exclude", "All but these assets.", several(ASSET_BYTES_MAX, VALUES_MAX)),
        Parameter("limit", "How many.", {**whole(1, SHOWN_MAX), "default": SHOWN_DEFAULT}),
        Parameter("sort", "`uniques`: by how many visitors came.", text(enum=list(MEASURES), default=HITS)),
        Parameter("title", "The heading.", text(bytes_max=HEADING_BYTES_MAX, default=HEADING)),
        Parameter("level", "The heading's level.", text(enum=list(LEVELS), default=LEVELS[0])),
        Parameter("lang", "The heading's language.", text(), example="pt-BR"),
        Parameter("If-None-Match", "The `ETag` of the box that is there.", text(), "header"),
    ),
    answers=(
        Answer(HTTPStatus.OK, "The box; nothing when there is nothing to show.", HTML, text(), _EXAMPLE),
        Answer(HTTPStatus.NOT_MODIFIED, "The box is the one that `If-None-Match` names."),
        _nothing(HTTPStatus.BAD_REQUEST, "A parameter is unknown, given twice, or has a value that it may not have."),
        _nothing(HTTPStatus.UNAUTHORIZED, "The brand's lists are not public; send a key that may read."),
        _nothing(HTTPStatus.FORBIDDEN, "The key may not read, or is another brand's."),
        _nothing(HTTPStatus.NOT_FOUND, "There is no such brand."),
        _nothing(HTTPStatus.SERVICE_UNAVAILABLE, "The list is not ready; ask again in a moment."),
    ),
    is_public=True,
)
MAY_I_INCLUDE = Operation(
    "OPTIONS",
    "/v1/widget",
    "mayIReadWidget",
    "Ask, as browsers do, whether a page may read with a key.",
    GROUP,
    answers=(Answer(HTTPStatus.NO_CONTENT, "A browser's preflight: which origins, methods and headers are allowed."),),
)

OPERATIONS = (SCRIPT, BOX, MAY_I_INCLUDE)
