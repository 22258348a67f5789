"""A small log of every format, written for these tests, and what each of its lines is."""

from dataclasses import dataclass

NOW_MS = 1_794_753_000_000  # 2026-11-15
AGENT = "Mozilla/5.0 (X11; Linux x86_64) Firefox/119.0"


@dataclass(frozen=True, slots=True)
class Golden:
    """A log, and for each line either its hit (asset, moment, url, referrer) or the reason why it is none."""

    format: str
    text: bytes
    results: list[tuple[str, str, str, str] | str]


COMMON = Golden(
    "common",
    b"""\
192.0.2.1 - - [01/Nov/2023:10:00:00 +0000] "GET /news/one HTTP/1.1" 200 1234
192.0.2.1 - anna b [01/Nov/2023:10:00:01 +0530] "GET /news/two/ HTTP/1.0" 200 -
2001:db8::1 - - [01/Nov/2023:10:00:02 -0330] "GET /style.css HTTP/1.1" 200 9
192.0.2.2 - - [01/Nov/2023:10:00:03 +0000] "POST /news/one HTTP/1.1" 200 9
192.0.2.2 - - [01/Nov/2023:10:00:03 +0000] "GET /gone HTTP/1.1" 404 9
192.0.2.2 - - [01/Nov/2023:10:00:03 +0000] "GET /old HTTP/1.1" 301 9
192.0.2.2 - - [01/Nov/2023:10:00:04 +0000] "GET /seen HTTP/1.1" 304 -
192.0.2.2 - - [01/Nov/2023:10:00:04 +0000] "GET /nine" 200 5
""",
    [
        ("/news/one", "2023-11-01T10:00Z", "/news/one", ""),
        ("/news/two", "2023-11-01T04:30:01Z", "/news/two/", ""),
        "static",
        "method",
        "error",
        "redirect",
        ("/seen", "2023-11-01T10:00:04Z", "/seen", ""),
        ("/nine", "2023-11-01T10:00:04Z", "/nine", ""),
    ],
)

COMBINED = Golden(
    "combined",
    f"""\
192.0.2.1 - - [26/Mar/2023:02:59:59 +0200] "GET /a?utm=1 HTTP/1.1" 200 1 "https://example.com/x?y=1" "{AGENT}"
192.0.2.1 - - [26/Mar/2023:04:00:00 +0300] "GET /b HTTP/2.0" 200 1 "-" "{AGENT}"
192.0.2.1 - - [26/Mar/2023:04:00:01 +0300] "GET /say-\\"hi\\" HTTP/1.1" 200 1 "-" "odd \\"agent\\" here"
192.0.2.1 - - [26/Mar/2023:04:00:02 +0300] "GET /c HTTP/1.1" 200 1 "-" "{AGENT}" "203.0.113.7" 0.012
192.0.2.1 - - [26/Mar/2023:04:00:03 +0300] "\\x16\\x03\\x01" 400 1 "-" "-"
192.0.2.1 - - [26/Mar/2023:04:00:04 +0300] "GET / HTTP/1.1" 200 1 "-" "ELB-HealthChecker/2.0"
192.0.2.1 - - [26/Mar/2023:04:00:05 +0300] "-" 200 1 "-" "{AGENT}"
192.0.2.1 - - [26/Mar/2023:04:00:06 +0300] "GET /cut HTTP/1.1" 200 1 "-" "an agent that the server has cut o
- - - [26/Mar/2023:04:00:06 +0300] "GET /caf%c3%a9 HTTP/1.1" 200 1 "" ""
""".encode(),
    [
        ("/a", "2023-03-26T00:59:59Z", "/a", "https://example.com/x?y=1"),
        ("/b", "2023-03-26T01:00Z", "/b", ""),
        ('/say-"hi"', "2023-03-26T01:00:01Z", '/say-"hi"', ""),
        ("/c", "2023-03-26T01:00:02Z", "/c", ""),
        "error",
        "health-check",
        "its request is not one of HTTP",
        ("/cut", "2023-03-26T01:00:06Z", "/cut", ""),
        ("/café", "2023-03-26T01:00:06Z", "/caf%c3%a9", ""),
    ],
)

