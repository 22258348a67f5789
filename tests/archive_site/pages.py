"""The pages that have to be complete: images that come only to whoever scrolls, and what lies over them."""

from tests.archive_site.images import BAND_PX, HEIGHT_PX, WIDTH_PX, band_colour

STYLE = "body{margin:0;font:18px/1.5 sans-serif}img,.photo{display:block;margin:0 auto 75px}p{margin:20px 200px}"
SIZE = f'width="{WIDTH_PX}" height="{HEIGHT_PX}"'
WORDS = "The harbour was quiet when the first boats came back, and the town went to sleep before the lamps were out. "
LATE = 'loading="lazy" src="/image/{}"'
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def page(title: str, body: str, *, head: str = "", style: str = "") -> str:
    """Return a document."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f"<style>{STYLE}{style}</style></head><body>{body}</body></html>"
    )


def photos(count: int, attributes: str = 'src="/image/{}"') -> str:
    """Return so many images with their attributes."""
    return "".join(f"<img {SIZE} {attributes.format(number)}>" for number in range(count))


def article(count: int, *, is_edited: bool = False) -> str:
    """Return a story with some images, which lie in it as it is sent."""
    added = "<p>A sentence that was not there before, and changes what the story says.</p>" if is_edited else ""
    body = f"<h1>The boats came back</h1><p>{WORDS * 4}</p>{added}"
    body += "".join(f"<p>{WORDS * 5}</p><img {SIZE} src='/image/{number}'>" for number in range(count))
    return page("The boats came back", body, head='<link rel="canonical" href="/article">')


def lazy(count: int) -> str:
    """Return images that the browser itself fetches late."""
    return page("Lazy", photos(count, LATE))


def observer(count: int, *, style: str = "") -> str:
    """Return images that a script fetches once they are seen."""
    script = """<script>
      const watch = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) {
        one.target.src = one.target.dataset.src; watch.unobserve(one.target); } });
      for (const one of document.images) watch.observe(one);
    </script>"""
    return page("Observer", photos(count, f'src="{PIXEL}" data-src="/image/{{}}"') + script, style=style)


def scroll(count: int) -> str:
    """Return backgrounds that a script fetches when a reader has stopped scrolling for 80 ms."""
    boxes = "".join(
        f'<div class="photo" data-url="/image/{number}" style="width:{WIDTH_PX}px;height:{HEIGHT_PX}px"></div>'
        for number in range(count)
    )
    script = """<script>
      let timer;
      const look = () => { for (const one of document.querySelectorAll(".photo")) {
        const at = one.getBoundingClientRect();
        if (at.top < innerHeight && at.bottom > 0) one.style.backgroundImage = `url(${one.dataset.url})`; } };
      addEventListener("scroll", () => { clearTimeout(timer); timer = setTimeout(look, 80); });
      look();
    </script>"""
    return page("Scroll", boxes + script)


def styled() -> str:
    """Return a page that owes its looks to sheets that scripts made, of which no tag holds a rule."""
    script = """<script>
      made.sheet.insertRule("#a{background:#225588;height:100px}");
      made.sheet.insertRule("@media (min-width:600px){#a{width:333px}}", 1);
      const sheet = (text) => { const one = new CSSStyleSheet(); one.replaceSync(text); return one; };
      document.adoptedStyleSheets = [sheet("#b{background:#882255;height:120px}"), sheet("#b{height:60px}")];
      const root = c.attachShadow({ mode: "open" });
      root.innerHTML = "<p>within</p><slot></slot>";
      root.adoptedStyleSheets = [sheet("p{background:#558822;height:90px}")];
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = URL.createObjectURL(new Blob(["#d{background:#cc8800;height:70px}"], { type: "text/css" }));
      document.head.append(link);
    </script>"""
    boxes = '<div id="a"></div><div id="b">&lt;b&gt; &amp; b</div><div id="c">slotted</div><div id="d"></div>'
    return page("Styled", boxes + script, head='<style id="made">#d{width:444px}</style>')


def nameless() -> str:
    """Return frames whose documents have no address: written into them, made by a script, or given as an attribute."""
    script = """<script>
      one.contentDocument.body.innerHTML = '<h1 style="color:#224488">made</h1><img width=80 src="/image/0">';
      two.contentDocument.open();
      two.contentDocument.write("<style>p{background:#884422}</style><p>written &amp; kept</p>");
      two.contentDocument.close();
      const kind = { type: "text/html" };
      three.src = URL.createObjectURL(new Blob(["<!DOCTYPE html><p style='color:#228844'>blob"], kind));
      four.onload = () => { const text = four.contentDocument.querySelector("p"); if (text) text.append(" and more"); };
      four.srcdoc = "<!DOCTYPE html><p>given</p><iframe srcdoc='<p>within'></iframe>";
    </script>"""
    return page("Nameless", "".join(f'<iframe id="{id}"></iframe>' for id in ("one", "two", "three", "four")) + script)


def late(count: int) -> str:
    """Return backgrounds as `scroll` has them, of a script that listens once its reader has been at the end."""
    end = """<div id="end">The end</div><script>
      new IntersectionObserver((seen, watch) => { if (seen[0].isIntersecting && scrollY > 0) { watch.disconnect();
        addEventListener("scroll", () => { clearTimeout(timer); timer = setTimeout(look, 80); }); } }).observe(end);
    </script>"""
    return scroll(count).replace('addEventListener("scroll"', 'void ("scroll"').replace("</body>", f"{end}</body>")


def onload(count: int) -> str:
    """Return images that are seen to once the page has loaded, which the first keeps it from for a while."""
    first = f'<img {SIZE} src="/image/0?ms=2500">'
    rest = "".join(f'<img {SIZE} src="{PIXEL}" data-src="/image/{number}">' for number in range(1, count))
    script = """<script>
      const watch = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting)
        one.target.src = one.target.dataset.src; });
      onload = () => { for (const one of document.querySelectorAll("[data-src]")) watch.observe(one); };
    </script>"""
    return page("Onload", first + rest + script)


def unsized(count: int) -> str:
    """Return images whose size nobody knows before they are there, the first of them late."""
    return observer(count).replace(f" {SIZE}", "").replace('data-src="/image/0"', 'data-src="/image/0?ms=2500"')


def infinite(count: int, *, batch: int = 4, delay_ms: int = 300) -> str:
    """Return a list that asks for more when its end is near."""
    script = f"""<script>
      let at = 0, isAsking = false;
      const more = async () => {{
        if (isAsking || at >= {count}) return;
        isAsking = true;
        const numbers = await (await fetch(`/more?from=${{at}}&n={batch}&ms={delay_ms}`)).json();
        for (const number of numbers) if (number < {count}) {{
          const one = new Image({WIDTH_PX}, {HEIGHT_PX}); one.src = `/image/${{number}}`; list.append(one); }}
        at += {batch}; isAsking = false; look();
      }};
      const look = () => {{ if (innerHeight + scrollY > document.documentElement.scrollHeight - 300) more(); }};
      addEventListener("scroll", look); more();
    </script>"""
    return page("Infinite", f'<div id="list"></div>{script}')


def frames(count: int, other: str) -> str:
    """Return frames that come late, every other one of another site."""
    return page(
        "Frames",
        "".join(
            f'<iframe loading="lazy" width="{WIDTH_PX + 20}" height="{HEIGHT_PX + 20}" '
            f'src="{other if number % 2 else ""}/framed/{number}"></iframe><br>'
            for number in range(count)
        ),
    )


def framed(number: int) -> str:
    """Return the page in a frame."""
    return page(f"Framed {number}", f'<img {SIZE} src="/image/{number}" style="margin:0">')


def inner(count: int) -> str:
    """Return a page as high as its window, with a list in it that scrolls by itself."""
    style = "html,body{height:100%;overflow:hidden}#app{height:100vh;display:flex}#list{overflow:auto;flex:1}"
    script = """<script>
      list.addEventListener("scroll", () => { clearTimeout(window.timer); window.timer = setTimeout(look, 60); });
      const look = () => { for (const one of document.images) if (one.getBoundingClientRect().top < innerHeight * 1.2)
        one.src = one.dataset.src; };
      look();
    </script>"""
    images = photos(count, f'src="{PIXEL}" data-src="/image/{{}}"')
    return page("Inner", f'<div id="app"><div id="list">{images}</div></div>{script}', style=style)


def sticky(count: int) -> str:
    """Return a page with a header that stays, a bar that asks for consent and a bubble in the corner."""
    style = """
      header{position:sticky;top:0;height:90px;background:#123456;color:#fff}
      .bar{position:fixed;bottom:0;left:0;right:0;height:120px;background:#654321;color:#fff}
      .bubble{position:fixed;right:30px;bottom:150px;width:80px;height:80px;background:#abcdef}
    """
    over = '<div class="bar">We use cookies. <button>Accept</button></div><div class="bubble"></div>'
    return page("Sticky", f"<header>News</header>{photos(count, LATE)}{over}", style=style)


def modal(count: int) -> str:
    """Return a page that a dialog over it keeps from being scrolled."""
    style = """
      html.locked,html.locked body{overflow:hidden}
      .modal{position:fixed;inset:0;background:rgba(0,0,0,.4)}.box{margin:200px auto;width:300px;background:#fff}
    """
    script = '<script>document.documentElement.classList.add("locked")</script>'
    box = '<div class="modal"><div class="box">Your privacy matters. <button>Agree</button></div></div>'
    return page("Modal", f"{photos(count, LATE)}{box}{script}", style=style)


def tall(height_px: int) -> str:
    """Return bands of colour, no two alike."""
    bands = "".join(
        f'<div style="height:{min(BAND_PX, height_px - top)}px;background:rgb{band_colour(top // BAND_PX)}"></div>'
        for top in range(0, height_px, BAND_PX)
    )
    return page("Tall", bands)


def hero(count: int) -> str:
    """Return a first screen that is as high as the window, whatever the window."""
    style = ".hero{height:100vh;background:#557755}"
    return page("Hero", f'<div class="hero"></div>{photos(count, LATE)}', style=style)


def slow(ms: int) -> str:
    """Return an image that takes its time, and one that does not."""
    return page("Slow", f'{photos(1)}<img {SIZE} src="/image/1?ms={ms}">')


def hanging() -> str:
    """Return an image that never comes, and one that does."""
    return page("Hanging", f'{photos(2)}<img {SIZE} src="/never">')


def polling() -> str:
    """Return a page that asks for something all the time."""
    return page("Polling", f'{photos(2)}<script>setInterval(() => fetch("/more?from=0&n=1"), 100)</script>')


def dialogs() -> str:
    """Return a page that speaks to its reader in windows."""
    return page("Dialogs", f'<script>alert("a");confirm("b");prompt("c")</script>{photos(2)}')


def sources(count: int) -> str:
    """Return images in pictures with several sources."""
    wide = "".join(
        f'<picture><source media="(min-width:900px)" srcset="/image/{number}"><img {SIZE} loading="lazy" src="/never">'
        "</picture>"
        for number in range(count)
    )
    return page("Sources", wide)


def shadow(count: int) -> str:
    """Return images that components draw within themselves."""
    script = f"""<script>
      customElements.define("late-photo", class extends HTMLElement {{ connectedCallback() {{
        const root = this.attachShadow({{ mode: "open" }});
        new IntersectionObserver((seen, watch) => {{ if (seen[0].isIntersecting) {{ watch.disconnect();
          root.innerHTML = `<img {SIZE} src="/image/${{this.dataset.number}}">`; }} }}).observe(this);
      }} }});
    </script>"""
    box = f"display:block;margin:0 auto 75px;width:{WIDTH_PX}px;height:{HEIGHT_PX}px"
    boxes = "".join(f'<late-photo data-number="{number}" style="{box}"></late-photo>' for number in range(count))
    return page("Shadow", boxes + script)


def smooth(count: int) -> str:
    """Return a page whose style lets scrolling take its time."""
    return observer(count, style="html{scroll-behavior:smooth}")


def streaming() -> str:
    """Return a page that listens to an answer without an end, and shows what else it has."""
    return page("Streaming", f'{photos(1)}<script>fetch("/endless/slow")</script>')


def popups() -> str:
    """Return a page that opens windows."""
    return page("Pop-ups", f'<script>for (let n = 0; n < 5; n++) open("/article")</script>{photos(2)}')


def wide() -> str:
    """Return a page that is far wider than a window."""
    return page("Wide", f'{photos(1)}<div style="width:16000px;height:50px;background:#333"></div>')


def mix(other: str) -> str:
    """Return a page that fetches in every way there is."""
    return page(
        "Mix",
        f'<img {SIZE} src="/moved/image/0"><img {SIZE} src="{other}/image/1"><img src="/status/404">'
        f'<iframe src="{other}/framed/2" width="820" height="620"></iframe>'
        """<script>
          fetch("/more?from=1&n=2");
          fetch("/echo", { method: "POST", body: "what was sent" }).then((a) => a.text()).then((t) => said.append(t));
          new Worker("/worker.js");
          new EventSource("/events");
        </script><p id="said"></p>""",
        head='<link rel="stylesheet" href="/packed.css"><link rel="icon" href="/favicon.png">',
    )
