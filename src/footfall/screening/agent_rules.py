"""Our own short rules on user agents: what a maintained list cannot know, words that programs have in their names.

Patterns are RE2's: no look-around, and time that grows with the agent's length alone, whatever an attacker sends.
"""

from dataclasses import dataclass

from footfall.screening.labels import Label, Reason


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and what an agent is in which it is found."""

    pattern: str
    label: Label
    reason: Reason
    name: str = ""  # empty when the pattern tells of no one in particular


def _any_of(words: str, label: Label, reason: Reason) -> Rule:
    """Return one rule for patterns without spaces, in whatever case: one is found faster than many."""
    return Rule(f"(?i)(?:{'|'.join(words.split())})", label, reason)


# Before the list: it knows these by other tags, or not yet.
FIRST = (
    _any_of(
        r"elb-healthchecker kube-probe googlehc route53.health.check consul.health haproxy check_http stackdriver"
        r" uptimerobot pingdom statuscake better.uptime blackbox.exporter",
        Label.BOT,
        Reason.MONITOR,
    ),
    _any_of(
        r"\b[\w-]*(?:gpt|openai|claude|anthropic|perplexity|mistralai|gemini|duckassist|cohere|kagi|devin|manus)"
        r"[\w-]*-user\b"
        r" \bmeta-externalfetcher\b \bclaude-code\b \bnovaact\b \bgoogleagent-mariner\b \bgemini-deep-research\b",
        Label.AI,
        Reason.AI_ASSISTANT,
    ),
    _any_of(
        r"\bgptbot\b \boai-searchbot\b \bclaude(?:bot|-web|-searchbot)\b \banthropic-ai\b \bperplexitybot\b"
        r" \bccbot\b \bbytespider\b \bamazonbot\b \bmeta-externalagent\b \bcohere-(?:ai|training) \bai2bot"
        r" \bdiffbot\b \bgoogle-(?:extended|cloudvertexbot)\b \bapplebot-extended\b \bpetalbot-ai\b"
        r" \bimagesiftbot\b \btimpibot\b \bomgili(?:bot)?\b \bwebzio \byoubot\b \bdeepseek \bmistralai",
        Label.AI,
        Reason.AI_CRAWLER,
    ),
    _any_of(
        r"prefetch.proxy \bbingpreview\b google.web.preview \bgoogle-read-aloud\b \bgoogle.page.speed"
        r" \bprerender\b"
        r" ^microsoft.office \)\s(?:excel|powerpoint|word)/\d",
        Label.PREFETCH,
        Reason.PREFETCHER,
    ),
)

# After the words that only programs have, before those that browsers have too: browsers in their exact form. What an
# owner, a toolbar or a maker has put between its parts ("IDS7 Agent", "masking-agent", "ADEVTOOL") says nothing.
FORMS = tuple(
    Rule(pattern, Label.PERSON, Reason.NONE)
    for pattern in (
        # Internet Explorer with the versions of .NET that it tells; its other parts have no address in them.
        r"^Mozilla/4\.0 \(compatible; MSIE \d+\.\d+; Windows NT \d+\.\d+;(?: [^;()@:/]+(?:/[\d.]+)?;)*"
        r" \.NET(?: CLR [\d.]+|4\.0[CE]);(?: [^;()@:/]+;)* [^;()@:/]+\)$",
        r"^Mozilla/5\.0 \((?:[\w .\-]+; )+rv:[\d.]+\) Gecko/[\d.]+ Firefox/[\d.]+$",
        r"HbbTV/[\d.]+ \([^()@:]*;[^()@:]*\)",
        # A telephone of before 2010, through the proxy that it needed.
        r" Profile/MIDP-[\d.]+ Configuration/CLDC-[\d.]+(?: UP\.(?:Browser|Link)/[\w.]+)*"
        r"(?: \([\w ]+ Proxy/[\d.]+\))?$",
    )
)

# After the list: they say what an agent is by its words and its form, so they know no name beforehand.
# "bot" ends a word, and a maker of telephones is called Cubot.
LAST = (
    _any_of(
        r"headless phantomjs casperjs slimerjs selenium puppeteer playwright \bcypress/ electron.fetch \bjsdom\b"
        r" webdriver \bptst[/\s] dejaclick synthetic lighthouse pagespeed gtmetrix",
        Label.BOT,
        Reason.AUTOMATION,
    ),
    _any_of(
        r"(?:^|[^u]|[^c]u)bots?(?:\b|_|\d) crawl spider scrap(?:e|y|ing) slurp archiv(?:e|ing)",
        Label.BOT,
        Reason.SAYS_SO,
    ),
    # Names that isbot's list, which is in the public domain, has and no browser.
    _any_of(
        r"\sdaum[/\s] \sdeusu/ 24x7 \bbw/ \bdlc\b \bort/ \bperl\b ^\w*search\b ask.jeeves attracta bluecoat"
        r" burpcollab collapsify convertify cookiehub \bcursor/ dareboost datanyze exalead foregenix hardenize"
        r" hotjar hubspot infrawatch insights?\b iplabel linktiger mail\.ru/ marketgoo openvas powermarks"
        r" productfinder prospectingstudio readable/ rexx; \brigor\b neustar wkhtmlto web(?:snap|screen) imgsizer"
        r" silktide sindup sparkler/ speedcurve"
        r" supercleaner testlocally upday/ wappalyzer watchtowr webglance whatcms/ xtate/"
        r" ^(?:active|azure|clamav|client/|discourse|duckduckgo|email|facebook|microsoft.bits"
        r"|offline|rank|read|reed|rest|track|w3c|yahoo|yandex)"
        r" \bgoogle-[a-z] [a-z]-google\b \bgoogle.(?:favicon|web|feed|site|image|safe|cloud|keyword|search.console)"
        # Of lists of others, from the halves that may be read.
        r" yandex\.translate kimonolabs assetnote webmon\b mappercmd/",
        Label.BOT,
        Reason.SAYS_SO,
    ),
    *FORMS,
    _any_of(
        r"fetch(?:er|ing)?(?:\b|_) monitor(?:s|ing)?\b monitor(?:ss|rss) check(?:er|s|ing)?\b validat(?:e|or)"
        r" (?:^|[^m])scan harvest extract(?:or|ion)? analy[sz]er?\b index(?:er|ing)\b grabber \bgrab[/-]"
        r" downloader download.?manager/ \blibrary\b \brss(?:\b|owl)"
        r" feed(?:er|read|fetch|burner|parser|demon|ly|press|bin) \bfeeds?[-\s]"
        r" \bpreview search(?:bot|engine) \blink[\s-]?(?:check|walk|valet|exam|alarm|tiger|chk) \baudit \bprobe\b"
        r" \bsurvey \bresearch\b \bseo\b parser\b \bsite.?(?:map|check|audit|explorer|improve|sucker)"
        r" inspect(?:or|iontool|ion)\b \bdetector\b \bthumb(?:nail|shot|or) screenshot \bpinger\b \bpingback\b"
        r" uptime\b mechanize httrack \bnutch\b heritrix (?:^|[^\w-])[a-z-]*agent\b collector\b retriever\b"
        r" aggregator\b transcoder\b plagiar verif(?:y|ier)\b optimi[sz]er?\b capture(?:r|s)?\b copier\b webcopy"
        r" newsnow finder\b hunter\b sniffer\b watch(?:er|dog)\b snoop sweep(?:er)?\b classifier\b \babuse\b"
        r" cloudflare functionize mixnode pageburst measure(?:ment)?\b advisor\b observatory\b diagnostics?\b"
        r" sogou.(?:\w+.spider|pic|inst) \bsecurity(?:headers|scan|trails|test) \bfavicon \bwebclient\b"
        r" translator\b generator\b [a-z]shots?\b jiankong"
        r" proxy(?:[/_]|bot|check|test|judge|service) \bserver\b \bsplash\b project\b node\.js"
        r" news(?:reader|ai|blur|gator) (?:^|[^b])tools?\b \btest(?:er|ing)\b \bdetect \bjava/\d"
        r" (?:^|[^\dr])preview",
        Label.BOT,
        Reason.SAYS_SO,
    ),
    _any_of(
        r"^(?:java|python|perl|php|ruby|go|node|curl|libcurl|wget|lwp|libwww|okhttp"
        r"|axios|got|undici|guzzle|httpie|jersey|jetty)(?:[^a-z]|$)"
        r" ^(?:apache-|lwp|libwww|pycurl|wordpress) \bpython(?:-requests|-urllib|-httpx|\d|/) go-http"
        r" http[_-]?(?:client|request|lib|urlconnection|rs)\b ^\w*http\b libwww-perl \burllib",
        Label.BOT,
        Reason.HTTP_LIBRARY,
    ),
    _any_of(
        r"https?:// \bwww\. [\w.+-]+(?:@|\(at\)|\[at\])[a-z0-9][\w-]*\.[a-z]",
        Label.BOT,
        Reason.HAS_CONTACT,
    ),
    Rule(
        r"(?:^|[\s(;/+])(?:[a-z][a-z0-9-]*\.)+(?:com|org|net|io|ai|de|dev|eu|fr|ru|info|co)(?:[/);\s]|$)",
        Label.BOT,
        Reason.HAS_CONTACT,
    ),
    # As above, with capitals, which also end names of toolbars; so only at the end.
    Rule(r"[\s(;+][A-Za-z0-9-]+\.(?:com|org|io)$", Label.BOT, Reason.HAS_CONTACT),
    # A library's own form on a desk: a name, its version and its build before the system.
    Rule(r"^[^()/]+ [\d.]+ rv:[\d.]+ \(Macintosh", Label.BOT, Reason.HTTP_LIBRARY),
    # A browser's form with something between its parts where no browser has it, a moment of time in it, or its
    # template not filled in.
    Rule(
        r"\(KHTML, like Gecko; |Safari/[\d.]+ \(compatible;|\bSafari\(|MSIE incompatible"
        r"|\bTime/1\d{12}\b|rv:geckoversion",
        Label.SUSPECTED,
        Reason.NO_BROWSER,
    ),
    # Telephones of before 2010, by maker or operator, browsers of text and some of desks look like a bare name.
    _any_of(
        r"wap.?browser up\.browser/ \((?:playstation|nintendo)\s"
        r" ^(?:lynx|e?links|w3m|dillo|netsurf|hotjava|nook.browser|sleipnir|lunascape|icab|omniweb"
        r"|ibrowse|amaya|ncsa.mosaic|cyberdog|galeon|uzbl|dooble|midori|konqueror)(?:[/(\s]|$)"
        r" ^(?:mozilla/\d\.0\()?(?:j-phone|softbank|vodafone|emobile|pdxgw|astel|ddipocket|willcom)[/;]"
        r" ^(?:iphone|ipod|smarttv_|nokia|blackberry|samsung|sonyericsson|sec-|lge?[-/]|mot-"
        r"|sie-|sagem|panasonic|philips|sharp|alcatel|zte)",
        Label.PERSON,
        Reason.NONE,
    ),
    # A bare name, with a version or without; a browser's first word and nothing of a browser after it.
    Rule(r"(?i)^[\w.\-:%!+ ]*(?:/v?[\w.\-]*)?[,;]?$", Label.SUSPECTED, Reason.NO_BROWSER),
    Rule(r"(?i)^mozilla/\d\.\d+ ?(?:[\w.\-]+|\((?:compatible;? ?)?[\w.\-/ ]*\))?$", Label.SUSPECTED, Reason.NO_BROWSER),
    Rule(r"^[<(;*+.]", Label.SUSPECTED, Reason.NO_BROWSER),
    # What is left is a person's if it names a system or an engine that people have in their hands.
    _any_of(
        r"android iphone ipad ipod \bi(?:pad)?os\b darwin cfnetwork windows macintosh mac.?os \bx11\b linux"
        r" \bcros\b freebsd openbsd netbsd sunos symbian series.?[46]0 midp j2me \bbrew\b tizen kaios webos web0s"
        r" \bbada\b maemo meego playstation nintendo xbox roku smart.?tv hbbtv appletv tvos watchos harmony beos"
        r" haiku amiga os/2 risc.?os gecko applewebkit khtml presto trident msie netfront \bopera\b dalvik ucweb"
        r" ucbrowser webkit firefox silk/ kindle up\.browser \bmaui\b docomo kddi onebrowser"
        r" \bwin(?:9[58]|nt|32|10|11)\b palm(?:os|source|scape) browser inferno \bopr/ \bomi/",
        Label.PERSON,
        Reason.NONE,
    ),
)

# Before everything: people's browsers that carry an address or a word of programs.
# Pages through a translator, the web view of a toolkit, a browser's own saving of data.
PEOPLE = (
    # Chrome on Android in its exact form: the name of a telephone may be anything, "Spider 8" or "M bot 60" too.
    Rule(
        r"^Mozilla/5\.0 \(Linux; (?:U; )?Android [\d.]+; (?:[a-z]{2}-[a-zA-Z]{2}; )?[^;()@:/]{1,40}"
        r"(?: Build/[\w.\-]+)?(?:; wv)?\)"
        r" AppleWebKit/[\d.]+ \(KHTML, like Gecko\) (?:Version/[\d.]+ )?Chrome/[\d.]+ (?:Mobile )?Safari/[\d.]+$",
        Label.PERSON,
        Reason.NONE,
    ),
    _any_of(
        r"\(via.[a-z]+\.google\.com[/)] embeddedwb bsalsa\.com dts.agent (?:^|;\s)user-agent:.mozilla/[45]"
        r" embedded.web.browser.from speedmode;.proxy google.wireless.transcoder",
        Label.PERSON,
        Reason.NONE,
    ),
)

# Patterns of the list that are found in browsers' agents too; what they mean is covered above.
NOT_FROM_THE_LIST = frozenset(
    (
        r"AP3A\.240617\.008",  # the build of a telephone's system
        "MetaIAB Facebook",  # the browser inside an application
        r"008\/",  # the end of a version of Opera Mini
        "Blackboard",  # an application for schools
        "Fluid",  # makes applications of sites
        "Butterfly",  # telephones
        "Fever",
        "Sogou",  # browsers too; a rule of ours has its spiders
        "Sonic",
        "Synapse",
        r"^Silk\/",
    )
)