VHOST = Golden(
    "vhost",
    f"""\
www.example.com:443 192.0.2.1 - - [01/Nov/2023:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "{AGENT}"
blog.example.com:80 192.0.2.1 - - [01/Nov/2023:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "https://example.net/" "{AGENT}"
www.example.com 192.0.2.1 - a b [01/Nov/2023:10:00:01 +0000] "GET /b HTTP/1.1" 200 1
""".encode(),
    [
        ("/a", "2023-11-01T10:00Z", "//www.example.com/a", ""),
        ("/a", "2023-11-01T10:00Z", "//blog.example.com/a", "https://example.net/"),
        ("/b", "2023-11-01T10:00:01Z", "//www.example.com/b", ""),
    ],
)

IIS = Golden(
    "w3c",
    b"""\
#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 2023-11-01 10:00:00
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status
2023-11-01 10:00:00 198.51.100.1 GET /news/one - 443 - 192.0.2.1 Mozilla/5.0+(X11) https://example.com/ 200
2023-11-01 10:00:01 198.51.100.1 GET /news/two id=5&x=y 443 - 192.0.2.1 Mozilla/5.0+(X11) - 200
2023-11-01 10:00:02 198.51.100.1 GET /news/two
#Fields: time c-ip cs-method cs-uri-stem sc-status cs-host
10:00:03 192.0.2.9 GET /news/three 200 www.example.com
""",
    [
        "header",
        "header",
        "header",
        "header",
        ("/news/one", "2023-11-01T10:00Z", "/news/one", "https://example.com/"),
        ("/news/two", "2023-11-01T10:00:01Z", "/news/two", ""),
        "it has 5 columns where #Fields names 12",
        "header",
        ("/news/three", "2023-11-01T10:00:03Z", "//www.example.com/news/three", ""),
    ],
)

_CLOUDFRONT_FIELDS = (
    "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) "
    "cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol"
)
_CLOUDFRONT_LINES = [
    "2023-11-01 10:00:00 HEL50 900 192.0.2.1 GET d1.example.net /caf%25C3%25A9 200 https://example.com/%3Cx%3E "
    "Mozilla/5.0%20(X11) q=1 - Hit id== www.example.com https",
    "2023-11-01 10:00:01 HEL50 900 192.0.2.1 GET d1.example.net /a%20b 200 - Mozilla/5.0%20(X11) - - Hit id== - https",
    "2023-11-01 10:00:02 HEL50 0 192.0.2.1 GET d1.example.net /a 000 - Mozilla/5.0%20(X11) - - Error id== - https",
]
CLOUDFRONT = Golden(
    "w3c",
    f"#Version: 1.0\n#Fields: {_CLOUDFRONT_FIELDS}\n".encode()
    + "".join(line.replace(" ", "\t") + "\n" for line in _CLOUDFRONT_LINES).encode(),
    [
        "header",
        "header",
        ("/café", "2023-11-01T10:00Z", "//www.example.com/caf%C3%A9", "https://example.com/<x>"),
        ("/a b", "2023-11-01T10:00:01Z", "//d1.example.net/a b", ""),
        "error",
    ],
)

ALB = Golden(
    "alb",
    f"""\
https 2023-11-01T10:00:00.186641Z app/web/50dc 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 \
"GET https://www.example.com:443/a?b=1 HTTP/1.1" "{AGENT}" TLS_AES TLSv1.3 arn:aws:x "Root=1-58" "www.example.com"
h2 2023-11-01T10:00:01.000000Z app/web/50dc 192.0.2.1:2817 - -1 -1 -1 502 - 0 57 \
"GET https://www.example.com:443/a HTTP/2.0" "{AGENT}" - - - "Root=1-58" "-" "-" 0
http 2023-11-01T10:00:02.999999Z app/web/50dc [2001:db8::1]:2817 10.0.0.1:80 0.1 0.1 0.1 200 200 0 57 \
"GET http://example.com:80/ HTTP/1.1" "-" - - - "-" "-" "-" 0
""".encode(),
    [
        ("/a", "2023-11-01T10:00:00.186Z", "//www.example.com/a", ""),
        "error",
        ("/", "2023-11-01T10:00:02.999Z", "//example.com/", ""),
    ],
)

ELB = Golden(
    "elb",
    f"""\
2015-05-13T23:39:43.945958Z lb 192.0.2.1:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 \
"GET http://www.example.com:80/a HTTP/1.1" "{AGENT}" - -
2015-05-13T23:39:44.945958Z lb 192.0.2.1:2817 - -1 -1 -1 - - 0 0 "- - - " "-" - -
""".encode(),
    [("/a", "2015-05-13T23:39:43.945Z", "//www.example.com/a", ""), "error"],
)

