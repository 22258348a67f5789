"""The demo's readers: a newsroom that does not exist and the people who would read it.

Everything follows from a seed and a moment, nothing from what was asked before, so that a demo can be repeated
hit for hit. Stories appear all day, age, and share readers as Zipf found words to share a text; now and then one
goes viral, rises within minutes and falls over an hour.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import Final

from footfall.values.errors import Refused
from footfall.values.window import HOUR_MS, MINUTE_MS, SECOND_MS, zone_named

ASSETS_MAX = 100_000  # Some 120 MB of stories, two seconds to invent them and a tenth of one for each step.
SECTIONS_MAX = 500
STEP_MS = 10 * SECOND_MS  # How often the stories' weights are reckoned anew.
STORY_EVERY_MS = 4 * MINUTE_MS
HALF_LIFE_MS = 6 * HOUR_MS
EVERGREEN_SHARE = 0.03  # What a story keeps of its readers when its day is over.
SURGE_EVERY_MS = 45 * MINUTE_MS
SURGE_RISE_MS = 4 * MINUTE_MS
SURGE_HALF_LIFE_MS = 10 * MINUTE_MS
SURGE_ENDS_MS = 90 * MINUTE_MS
READERS = 40_000

Hit = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Story:
    """An invented asset with its labels."""

    asset_id: str
    title: str
    section_id: int
    section: str
    resource_type: str
    paid_type: str
    url: str
    published_at_ms: int


@dataclass(frozen=True, slots=True)
class Surge:
    """A story's viral hour; at its height it draws so many readers on top, as a share of the usual number."""

    asset_id: str
    from_ms: int
    share: float


class ImpossibleNewsroom(Refused, ValueError):
    """A newsroom of that size cannot be invented."""


