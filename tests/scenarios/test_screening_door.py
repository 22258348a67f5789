"""The door's rules on a running instance: pages are judged, servers are not, and operators say whom to block."""

import getpass
import json
import re
from pathlib import Path
from typing import Any

from footfall.app import control_socket
from footfall.client import Footfall, Options, Page
from footfall.client.pages import Rules, View, count_page
from tests.scenarios.instance import Instance, Starter, footfall
from tests.scenarios.test_privacy_scan import contents

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
PAGE = "https://www.example.com"


def told(instance: Instance, do: str, **more: Any) -> Any:
    return control_socket.ask(instance.data, {"do": do, "brand": "abc", **more}, lambda _share: None)


def reader(address: str, agent: str = FIREFOX, **more: str) -> dict[str, str]:
    return {"User-Agent": agent, "X-Forwarded-For": address, "Origin": PAGE, **more}


def see(instance: Instance, headers: dict[str, str], **fields: Any) -> None:
    assert instance.post({"brand": "abc", "assetId": "1", **fields}, headers).status == 202


def test_pages_are_judged_and_servers_are_not(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data")
    see(instance, reader("203.0.113.1"))
    see(instance, reader("203.0.113.2", GOOGLEBOT))
    see(instance, reader("203.0.113.3", **{"Sec-Purpose": "prefetch;prerender"}))
    see(instance, reader("203.0.113.4"), client="true,1920,GMT+0200")
    see(instance, reader("203.0.113.5"), client="false,0,GMT+0200")
    see(instance, reader("203.0.113.6"), referrer="https://semalt.com/")
    see(instance, {"User-Agent": "python-requests/2.32"})  # No page: a server, which is not its readers.
    assert instance.call("GET", "/v1/pixel.gif?brand=abc&asset=1", headers={"User-Agent": GOOGLEBOT}).status == 200
    for _ in range(12):
        see(instance, reader("203.0.113.7", **{"Sec-GPC": "1"}), assetId="2")
    book = instance.drained("abc")
    assert book["screened"] == {
        "bot-agent": 2,
        "headless": 1,
        "impossible-client": 1,
        "prefetch": 1,
        "referrer-spam": 1,
        "reload": 2,
    }


def test_the_client_says_who_reads_and_the_server_judges_and_forgets_it(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data")
    listed = (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 PTST/1.0"
    )
    asked = {"sec-fetch-dest": "document"}
    html = {"content-type": "text/html"}
    with Footfall(instance.url, brand="abc", options=Options(linger_ms=50)) as client:
        for agent in (FIREFOX, listed):
            view = View("GET", f"{PAGE}/story", {**asked, "user-agent": agent}, 200, html)
            count_page(client, lambda view=view: view, page_of=lambda: Page(asset=1), rules=Rules())
        client.hit(1, agent=GOOGLEBOT)
        client.hit(1)
        assert client.flush()
    book = instance.drained("abc")
    assert (book["counted"], book["screened"]) == (2, {"bot-agent": 2})
    instance.terminate()
    assert not [path for path, content in contents(instance.data) if b"PTST" in content or b"Googlebot" in content]


def test_operators_bring_lists_and_rules_while_it_runs(starter: Starter, tmp_path: Path) -> None:
    instance = starter.start(starter.folder / "data")
    data = ("--data", str(instance.data))
    networks, countries = tmp_path / "clouds.txt", tmp_path / "countries.csv"
    networks.write_text("# clouds\n198.51.100.0/24\n", encoding="utf-8")
    countries.write_text("192.0.2.0/24,FI\n", encoding="utf-8")
    see(instance, reader("198.51.100.1"))
    brought = footfall("lists", "update", str(networks), *data)
    assert (brought.returncode, "data-centres has 1 entries now (version 1)" in brought.stdout) == (0, True)
    see(instance, reader("198.51.100.1"))
    refused = footfall("rules", "add", *data, "--brand", "abc", "--country", "FI")
    assert (refused.returncode, "no file of countries" in refused.stderr) == (4, True), refused
    assert footfall("lists", "update", str(countries), *data).returncode == 0
    assert footfall("rules", "add", *data, "--brand", "abc", "--country", "FI").returncode == 0
    added = footfall("rules", "add", *data, "--brand", "abc", "--path", "/preview/*", "--address", "203.0.113.0/28")
    assert "from now on" in added.stderr
    assert "addresses are not stored" in added.stderr
    see(instance, reader("192.0.2.1"))
    see(instance, reader("203.0.113.1"))
    see(instance, reader("203.0.113.99"), url="https://www.example.com/preview/1")
    assert footfall("rules", "off", *data, "--brand", "abc").returncode == 0
    see(instance, reader("203.0.113.1"))
    book = instance.drained("abc")
    assert book["screened"] == {"data-centre": 1, "rule-address": 1, "rule-country": 1, "rule-path": 1}
    shown = json.loads(footfall("lists", "show", *data, "--json").stdout)["lists"]
    assert [(one["list"], one["entries"], one["by"]) for one in shown] == [
        ("countries", 1, f"command line, user {getpass.getuser()}"),
        ("data-centres", 1, f"command line, user {getpass.getuser()}"),
    ]
    assert "data-centres" in footfall("lists", "history", *data).stdout
    assert footfall("audit", *data, "--brand", "abc").stdout.count("rules-changed") == 3
    instance.terminate()
    rules = json.loads(footfall("rules", "show", *data, "--brand", "abc", "--json").stdout)
    assert (rules["version"], rules["isOn"], rules["countries"]) == (3, False, ["FI"])
    misspelt = footfall("rules", "add", *data, "--brand", "acb", "--path", "/x")
    assert (misspelt.returncode, "'acb' is not a brand here" in misspelt.stderr) == (4, True)


def test_a_file_that_is_wrong_changes_nothing_and_says_which_line(starter: Starter, tmp_path: Path) -> None:
    wrong = tmp_path / "spam.txt"
    wrong.write_text("spam.example\nhttps://spam.example/\n", encoding="utf-8")
    refused = footfall("lists", "update", str(wrong), "--data", str(tmp_path / "data"))
    assert (refused.returncode, "line 2" in refused.stderr) == (4, True)
    missing = footfall("lists", "update", str(tmp_path / "none.txt"), "--data", str(tmp_path / "data"))
    assert (missing.returncode, "cannot be read" in missing.stderr) == (1, True)


def test_administrators_change_rules_over_http(starter: Starter) -> None:
    instance = starter.start(starter.folder / "data", dev=False)
    public = told(instance, "brands-add")["publicKey"]
    made = told(instance, "keys-add", kind="secret", scopes=["admin"])
    writer = told(instance, "keys-add", kind="secret", scopes=["write"])["key"]
    admin = {"Authorization": f"Bearer {made['key']}"}
    assert instance.call("GET", "/v1/rules", headers=admin).json()["version"] == 0
    wanted = {"addresses": ["203.0.113.0/24"], "agents": ["ExampleReader"]}
    put = instance.call("PUT", "/v1/rules", json.dumps(wanted).encode(), admin)
    assert (put.status, put.json()["version"], put.json()["by"]) == (200, 1, made["id"])
    for wrong in (b'{"addresses":["203.0.113.1/24"]}', b"", b"[]", b'{"adresses":[]}'):
        assert instance.call("PUT", "/v1/rules", wrong, admin).status == 400
    assert instance.call("PUT", "/v1/rules", b"{}", {"Authorization": f"Bearer {writer}"}).status == 403
    hit = b'{"assetId":"1"}'
    for address, agent in (("203.0.113.9", FIREFOX), ("192.0.2.1", "ExampleReader/1"), ("192.0.2.2", FIREFOX)):
        headers = {"User-Agent": agent, "X-Forwarded-For": address}
        assert instance.call("POST", f"/v1/hits?key={public}", hit, headers).status == 202
    batch = json.dumps([{"assetId": "1"}] * 20).encode()
    assert instance.call("POST", "/v1/hits", batch, {**admin, "User-Agent": "ExampleReader/1"}).status == 202
    answer = {"screened": None, "inFlight": 1}
    while answer["inFlight"]:
        answer = instance.call("GET", "/v1/ledger", headers=admin).json()
    assert answer["screened"] == {"rule-address": 1, "rule-agent": 1}


def test_what_the_door_remembers_of_readers_is_in_no_file(starter: Starter, data: Path) -> None:
    instance = starter.start(data, "--log-level", "debug")
    agent = "Mozilla/5.0 (X11; Quokka; rv:132.0) Gecko/20100101 Firefox/132.0"
    for number in range(30):
        privacy = {"Sec-GPC": "1"} if number % 2 else {}
        see(instance, reader("203.0.113.222", agent, **privacy), client="false,23451,GMT+0200")
        batch = [{"brand": "abc", "assetId": "1", "agent": agent, "visitor": "marsupial", "client": "23451"}]
        assert instance.post(batch).status == 202
    assert instance.drained("abc")["screened"]["reload"] > 20
    instance.terminate()
    # A moment in milliseconds may have the same digits among its own.
    searched = re.compile(rb"203\.0\.113\.222|Quokka|marsupial|(?<!\d)23451(?!\d)")
    assert [(name, found) for name, content in contents(data) for found in searched.findall(content)] == []
    assert not searched.search(instance.log.read_bytes())
