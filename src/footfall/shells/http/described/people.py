"""The routes of people's accounts: coming in, signing in, passwords, members and invitations."""

from http import HTTPStatus

from footfall.accounts.passwords import CHARACTERS_MAX, CHARACTERS_MIN
from footfall.accounts.people import EMAIL_BYTES_MAX, NAME_BYTES_MAX, ROLES
from footfall.shells.http.described.operation import (
    JSON,
    Answer,
    Body,
    Operation,
    Parameter,
    Schema,
    listed,
    maybe,
    problem,
    record,
    text,
)

GROUP = "People"

_ROLE: Schema = {"type": "string", "enum": list(ROLES), "description": "what somebody may do in a brand"}
_EMAIL = text("an e-mail address; capital letters do not matter", bytes_max=EMAIL_BYTES_MAX)
_NAME = text("what somebody is called", bytes_max=NAME_BYTES_MAX, minLength=1)
_NEW_PASSWORD = text(
    f"{CHARACTERS_MIN} to {CHARACTERS_MAX} characters, not one of the commonest, not the e-mail address",
    bytes_max=CHARACTERS_MAX,
    minLength=CHARACTERS_MIN,
)
_TOKEN = text("what stands behind the hash of the link", bytes_max=200)
_ANYBODY = {"email": "ann@example.com", "password": "a horse that reads", "name": "Ann Editor"}
_PERSON = {"id": "p_3k7mqz2v9xw4t6ra", "email": "ann@example.com", "name": "Ann Editor", "isOwner": False}
_INVITED = {
    "id": "x4m2zq7v9kw3t6rb",
    "brand": "abc",
    "role": "editor",
    "email": None,
    "by": "Ann Editor (p_3k7mqz2v9xw4t6ra)",
    "created": "2026-11-15T14:30Z",
    "expires": "2026-11-22T14:30Z",
}
_HELD = {
    "person": _PERSON,
    "csrf": "9vXk2m7Qz4Lr8Tn1Wb6Yc3Hd5Jf0Sg2A",
    "brands": [
        {
            "brand": "abc",
            "title": "The ABC",
            "zone": "Europe/Helsinki",
            "periods": ["weekend"],
            "role": "editor",
            "isOpen": False,
        }
    ],
    "register": "closed",
    "needsSetup": False,
}

PERSON = record({"id": text(), "email": text(), "name": text(), "isOwner": {"type": "boolean"}}, says="Somebody.")
SESSION = record(
    {
        "person": maybe({"$ref": "#/components/schemas/Person"}),
        "csrf": maybe(text("to be sent as `X-Footfall-CSRF` with whatever changes something")),
        "brands": listed(
            record(
                {
                    "brand": text(),
                    "title": text(),
                    "zone": text(),
                    "periods": listed(text("a period of its own, beside those of the instance")),
                    "role": _ROLE,
                    "isOpen": {
                        "type": "boolean",
                        "description": "named by the settings and not stored: it has no keys, members, alerts or rules",
                    },
                }
            )
        ),
        "register": {"type": "string", "enum": ["closed", "open"]},
        "needsSetup": {"type": "boolean", "description": "nobody owns the instance yet"},
    },
    says="Who is signed in, and which brands they may look at; those without keys are everybody's.",
)
INVITATION = record(
    {
        "id": text(),
        "brand": text(),
        "role": _ROLE,
        "email": maybe(text("the one person who may take it")),
        "by": text(),
        "created": text(),
        "expires": text(),
        "link": text("only once, when it is made"),
        "isMailed": {"type": "boolean"},
    },
    required=("id", "brand", "role", "email", "by", "created", "expires"),
)
MEMBER = record(
    {
        "brand": text(),
        "id": text(),
        "email": text(),
        "name": text(),
        "isOwner": {"type": "boolean"},
        "role": _ROLE,
    },
    required=("id", "email", "name", "isOwner", "role"),
)


def _sent(properties: dict[str, Schema], example: dict[str, object], *, required: tuple[str, ...]) -> tuple[Body, ...]:
    schema = {**record(properties, required=required), "additionalProperties": False}
    return (Body(JSON, schema, {"as": example}),)


