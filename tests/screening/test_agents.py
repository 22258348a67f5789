"""What a user agent says of its sender: labels with reasons, whatever is sent."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.screening.agent_rules import FIRST, LAST, NOT_FROM_THE_LIST, PEOPLE, Rule
from footfall.screening.agents import AGENT_CHARS_MAX, NO_AGENT, REMEMBERED_MAX, Agents, known_agents
from footfall.screening.labels import Label, Reason
from footfall.screening.listed_agents import listed_rules, name_of
from footfall.screening.patterns import BadPattern, Patterns

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36"
)
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6"
    " Mobile/15E148 Safari/604.1"
)


@pytest.mark.parametrize(
    "agent",
    [
        CHROME,
        SAFARI,
        f"{SAFARI} Brave",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 30) AppleWebKit/537.36 Chrome/119.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Linux; Android 13; Spider 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36",
        "Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1",
        "NewsApp/7.1 (iPhone; iOS 18.2; Scale/3.00)",
        "NewsApp/7.1 CFNetwork/1568 Darwin/24.2.0",
        "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1),gzip(gfe) (via translate.google.com)",
        "Mozilla/5.0 (X11; Linux x86_64; rv:32.0) Gecko/20100101 Firefox/32.0,gzip(gfe) (via docs.google.com/viewer)",
        "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; .NET CLR 2.0.50727; Acme Agent; InfoPath.3)",
        "Mozilla/5.0 (hiding-agent; rv:23.0) Gecko/20100101 Firefox/23.0",
        "Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/84.0 Safari/537.36 OPR/46.0 OMI/4.21"
        " HbbTV/1.5.1 ( DRM;Acme;TV_2021;V1;50XTOOL;TV_2021;) FVC/5.0 (Acme;TV_2021;)",
        "Phone7/4.0 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Browser/5.0 UP.Link/5.1 (Acme WAP Proxy/1.0)",
        "OPR/19.0.1325.0 OMI/4.1.4.54, TV/15.99.2.1 (Acme, wired)",
        "Mozilla/5.0 (PlayStation 4 Pro 5.0)",
        "Mozilla/4.78 [ja] (Win98; U)",
        "Mozilla/3.0(WILLCOM;ACME/WX1/2;1/1/C128) NetFront/3.3",
        "SoftBank/1.0/910T/TJ001/SN123",
        "Sleipnir/2.9.9",
        "Mozilla/5.0 (Linux; Android 16; Pixel 10; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0"
        " Chrome/146.0 Mobile Safari/537.36 MetaIAB Facebook",
    ],
)
def test_people_are_people(agent: str) -> None:
    assert known_agents()[agent].label is Label.PERSON


@pytest.mark.parametrize(
    ("agent", "label", "reason", "name"),
    [
        (
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "bot",
            "search-engine",
            "Googlebot",
        ),
        ("Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)", "ai", "ai-crawler", "GPTBot"),
        ("Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)", "ai", "ai-assistant", None),
        ("Chrome Privacy Preserving Prefetch Proxy", "prefetch", "prefetcher", None),
        ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "bot", "social-preview", None),
        ("ELB-HealthChecker/2.0", "bot", "monitor", None),
        ("curl/8.5.0", "bot", "http-library", "curl"),
        (CHROME.replace("Chrome", "HeadlessChrome"), "bot", "automation", "HeadlessChrome"),
        ("Mozilla/5.0 (compatible; NeverHeardOfBot/1.0)", "bot", "says-so", ""),
        ("Somebody (mail me at me@news.example.org, Windows)", "bot", "has-contact", ""),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:10.0) Gecko/20100101 Firefox/21.0 Acme pShots", "bot", "says-so", ""),
        ("Mozilla/5.0 Firefox Windows WhoRunsThis.com", "bot", "has-contact", ""),
        ("Postman 1.3.3 rv:237 (Macintosh; Mac OS X 10.9.3; sk_SK)", "bot", "http-library", ""),
        (f"{CHROME} Time/1710630666672", "suspected", "no-browser", ""),
        # A form that is a browser's protects no name that only programs have.
        ("Mozilla/5.0 (Acmebot; X11; rv:84.0) Gecko/20100101 Firefox/84.0", "bot", "says-so", ""),
        (
            "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; .NET CLR 2.0.50727; .NET4.0C; PTST 2.386)",
            "bot",
            "automation",
            None,
        ),
        ("Thing/1.0", "suspected", "no-browser", ""),
        ("", "suspected", "no-agent", ""),
        ("-", "suspected", "no-agent", ""),
    ],
)
def test_programs_have_a_label_a_reason_and_a_name_if_there_is_one(
    agent: str, label: str, reason: str, name: str | None
) -> None:
    found = known_agents()[agent]
    assert (found.label, found.reason) == (label, reason)
    assert name is None or found.name == name


@given(st.text(max_size=3 * AGENT_CHARS_MAX))
def test_whatever_is_sent_has_one_label_and_the_same_again(agent: str) -> None:
    agents = known_agents()
    label = agents[agent]
    assert agents[agent] == label == agents.label_of(agent[:AGENT_CHARS_MAX])
    assert (label.reason is Reason.NONE) == (label.label is Label.PERSON)


@given(
    st.text(st.characters(codec="ascii"), max_size=200),
    st.sampled_from(["Googlebot/2.1", "GPTBot/1.0", "AhrefsBot/7.0"]),
)
def test_no_text_around_it_makes_a_known_program_a_person_but_an_exempted_form(around: str, program: str) -> None:
    exempted = Patterns(rule.pattern for rule in PEOPLE)
    agent = f"{around} ({program}) {around}"
    assert known_agents().label_of(agent).label is not Label.PERSON or exempted.found_in(agent)


@given(st.lists(st.text(min_size=1, max_size=8), max_size=50))
def test_what_is_remembered_is_what_is_told_without_remembering(asked: list[str]) -> None:
    agents = Agents([Rule("b", Label.BOT, Reason.SAYS_SO, "b"), Rule("^[^b]", Label.PERSON, Reason.NONE)])
    assert [agents[agent] for agent in asked] == [agents.label_of(agent) for agent in asked]


def test_memory_is_bounded_whatever_is_sent() -> None:
    agents = Agents([])
    for number in range(REMEMBERED_MAX + 10):
        assert agents[f"Thing/{number}"].label is Label.SUSPECTED
    assert len(agents) <= REMEMBERED_MAX
    held = len(agents)
    assert agents["x" * (AGENT_CHARS_MAX + 1)].reason is Reason.NO_BROWSER
    assert len(agents) == held


def test_what_follows_the_first_thousand_letters_is_not_looked_at() -> None:
    agents = Agents([Rule("bot", Label.BOT, Reason.SAYS_SO)])
    assert agents["x" * AGENT_CHARS_MAX + "bot"].label is Label.SUSPECTED
    assert agents["x" * 10 + "bot"].label is Label.BOT


def test_an_agent_is_what_the_first_rule_says_and_called_as_the_list_calls_it() -> None:
    agents = Agents([Rule("a", Label.AI, Reason.AI_CRAWLER), Rule("ab", Label.BOT, Reason.SEO, "Ab")])
    assert (agents["ab"].label, agents["ab"].reason, agents["ab"].name) == (Label.AI, Reason.AI_CRAWLER, "Ab")
    assert agents["-"] == NO_AGENT


def test_every_exception_from_the_list_is_still_on_it() -> None:
    # One that has gone would hide what a new pattern of the same text means.
    with_all = {rule.pattern for rule in listed_rules()} | NOT_FROM_THE_LIST
    assert len(with_all) == len(listed_rules()) + len(NOT_FROM_THE_LIST)
    assert len(listed_rules()) > 1_000


def test_every_rule_can_be_read_by_the_engine_and_no_pattern_is_there_twice() -> None:
    patterns = [rule.pattern for rule in (*PEOPLE, *FIRST, *listed_rules(), *LAST)]
    assert len(patterns) == len(set(patterns))
    Patterns(patterns)
    with pytest.raises(BadPattern, match=re.escape("'(?!a)'")):
        Patterns(["(?!a)"])


@pytest.mark.parametrize(
    ("pattern", "name"),
    [(r"Googlebot\/", "Googlebot"), ("[wW]get", "wget"), (r"^curl", "curl"), (r"\bFoo\.Bar\b", "Foo.Bar"), ("$", "$")],
)
def test_a_pattern_stands_for_a_name(pattern: str, name: str) -> None:
    assert name_of(pattern) == name