S3 = Golden(
    "s3",
    f"""\
79a pages [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57 WEBSITE.GET.OBJECT a/b.html "GET /a/b.html HTTP/1.1" 200 - 113 \
113 7 6 "https://example.com/" "{AGENT}" - host= - ECDHE - www.example.com TLSv1.2 - -
79a5 pages [06/Feb/2019:00:00:39 +0000] 192.0.2.3 - 3E57 REST.GET.ACL - "GET /pages?acl HTTP/1.1" 200 - 113 \
- 7 - "-" "S3Console/0.4" - host= - ECDHE - - TLSv1.2 - -
79a5 pages [06/Feb/2019:00:00:40 +0000] - - 3E57 S3.EXPIRE.OBJECT a "-" - - - \
- - - "-" "-" - host= - - - - - - -
""".encode(),
    [("/a/b.html", "2019-02-06T00:00:38Z", "//www.example.com/a/b.html", "https://example.com/"), "method", "error"],
)

TRAEFIK = Golden(
    "traefik",
    f"""\
192.0.2.1 - - [01/Nov/2023:10:00:00 +0000] "GET /a HTTP/2.0" 200 5 "-" "{AGENT}" 17 "web@docker" "http://10.0.0.2" 3ms
192.0.2.1 - - [01/Nov/2023:10:00:01 +0000] "GET /b HTTP/2.0" 200 5 "https://example.com/" "-" 18 "web@docker" "-" 0ms
""".encode(),
    [("/a", "2023-11-01T10:00Z", "/a", ""), ("/b", "2023-11-01T10:00:01Z", "/b", "https://example.com/")],
)

TRAEFIK_JSON = Golden(
    "traefik-json",
    b"""\
{"ClientAddr":"192.0.2.1:5000","ClientHost":"192.0.2.1","DownstreamStatus":200,"RequestHost":"www.example.com",\
"RequestMethod":"GET","RequestPath":"/a?b","StartUTC":"2023-11-01T10:00:00.123456789Z","level":"info"}
{"ClientAddr":"192.0.2.1:5000","DownstreamStatus":200,"RequestMethod":"HEAD","RequestPath":"/a",\
"time":"2023-11-01T12:00:01+02:00"}
{"level":"info","msg":"not about a request"}
""",
    [
        ("/a", "2023-11-01T10:00:00.123Z", "//www.example.com/a", ""),
        "method",
        "it is JSON of another form: Object missing required field `RequestPath`",
    ],
)

CADDY = Golden(
    "caddy",
    b"""\
{"level":"info","ts":1698832800.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":\
"192.0.2.1","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"www.example.com:8443","uri":"/a?x=1",\
"headers":{"User-Agent":["Mozilla/5.0"],"Referer":["https://example.net/"]}},"status":200,"size":12}
{"ts":"2023-11-01T12:00:00+02:00","request":{"remote_addr":"192.0.2.1:99","method":"GET","uri":"/b"},"status":200}
{"ts":1698832800.25,"request":{"uri":"/b","method":"GET"},"status":500}
""",
    [
        ("/a", "2023-11-01T10:00:00.250Z", "//www.example.com/a", "https://example.net/"),
        ("/b", "2023-11-01T10:00Z", "/b", ""),
        "error",
    ],
)

JSON = Golden(
    "json",
    b"""\
{"time_iso8601":"2023-11-01T10:00:00+00:00","request_uri":"/a","status":"200","remote_addr":"192.0.2.1",\
"http_user_agent":"Mozilla/5.0","http_referer":"https://example.com/"}
{"msec":"1698832801.500","request":"GET /b HTTP/1.1","status":200}
{"ts":1698832802500,"uri":"/c"}
{"uri":"/c"}
{"ts":1698832802500}
[1]
""",
    [
        ("/a", "2023-11-01T10:00Z", "/a", "https://example.com/"),
        ("/b", "2023-11-01T10:00:01.500Z", "/b", ""),
        ("/c", "2023-11-01T10:00:02.500Z", "/c", ""),
        "it has no field for the time; say which one it is with --fields time=NAME",
        "it has no field for the path; say which one it is with --fields path=NAME",
        "it is JSON of another form: Expected `object`, got `array`",
    ],
)

GOLDEN = {
    "common": COMMON,
    "combined": COMBINED,
    "vhost": VHOST,
    "iis": IIS,
    "cloudfront": CLOUDFRONT,
    "alb": ALB,
    "elb": ELB,
    "s3": S3,
    "traefik": TRAEFIK,
    "traefik-json": TRAEFIK_JSON,
    "caddy": CADDY,
    "json": JSON,
}