class Newsroom:
    """One brand's invented stories and readers; `assets` is how many stories are read at a time."""

    def __init__(self, seed: int, *, brand: str, assets: int = 400, sections: int = 12) -> None:
        if not 1 <= assets <= ASSETS_MAX:
            raise ImpossibleNewsroom("assets", f"{assets} stories were asked for; ask for 1 to {ASSETS_MAX}")
        if not 1 <= sections <= SECTIONS_MAX:
            raise ImpossibleNewsroom("sections", f"{sections} sections were asked for; ask for 1 to {SECTIONS_MAX}")
        self._seed = seed
        self._brand = brand
        self._assets = assets
        self._sections = _sections(sections)
        # A larger newsroom publishes more often, so that its stories, too, are read for about a day.
        self._story_every_ms = max(1, STORY_EVERY_MS * 400 // assets)
        chance = self._chance("readers")
        self._readers = [f"reader-{chance.getrandbits(48):012x}" for _ in range(READERS)]
        self._stories: dict[int, Story] = {}
        self._ranks: dict[int, list[int]] = {}
        self._step = -1
        self._templates: list[Hit] = []
        self._cumulative: list[float] = []

    def hits(self, at_ms: int, count: int) -> list[Hit]:
        """Return so many hits of the moment, as `POST /v1/hits` takes them; a caller may add `at` to each."""
        step = at_ms // STEP_MS
        if step != self._step:
            self._move_to(step)
        chance = self._chance("hits", at_ms)
        templates = chance.choices(self._templates, cum_weights=self._cumulative, k=count)
        readers = chance.choices(self._readers, k=count)
        own = f"https://{self._brand}.example/"
        came_from = chance.choices(_REFERRERS, cum_weights=_REFERRER_WEIGHTS, k=count)
        referrers = [own if one is _FRONT_PAGE else one for one in came_from]
        return [
            {**template, "referrer": referrer, "visitor": reader}
            for template, referrer, reader in zip(templates, referrers, readers, strict=True)
        ]

    def rate_at(self, at_ms: int, *, mean_per_s: float, zone: str) -> float:
        """Return how many hits a second the hour of the week brings, around a week's mean."""
        return mean_per_s * _rhythm(at_ms, zone)

    def stories(self, at_ms: int) -> list[Story]:
        """Return the stories that are read at the moment, oldest first."""
        return [self._story(number) for number in self._numbers(at_ms)]

    def surges(self, at_ms: int) -> list[Surge]:
        """Return the viral hours that the moment is in, oldest first."""
        slot = at_ms // SURGE_EVERY_MS
        started = [self._surge(one) for one in range(slot - SURGE_ENDS_MS // SURGE_EVERY_MS - 1, slot + 1)]
        return [surge for surge in started if surge.from_ms <= at_ms < surge.from_ms + SURGE_ENDS_MS]

    def _chance(self, *purpose: str | int) -> random.Random:
        """Return a source of chance of its own for each purpose, so that none depends on what another drew."""
        return random.Random(f"{self._seed}/{self._brand}/{'/'.join(map(str, purpose))}")  # noqa: S311 - a demo

    def _numbers(self, at_ms: int) -> range:
        newest = at_ms // self._story_every_ms
        return range(newest - self._assets + 1, newest + 1)

    def _move_to(self, step: int) -> None:
        at_ms = step * STEP_MS
        numbers = self._numbers(at_ms)
        stories = [self._story(number) for number in numbers]
        weights = [
            self._interest(number) * _freshness(at_ms - story.published_at_ms)
            for number, story in zip(numbers, stories, strict=True)
        ]
        usual = sum(weights)
        places = {story.asset_id: place for place, story in enumerate(stories)}
        for surge in self.surges(at_ms):
            # In a small newsroom a story may leave the list before its hour is over.
            if surge.asset_id in places:
                weights[places[surge.asset_id]] += usual * surge.share * _excitement(at_ms - surge.from_ms)
        self._step = step
        self._templates = [_template(self._brand, story) for story in stories]
        self._cumulative = list(accumulate(weights))

    def _interest(self, number: int) -> float:
        """Return a story's share of attention: of as many stories as are read at a time each has another rank."""
        block, place = divmod(number, self._assets)
        if block not in self._ranks:
            # The stories of one moment lie in two blocks; those of other moments are not worth their room.
            if len(self._ranks) >= 4:
                self._ranks.clear()
            ranks = list(range(1, self._assets + 1))
            self._chance("ranks", block).shuffle(ranks)
            self._ranks[block] = ranks
        return 1 / self._ranks[block][place]

    def _surge(self, slot: int) -> Surge:
        chance = self._chance("surge", slot)
        from_ms = slot * SURGE_EVERY_MS + chance.randrange(SURGE_EVERY_MS // STEP_MS) * STEP_MS
        # One of the newer stories, which still has time to rise.
        number = self._numbers(from_ms)[-1] - chance.randrange(max(1, self._assets // 4))
        return Surge(self._story(number).asset_id, from_ms=from_ms, share=chance.uniform(0.3, 0.6))

    def _story(self, number: int) -> Story:
        if number not in self._stories:
            if len(self._stories) >= 2 * self._assets + 1_000:
                self._stories.clear()
            self._stories[number] = self._invented(number)
        return self._stories[number]

    def _invented(self, number: int) -> Story:
        chance = self._chance("story", number)
        # The first sections are the large ones.
        section_id, section = self._sections[int(len(self._sections) * chance.random() ** 1.6)]
        resource_type = "recipe" if section == "Food" and chance.random() < 0.5 else _one(chance, _RESOURCE_TYPES)
        title = _title(chance, resource_type)
        asset_id = str(100_000_000 + number * 7 + chance.randrange(7))
        slug = "-".join(re.findall(r"[a-z0-9]+", title.lower()))
        return Story(
            asset_id=asset_id,
            title=title,
            section_id=section_id,
            section=section,
            resource_type=resource_type,
            paid_type=_one(chance, _PAID_TYPES),
            url=f"https://{self._brand}.example/{section.lower().replace(' ', '-')}/{slug}-{asset_id}",
            published_at_ms=number * self._story_every_ms,
        )


def _template(brand: str, story: Story) -> Hit:
    return {
        "brand": brand,
        "assetId": story.asset_id,
        "sectionId": story.section_id,
        "resourceType": story.resource_type,
        "paidType": story.paid_type,
        "url": story.url,
    }


def _freshness(age_ms: int) -> float:
    return EVERGREEN_SHARE + (1 - EVERGREEN_SHARE) * 0.5 ** (age_ms / HALF_LIFE_MS)


def _excitement(since_ms: int) -> float:
    """Return how far a surge has come: up to 1 within minutes, down again by halves."""
    if since_ms < SURGE_RISE_MS:
        return (since_ms / SURGE_RISE_MS) ** 2
    return 0.5 ** ((since_ms - SURGE_RISE_MS) / SURGE_HALF_LIFE_MS)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# How busy each hour of a working day begins: asleep at four, then breakfast, lunch and the evening.
_HOURS = (45, 28, 18, 13, 12, 20, 52, 104, 128, 112, 100, 108, 138, 124, 102, 98, 104, 116, 126, 138, 150, 146, 118, 78)
_WEEKEND = 0.8
_WEEKEND_MORNING = 0.55  # People sleep longer.
_SATURDAY = 5
_FORENOON = range(5, 10)


@lru_cache(maxsize=1)
def _week() -> tuple[float, ...]:
    """Return how busy each hour of a week from Monday begins, the whole week's mean being 1."""
    hours = [
        busy * (1.0 if day < _SATURDAY else _WEEKEND_MORNING if hour in _FORENOON else _WEEKEND)
        for day in range(7)
        for hour, busy in enumerate(_HOURS)
    ]
    mean = sum(hours) / len(hours)
    return tuple(hour / mean for hour in hours)


def _rhythm(at_ms: int, zone: str) -> float:
    local = (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(zone_named(zone))
    hour = local.weekday() * 24 + local.hour
    passed = (local.minute * 60 + local.second) / 3_600
    week = _week()
    return week[hour] * (1 - passed) + week[(hour + 1) % len(week)] * passed


def _sections(count: int) -> list[tuple[int, str]]:
    names = [*_SECTIONS, *(f"District {n}" for n in range(1, count + 1))][:count]
    return [(501 + 31 * place, name) for place, name in enumerate(names)]


def _one(chance: random.Random, weighted: Sequence[tuple[str, int]]) -> str:
    return chance.choices([word for word, _ in weighted], [weight for _, weight in weighted])[0]


def _title(chance: random.Random, resource_type: str) -> str:
    if resource_type == "recipe":
        return f"{chance.choice(_MANNERS)} {chance.choice(_DISHES)} with {chance.choice(_SIDES)}"
    told = f"{chance.choice(_WHO)} {chance.choice(_DID)} {chance.choice(_WHAT)}"
    if resource_type == "video":
        return f"Watch: {told}"
    if resource_type == "gallery":
        return f"In pictures: {chance.choice(_WHAT)} in {chance.choice(_PLACES)}"
    return f"{told} {chance.choice(_WHEN)}" if chance.random() < 0.5 else f"{told} in {chance.choice(_PLACES)}"


_RESOURCE_TYPES: Final = (("article", 80), ("video", 13), ("gallery", 7))
_PAID_TYPES: Final = (("free", 55), ("metered", 30), ("paid", 15))
_SECTIONS: Final = (
    *("News", "Politics", "Sports", "Economy", "Culture", "Food", "Science", "Travel", "Homes", "Health"),
    *("Opinion", "Weather"),
)
_FRONT_PAGE: Final = "the brand's own"
_REFERRERS: Final = (
    *("", _FRONT_PAGE, "https://www.google.com/", "https://www.google.fi/", "https://l.facebook.com/"),
    *("https://t.co/", "android-app://com.google.android.googlequicksearchbox/", "https://news.google.com/"),
    *("https://www.bing.com/", "https://out.reddit.com/", "https://mail.example/newsletter", "https://chatgpt.com/"),
)
_REFERRER_WEIGHTS: Final = (26, 48, 70, 74, 81, 86, 91, 94, 96, 97, 99, 100)
_PLACES: Final = (
    *("Harborough Sands", "Millbrook", "Lower Fenwick", "Eastmere", "Saint Orla", "Pinevale", "Kestrel Bay"),
    *("Old Quarry", "Northgate", "Windle", "Marrow Hill", "the Tarn Valley"),
)
_WHO: Final = (
    *("The town council", "A retired teacher", "Two neighbours", "The ferry line", "A school choir", "The old mill"),
    *("The coast guard", "A young goalkeeper", "The bakers' guild", "Commuters", "The night shift", "A beekeeper"),
    *("Researchers", "The tram drivers", "A family of otters", "The museum", "Volunteers", "The home side"),
)
_DID: Final = (
    *("won back", "gave up on", "rescued", "decided on", "returned to", "opened", "counted the cost of", "saved"),
    *("found a way around", "waited for", "celebrated", "explained", "rebuilt", "said goodbye to", "argued over"),
)
_WHAT: Final = (
    *("the lighthouse", "a new bridge", "the winter market", "the last bus", "a lost violin", "the swimming hall"),
    *("the river path", "an empty factory", "the summer timetable", "a record harvest", "the derby", "a hidden garden"),
    *("the water bill", "the longest night", "a stubborn elk", "the reading room", "the first snow", "cheap flats"),
)
_WHEN: Final = (
    *("after ten years", "before the holidays", "for the third time", "against all odds", "in a single evening"),
    *("without a word", "once more", "despite the rain"),
)
_MANNERS: Final = ("Slow", "Crisp", "Smoky", "Ten-minute", "Grandmother's", "Sunday", "One-pot", "Golden")
_DISHES: Final = ("barley stew", "potato cakes", "rye buns", "bean soup", "mushroom pie", "baked apples", "flatbread")
_SIDES: Final = ("dill", "browned butter", "pickled beets", "sour cream", "lingonberries", "roast onions", "honey")
