"""What is asked of the follow graph, by routes and commands alike: names of things in, documents out."""

from collections.abc import Mapping
from typing import Any, cast

from footfall.app.audience_opening import Audience
from footfall.audience import blocking, following, publishing
from footfall.audience.following import Others
from footfall.audience.follows import Followed
from footfall.audience.publishing import Publication, Publications
from footfall.audience.suggesting import suggested
from footfall.audience.things import Thing
from footfall.values.errors import Refused
from footfall.values.window import instant_text, moment_from_text

APPROVE, DECLINE = "approve", "decline"

Document = dict[str, Any]


class FollowActs:
    """The follow graph of one brand, for whoever may ask for all of it."""

    def __init__(self, audience: Audience, brand: str) -> None:
        self._audience = audience
        self._brand = brand
        self._follows = audience.follows

    def follow(self, follower: str, target: str) -> Document:
        """Let one thing follow another."""
        one, other = self._two(follower, target)
        return _followed(one, other, self._follows.follow(self._brand, one, other))

    def unfollow(self, follower: str, target: str) -> Document:
        """Let one thing no longer follow another."""
        one, other = self._two(follower, target)
        was = self._follows.unfollow(self._brand, one, other)
        return {"follower": str(one), "target": str(other), "state": "none", "changed": was}

    def state(self, follower: str, target: str) -> Document:
        """Tell what one thing is to another."""
        one, other = self._two(follower, target)
        state, at_us = following.state_of(self._follows, self._brand, one, other)
        at = None if at_us is None else _moment(at_us)
        return {"follower": str(one), "target": str(other), "state": str(state), "at": at}

    def check(self, follower: object, targets: object) -> Document:
        """Tell which of some things one thing follows."""
        one = self._thing(follower, "follower")
        if not isinstance(targets, list):
            raise Refused("targets", "is missing or no list; name things by kind and id, as in ['series:7']")
        named = cast("list[object]", targets)
        found = following.which_of(self._follows, self._brand, one, [self._thing(text, "targets") for text in named])
        rows = [{"thing": str(thing), "at": _moment(at_us)} for thing, at_us in sorted(found.items())]
        return {"follower": str(one), "following": rows}

    def following(self, of: str, *, limit: int, after: str, kind: str = "") -> Document:
        """List what a thing follows."""
        asked = self._kind(kind)
        return _others(
            following.following(self._follows, self._brand, self._of(of), limit=limit, after=after, kind=asked)
        )

    def followers(self, of: str, *, limit: int, after: str) -> Document:
        """List who follows a thing."""
        return _others(following.followers(self._follows, self._brand, self._of(of), limit=limit, after=after))

    def mutual(self, of: str, *, limit: int, after: str) -> Document:
        """List those that a thing follows and that follow it."""
        return _others(following.mutual(self._follows, self._brand, self._of(of), limit=limit, after=after))

    def requests(self, of: str, *, limit: int, after: str) -> Document:
        """List who asked to follow a private thing."""
        return _others(following.requests(self._follows, self._brand, self._of(of), limit=limit, after=after))

    def blocks(self, of: str, *, limit: int, after: str) -> Document:
        """List whom a thing blocks."""
        return _others(following.blocked(self._follows, self._brand, self._of(of), limit=limit, after=after))

    def counts(self, of: str) -> Document:
        """Tell how much a thing follows and how many follow it."""
        found = following.counts(self._follows, self._brand, self._of(of))
        return {"thing": of, "following": found.following, "followers": found.followers}

    def suggestions(self, of: str, *, limit: int, kind: str = "") -> Document:
        """List what a thing might follow."""
        found = suggested(self._follows, self._brand, self._of(of), limit=limit, kind=self._kind(kind))
        return {"items": [{"thing": str(one.thing), "weight": one.weight} for one in found]}

    def decide(self, target: object, follower: object, decision: object) -> Document:
        """Approve or decline a request."""
        other, one = self._thing(target, "target"), self._thing(follower, "follower")
        if decision == APPROVE:
            return _followed(one, other, self._follows.approve(self._brand, other, one))
        if decision != DECLINE:
            raise Refused("decision", f"is neither {APPROVE} nor {DECLINE}")
        self._follows.decline(self._brand, other, one)
        return {"follower": str(one), "target": str(other), "state": "none", "at": None, "new": True}

    def block(self, blocker: str, blocked: str, *, is_on: bool) -> Document:
        """Block somebody, or let them follow again."""
        one, other = self._thing(blocker, "blocker"), self._thing(blocked, "blocked")
        act = blocking.block if is_on else blocking.unblock
        changed = act(self._follows, self._brand, one, other)
        return {"blocker": str(one), "blocked": str(other), "isBlocked": is_on, "changed": changed}

    def privacy(self, of: str) -> Document:
        """Tell whether following a thing has to be approved."""
        return {"thing": of, "private": self._follows.heads.read(self._brand, self._of(of)).is_private}

    def set_privacy(self, of: str, *, private: object) -> Document:
        """Say whether following a thing has to be approved."""
        if not isinstance(private, bool):
            raise Refused("private", "is neither true nor false")
        blocking.set_private(self._follows, self._brand, self._of(of), is_private=private)
        return {"thing": of, "private": private}

    def spread(self, of: str, followers: int) -> Document:
        """Divide a thing's followers as if there were so many already."""
        return {"thing": of, "shards": self._follows.spread(self._brand, self._of(of), followers=followers)}

    def publish(self, document: Mapping[str, Any]) -> Document:
        """Say that a thing published something."""
        now_ms = self._audience.clock.now_ms()
        thing, id, at, about = (document.get(name) for name in ("thing", "id", "at", "about"))
        if not isinstance(id, str):
            raise Refused("id", "is missing or no text; say by which id the publication is known")
        if not isinstance(about or {}, dict):
            raise Refused("about", "is no object")
        at_ms = now_ms if at is None else moment_from_text(str(at), field="at")
        made = Publication(self._thing(thing, "thing"), id, at_ms, about or {})
        publishing.publish(self._follows.table, self._brand, made, now_ms=now_ms)
        return _publication(made)

    def unpublish(self, of: str, id: str) -> None:
        """Take a publication back."""
        publishing.unpublish(self._follows.table, self._brand, self._of(of), id)

    def published(self, of: str, *, limit: int, after: str) -> Document:
        """List what a thing published."""
        table = self._follows.table
        return _publications(publishing.published(table, self._brand, self._of(of), limit=limit, after=after))

    def feed(self, of: str, *, limit: int, after: str) -> Document:
        """List what the things published that a thing follows."""
        return _publications(publishing.feed(self._follows, self._brand, self._of(of), limit=limit, after=after))

    def _of(self, text: str) -> Thing:
        return self._thing(text, "of")

    def _thing(self, text: object, field: str) -> Thing:
        return self._audience.kinds.thing_from(text, field=field)

    def _two(self, follower: str, target: str) -> tuple[Thing, Thing]:
        return self._thing(follower, "follower"), self._thing(target, "target")

    def _kind(self, kind: str) -> str:
        return self._audience.kinds.thing(kind, "any", field="kind").kind if kind else ""


def _followed(follower: Thing, target: Thing, found: Followed) -> Document:
    told = {"follower": str(follower), "target": str(target), "state": str(found.state)}
    return {**told, "at": _moment(found.at_us), "new": found.is_new}


def _others(found: Others) -> Document:
    return {"items": [{"thing": str(one.thing), "at": _moment(one.at_us)} for one in found.items], "after": found.after}


def _publications(found: Publications) -> Document:
    return {"items": [_publication(one) for one in found.items], "after": found.after}


def _publication(one: Publication) -> Document:
    return {"thing": str(one.thing), "id": one.id, "at": instant_text(one.at_ms), "about": dict(one.about)}


def _moment(at_us: int) -> str:
    return instant_text(at_us // 1_000)