_WRONG = problem(HTTPStatus.BAD_REQUEST, "A field is missing, unknown or has a value that it may not have.")
_ELSEWHERE = problem(HTTPStatus.FORBIDDEN, "A page of another site asks, as `Origin` or `Sec-Fetch-Site` tells.")
_WRONG_PASSWORD = problem(HTTPStatus.UNAUTHORIZED, "The e-mail address or the password is wrong.")
_OVER = problem(HTTPStatus.NOT_FOUND, "The link was used or withdrawn, or is over.")
_TAKEN = problem(HTTPStatus.CONFLICT, "There is an account under that address, or a brand of that name.")
_SIGNED_IN = {"Set-Cookie": "the session's cookie, `__Host-footfall`"}
_IS_SIGNED_IN = Answer(
    HTTPStatus.CREATED, "The account is made and signed in.", JSON, {"$ref": "#/components/schemas/Session"}, _HELD
)
_ID = Parameter("id", "The person's id.", text(bytes_max=64, minLength=1), "path", is_required=True,
                example="p_3k7mqz2v9xw4t6ra")  # fmt: skip
_INVITATION_ID = Parameter("id", "The invitation's id.", text(bytes_max=64, minLength=1), "path", is_required=True,
                           example="x4m2zq7v9kw3t6rb")  # fmt: skip
_UNKNOWN_MEMBER = problem(HTTPStatus.NOT_FOUND, "Nobody of that id has a role in the brand.")

