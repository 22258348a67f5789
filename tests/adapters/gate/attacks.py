"""Attempts to reach an inner server through a browser, each by name; the page of a stranger has all of them in it.

Each has a loopback address of its own (127.0.1.N) to aim at, so that both the gate and the inner server can tell who
came, even when nothing but a connection was made. T stands for the aim, W for the same by WebSocket, A for its host
and port, R for a page of the stranger's that redirects there.
"""

import re
from dataclasses import dataclass

MARK = re.compile(r"(?<![A-Za-z])[ATWR](?![A-Za-z])")
ELEMENTS = {
    "img": '<img src="T">',
    "img srcset": '<img srcset="T 1x">',
    "picture source": '<picture><source srcset="T"><img></picture>',
    "input image": '<input type="image" src="T">',
    "video": '<video src="T" preload="auto"></video>',
    "video poster": '<video poster="T"></video>',
    "audio": '<audio src="T" preload="auto"></audio>',
    "embed": '<embed src="T">',
    "object": '<object data="T"></object>',
    "svg image": '<svg width="9" height="9"><image href="T" width="9" height="9"/></svg>',
    "iframe": '<iframe src="T"></iframe>',
    "iframe srcdoc": '<iframe srcdoc="<img src=T>"></iframe>',
    "iframe data": '<iframe src="data:text/html,<img src=T>"></iframe>',
    "iframe javascript": "<iframe src=\"javascript:'<img src=T>'\"></iframe>",
    "iframe sandbox": '<iframe sandbox="allow-scripts" srcdoc="<script>fetch(`T`,{mode:`no-cors`})</script>"></iframe>',
    "frame with a base": '<iframe srcdoc="<base href=T><img src=below>"></iframe>',
    "stylesheet": '<link rel="stylesheet" href="T">',
    "css import": '<style>@import url("T");</style>',
    "css background": '<div style="background:url(T);height:9px">x</div>',
    "css image-set": "<div style=\"background:image-set('T' 1x);height:9px\">x</div>",
    "css list image": '<ul style="list-style-image:url(T)"><li>x</ul>',
    "css mask": '<div style="mask-image:url(T);height:9px">x</div>',
    "css content": '<style>#c::before{content:url("T")}</style><p id="c">x</p>',
    "font": '<style>@font-face{font-family:f;src:url("T")}</style><p style="font-family:f">x</p>',
    "script": '<script src="T"></script>',
    "module": '<script type="module" src="T"></script>',
    "module import": '<script type="module">import "T"</script>',
    "preload": '<link rel="preload" as="image" href="T">',
    "modulepreload": '<link rel="modulepreload" href="T">',
    "prefetch": '<link rel="prefetch" href="T">',
    "redirected img": '<img src="R">',
    "redirected iframe": '<iframe src="R"></iframe>',
    "redirected stylesheet": '<link rel="stylesheet" href="R">',
    "redirected script": '<script src="R"></script>',
    "redirected video": '<video src="R" preload="auto"></video>',
    "redirected font": '<style>@font-face{font-family:g;src:url("R")}</style><p style="font-family:g">x</p>',
}
SCRIPTS = {
    "fetch": 'fetch("T",{mode:"no-cors"})',
    "fetch post": 'fetch("T",{mode:"no-cors",method:"POST",body:"x"})',
    "fetch with preflight": 'fetch("T",{method:"PUT",headers:{"x-y":"z"}})',
    "fetch keepalive": 'fetch("T",{mode:"no-cors",keepalive:true})',
    "redirected fetch": 'fetch("R",{mode:"no-cors"})',
    "xhr": 'const x=new XMLHttpRequest();x.open("GET","T");x.send()',
    "beacon": 'navigator.sendBeacon("T","x")',
    "event source": 'new EventSource("T")',
    "websocket": 'new WebSocket("W")',
    "webrtc turn by tcp": 'gathered("turn:A?transport=tcp")',
    "webrtc turn by tls": 'gathered("turns:A?transport=tcp")',
    "new image": 'new Image().src="T"',
    "dynamic import": 'import("T")',
    "document write": 'document.body.insertAdjacentHTML("beforeend","<img src=T>")',
    "ping": 'const a=document.createElement("a");a.href="#x";a.ping="T";document.body.append(a);a.click()',
    "worker fetch": 'new Worker(URL.createObjectURL(new Blob([`fetch("T",{mode:"no-cors"})`])))',
    "worker import": 'new Worker(URL.createObjectURL(new Blob([`importScripts("T")`])))',
    "worker websocket": 'new Worker(URL.createObjectURL(new Blob([`new WebSocket("W")`])))',
    "worker event source": 'new Worker(URL.createObjectURL(new Blob([`new EventSource("T")`])))',
    "shared worker": 'new SharedWorker(URL.createObjectURL(new Blob([`fetch("T",{mode:"no-cors"})`])))',
    "service worker": 'navigator.serviceWorker.register("/worker.js?to="+encodeURIComponent("T"))',
    "worklet": 'new OfflineAudioContext(1,1,8000).audioWorklet.addModule("T")',
    "blob frame": (
        'const f=document.createElement("iframe");document.body.append(f);'
        'f.src=URL.createObjectURL(new Blob(["<img src=T>"],{type:"text/html"}))'
    ),
    "blank frame": (
        'const f=document.createElement("iframe");document.body.append(f);f.contentWindow.fetch("T",{mode:"no-cors"})'
    ),
    "font face": 'new FontFace("h","url(T)").load()',
    "pop-up": 'window.open("T")',
    "redirected pop-up": 'window.open("R")',
    "pop-up sent on": 'const w=window.open("about:blank");w.location="T"',
    "click into a new page": (
        'const a=document.createElement("a");a.href="T";a.target="_blank";document.body.append(a);a.click()'
    ),
}
# These speak UDP, which no proxy hears of: each is a function that ends when the browser gave it up, or never.
DATAGRAMS = {
    "webrtc stun": 'gathered("stun:A")',
    "webrtc turn": 'gathered("turn:A?transport=udp")',
    "webtransport": 'new WebTransport("https://A/").ready.catch(() => 0)',
}
GATHERED = """const gathered = url => new Promise(done => {
    const line = new RTCPeerConnection({iceServers: [{urls: url, username: "u", credential: "p"}]});
    line.onicegatheringstatechange = () => line.iceGatheringState === "complete" && done();
    line.createDataChannel("x");
    line.setLocalDescription();
});"""
FRAMES = {
    "meta refresh": '<meta http-equiv="refresh" content="0;url=T">',
    "location": '<script>location="T"</script>',
    "location replace": '<script>location.replace("T")</script>',
    "form get": '<form action="T"><input name="a"></form><script>document.forms[0].submit()</script>',
    "form post": '<form method="post" action="T"><input name="a"></form><script>document.forms[0].submit()</script>',
    "form multipart": (
        '<form method="post" enctype="multipart/form-data" action="T"><input name="a"></form>'
        "<script>document.forms[0].submit()</script>"
    ),
    "redirected form": (
        '<form method="post" action="R"><input name="a"></form><script>document.forms[0].submit()</script>'
    ),
    "click": '<a id="a" href="T">x</a><script>document.getElementById("a").click()</script>',
    "body background": '<body background="T">x',
}
# Pages of the stranger that are opened as if somebody had typed them.
PAGES = {
    "moved 301": 301,
    "found 302": 302,
    "see other 303": 303,
    "temporary 307": 307,
    "permanent 308": 308,
}
HEADERS = {
    "refresh header": ("Refresh", "0;url=T"),
    "link header": ("Link", "<T>; rel=preload; as=image"),
    "csp report": ("Content-Security-Policy", "img-src 'none'; report-uri T"),
}
SPELLINGS = (
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "017700000001", "0x7f.1",
    "0177.0x0.1", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "127.0.0.1.", "0.0.0.0", "0", "[::]", "[::1]",
    "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "localhost", "LOCALHOST",
    "localhost.", "inner.localhost", "attack.example@127.0.0.1", "attack.example:80@127.0.0.1", "\t127.0.0.1",
    "loopback.example", "LOOPBACK.example.", "mixed.example", "mapped.example", "six.example", "any.example",
    "private.example", "metadata.example", "nat64.example", "tunnel.example",
)  # fmt: skip
OTHER_FORMS = (
    "view-source:http://127.0.0.1:PORT/typed", "http:127.0.0.1:PORT/typed", "http:/127.0.0.1:PORT/typed",
    "http:\\\\127.0.0.1:PORT\\typed", "HTTP://127.0.0.1:PORT/typed?x",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attack:
    """One attempt and what it aims at."""

    name: str
    host: str  # 127.0.1.N
    port: int

    def filled(self, template: str) -> str:
        """Return the template with the aim in it."""
        aim = f"//{self.host}:{self.port}/{self.name.replace(' ', '-')}"
        meant = {
            "A": f"{self.host}:{self.port}",
            "T": f"http:{aim}",
            "W": f"ws:{aim}",
            "R": f"/redirect/302?http:{aim}",
        }
        return MARK.sub(lambda found: meant[found[0]], template)


def attacks(port: int) -> dict[str, Attack]:
    """Return every attempt that has an address of its own, by its name."""
    names = [*ELEMENTS, *SCRIPTS, *FRAMES, *PAGES, *HEADERS, *DATAGRAMS]
    assert len(names) == len(set(names)) < 250
    return {name: Attack(name, f"127.0.1.{number}", port) for number, name in enumerate(names, start=1)}


def page_with_all(known: dict[str, Attack]) -> str:
    """Return the page of a stranger."""
    elements = [known[name].filled(template) for name, template in ELEMENTS.items()]
    frames = [f'<iframe src="/frame/{known[name].host}"></iframe>' for name in FRAMES]
    scripts = [
        f"<script>try{{(()=>{{{known[name].filled(code)}}})()}}catch(e){{}}</script>" for name, code in SCRIPTS.items()
    ]
    start = f"<!doctype html><title>attack</title><script>{GATHERED}</script><body>"
    return start + "\n".join([*elements, *frames, *scripts])


def datagrams(known: dict[str, Attack]) -> str:
    """Return a script that sends what no proxy hears of, and ends when the browser gave all of it up."""
    tries = ", ".join(known[name].filled(code) for name, code in DATAGRAMS.items())
    return f"(() => {{ {GATHERED} return Promise.all([{tries}]).then(() => 0); }})()"