OPERATIONS = (
    Operation(
        "GET", "/v1/session", "session", "Who is signed in, with what a page has to know first.", GROUP,
        answers=(
            Answer(HTTPStatus.OK, "Somebody, or `person` is null.", JSON, {"$ref": "#/components/schemas/Session"},
                   _HELD),
            _WRONG,
        ),
    ),
    Operation(
        "POST", "/v1/session", "signIn", "Sign in.", GROUP,
        more="Ten attempts in fifteen minutes are taken for each e-mail address and from each network address.",
        bodies=_sent({"email": _EMAIL, "password": text(bytes_max=4_096)},
                     {"email": "ann@example.com", "password": "a horse that reads"}, required=("email", "password")),
        answers=(
            Answer(HTTPStatus.OK, "Signed in.", JSON, {"$ref": "#/components/schemas/Session"}, _HELD),
            _WRONG, _WRONG_PASSWORD, _ELSEWHERE,
        ),
        headers=_SIGNED_IN,
    ),
    Operation(
        "DELETE", "/v1/session", "signOut", "Sign out.", GROUP, needs_session=True,
        answers=(
            Answer(HTTPStatus.OK, "Signed out.", JSON, {"$ref": "#/components/schemas/Session"},
                   {**_HELD, "person": None, "csrf": None, "brands": []}),
            _WRONG,
        ),
    ),
    Operation(
        "GET", "/v1/sessions", "sessions", "Where you are signed in.", GROUP, needs_session=True,
        answers=(
            Answer(
                HTTPStatus.OK, "The sessions, the one used last first.", JSON,
                record({"sessions": listed(record({
                    "id": text(), "browser": text(), "created": text(), "lastUsed": text(), "expires": text(),
                    "isThis": {"type": "boolean"},
                }))}),
                {"sessions": [{
                    "id": "0f3c9a77b1d2e4f5", "browser": "Firefox on Linux", "created": "2026-11-15T14:30Z",
                    "lastUsed": "2026-11-15T16:00Z", "expires": "2026-11-22T16:00Z", "isThis": True,
                }]},
            ),
            _WRONG,
        ),
    ),
    Operation(
        "DELETE", "/v1/sessions", "signOutEverywhere", "Sign out everywhere.", GROUP, needs_session=True,
        answers=(
            Answer(HTTPStatus.OK, "All sessions are over.", JSON, record({"ended": {"type": "integer"}}),
                   {"ended": 3}),
            _WRONG,
        ),
    ),
    Operation(
        "POST", "/v1/setup", "setUp", "Make the first owner of the instance, and the first brand if you like.", GROUP,
        more="The code is what `footfall serve` prints at its start and `footfall people setup-code` shows.",
        bodies=_sent(
            {"code": text(bytes_max=64), "email": _EMAIL, "password": _NEW_PASSWORD, "name": _NAME,
             "brand": text("the first brand's name"), "title": text(), "zone": text("where its days begin")},
            {"code": "abcd-efgh-ijkl-mnop", **_ANYBODY, "brand": "abc", "zone": "Europe/Helsinki"},
            required=("code", "email", "password", "name"),
        ),
        answers=(
            _IS_SIGNED_IN, _WRONG, _TAKEN,
            problem(HTTPStatus.FORBIDDEN, "The code is wrong, or there is an owner already."),
        ),
        headers=_SIGNED_IN,
    ),
    Operation(
        "POST", "/v1/register", "register", "Make an account for yourself, where the setting people_register is open.",
        GROUP,
        bodies=_sent({"email": _EMAIL, "password": _NEW_PASSWORD, "name": _NAME}, dict(_ANYBODY),
                     required=("email", "password", "name")),
        answers=(_IS_SIGNED_IN, _WRONG, _TAKEN, problem(HTTPStatus.FORBIDDEN, "That is closed here.")),
        headers=_SIGNED_IN,
    ),
    Operation(
        "POST", "/v1/password", "changePassword", "Change your password; every other session of yours ends.", GROUP,
        needs_session=True,
        bodies=_sent({"old": text(bytes_max=4_096), "new": _NEW_PASSWORD},
                     {"old": "a horse that reads", "new": "two horses that read"}, required=("old", "new")),
        answers=(
            Answer(HTTPStatus.OK, "It is changed.", JSON, record({"changed": {"type": "boolean"}}), {"changed": True}),
            _WRONG, problem(HTTPStatus.UNAUTHORIZED, "Nobody is signed in, or the old password is wrong."),
        ),
    ),
    Operation(
        "POST", "/v1/password/reset", "askForPassword", "Ask for a link to a new password.", GROUP,
        more="It is mailed, or, where no mail server is set up, written into the log of the server. The answer is the "
        "same whether there is such an account or not.",
        bodies=_sent({"email": _EMAIL}, {"email": "ann@example.com"}, required=("email",)),
        answers=(
            Answer(HTTPStatus.ACCEPTED, "If there is such an account, the link is on its way.", JSON,
                   record({"status": text()}), {"status": "if there is an account, a link is on its way"}),
            _WRONG, _ELSEWHERE,
        ),
    ),
    Operation(
        "POST", "/v1/password/reset/accept", "resetPassword",
        "Choose a new password with a link; every session ends.", GROUP,
        bodies=_sent({"token": _TOKEN, "password": _NEW_PASSWORD},
                     {"token": "p_3k7mqz2v9xw4t6ra~secret", "password": "two horses that read"},
                     required=("token", "password")),
        answers=(
            Answer(HTTPStatus.OK, "Sign in with it.", JSON, record({"email": text()}), {"email": "ann@example.com"}),
            _WRONG, _OVER, _ELSEWHERE,
        ),
    ),
    Operation(
        "GET", "/v1/invitations", "invitations", "A brand's invitations that nobody has taken yet.", GROUP, "admin",
        answers=(
            Answer(HTTPStatus.OK, "The invitations, the oldest first; never their links.", JSON,
                   record({"brand": text(), "invitations": listed({"$ref": "#/components/schemas/Invitation"})}),
                   {"brand": "abc", "invitations": [_INVITED]}),
            _WRONG,
        ),
    ),
    Operation(
        "POST", "/v1/invitations", "invite", "Invite somebody to a brand.", GROUP, "admin",
        more="Whoever has the link may take it, once, within seven days; with an e-mail address only that person.",
        bodies=_sent({"brand": text("where it is not said in the address"), "role": _ROLE, "email": maybe(_EMAIL)},
                     {"brand": "abc", "role": "editor"}, required=("role",)),
        answers=(
            Answer(HTTPStatus.CREATED, "The invitation with its link, which is told this once.", JSON,
                   {"$ref": "#/components/schemas/Invitation"},
                   {**_INVITED, "link": "https://footfall.example.com/invitation#abc~x4m2zq7v9kw3t6rb~secret",
                    "isMailed": False}),
            _WRONG, problem(HTTPStatus.NOT_FOUND, "The brand is an open one, which has no members."),
        ),
    ),
    Operation(
        "DELETE", "/v1/invitations/{id}", "withdrawInvitation", "Take an invitation back.", GROUP, "admin",
        parameters=(_INVITATION_ID,),
        answers=(
            Answer(HTTPStatus.OK, "Its link works no more.", JSON,
                   record({"withdrawn": {"$ref": "#/components/schemas/Invitation"}}), {"withdrawn": _INVITED}),
            _WRONG, problem(HTTPStatus.NOT_FOUND, "There is no such invitation that waits."),
        ),
    ),
    Operation(
        "POST", "/v1/invitations/offer", "invitation", "What an invitation is to; it waits on.", GROUP,
        more="The token is what stands behind the hash of its link. It is sent in the body, as addresses end up in "
        "the logs of proxies.",
        bodies=_sent({"token": _TOKEN}, {"token": "abc~x4m2zq7v9kw3t6rb~secret"}, required=("token",)),
        answers=(
            Answer(HTTPStatus.OK, "The brand and the role.", JSON,
                   record({"brand": text(), "title": text(), "role": _ROLE, "email": maybe(text())}),
                   {"brand": "abc", "title": "The ABC", "role": "editor", "email": None}),
            _WRONG, _OVER, _ELSEWHERE,
        ),
    ),
    Operation(
        "POST", "/v1/invitations/accept", "takeInvitation",
        "Take an invitation: with a new account, or, when you are signed in, with yours.", GROUP,
        bodies=_sent({"token": _TOKEN, "email": _EMAIL, "password": _NEW_PASSWORD, "name": _NAME},
                     {"token": "abc~x4m2zq7v9kw3t6rb~secret", **_ANYBODY}, required=("token",)),
        answers=(
            Answer(HTTPStatus.OK, "You were signed in, and have the role.", JSON,
                   {"$ref": "#/components/schemas/Session"}, _HELD),
            _IS_SIGNED_IN, _WRONG, _OVER, _TAKEN, _ELSEWHERE,
        ),
        headers=_SIGNED_IN,
    ),
    Operation(
        "GET", "/v1/members", "members", "Who has which role in a brand.", GROUP, "admin",
        answers=(
            Answer(HTTPStatus.OK, "The members, in the order of their addresses.", JSON,
                   record({"brand": text(), "members": listed({"$ref": "#/components/schemas/Member"})}),
                   {"brand": "abc", "members": [{**_PERSON, "role": "editor"}]}),
            _WRONG,
        ),
    ),
    Operation(
        "PUT", "/v1/members/{id}", "changeRole", "Give a member another role.", GROUP, "admin", parameters=(_ID,),
        bodies=_sent({"role": _ROLE}, {"role": "viewer"}, required=("role",)),
        answers=(
            Answer(HTTPStatus.OK, "The member.", JSON, {"$ref": "#/components/schemas/Member"},
                   {"brand": "abc", **_PERSON, "role": "viewer"}),
            _WRONG, _UNKNOWN_MEMBER,
        ),
    ),
    Operation(
        "DELETE", "/v1/members/{id}", "removeMember", "Take somebody's role in a brand away.", GROUP, "admin",
        parameters=(_ID,),
        answers=(
            Answer(HTTPStatus.OK, "Whoever it was has no role in the brand.", JSON,
                   record({"brand": text(), "removed": {"$ref": "#/components/schemas/Person"}}),
                   {"brand": "abc", "removed": _PERSON}),
            _WRONG, _UNKNOWN_MEMBER,
        ),
    ),
)  # fmt: skip
SCHEMAS = {"Person": PERSON, "Session": SESSION, "Invitation": INVITATION, "Member": MEMBER}
