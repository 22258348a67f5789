"""How the page of a plan looks: one column, both themes, pictures that scroll by themselves on narrow screens."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--paper:#fbfbfa;--card:#fff;--ink:#1d2129;--soft:#5a6270;--line:#d9dde3;--grid:#e9ecf0;
--c0:#1f5fbf;--c1:#c2570c;--c2:#2b7a3f;--c3:#8a3ffc;--c4:#a8214b;--due:#b3261e}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--card:#1c2027;--ink:#e8eaee;--soft:#a3abb8;
--line:#39404b;--grid:#2a303a;
--c0:#7fb0ff;--c1:#f0a05a;--c2:#7fcf94;--c3:#c0a0ff;--c4:#ff8fab;--due:#ff9a90}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0 .6rem}
h2{font-size:1.15rem;margin:0 0 .4rem}
.kicker{margin:0;color:var(--soft);font-size:.9rem}
.lead{margin:0 0 1rem;color:var(--soft)}
section{margin:1.6rem 0}
section>p{margin:.2rem 0 .6rem;color:var(--soft);max-width:48rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.75rem}
.tile{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}
.tile h2{font-size:.85rem;font-weight:600;color:var(--soft);margin:0}
.tile p{margin:.1rem 0 0;font-size:.88rem;color:var(--soft)}
.tile .big{font-size:1.5rem;font-weight:650;color:var(--ink);line-height:1.25}
.advice{margin:0;padding-left:1.2rem}
.advice li{margin:.35rem 0}
.advice .due::marker{content:"! ";color:var(--due);font-weight:700}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
svg{display:block;width:100%;min-width:38rem;height:auto}
svg text{font-family:system-ui,sans-serif;font-size:13px;fill:var(--ink)}
svg .tick,svg .title{fill:var(--soft);font-size:12px}
svg .axis{stroke:var(--soft)}svg .grid{stroke:var(--grid)}svg .mark{stroke:var(--soft);stroke-dasharray:5 4}
svg path{fill:none;stroke-width:2;stroke-linejoin:round}
svg line[class^=line]{stroke-width:3}
.line0{stroke:var(--c0)}.line1{stroke:var(--c1)}.line2{stroke:var(--c2)}.line3{stroke:var(--c3)}.line4{stroke:var(--c4)}
.line1{stroke-dasharray:7 3}.line2{stroke-dasharray:2 3}.line3{stroke-dasharray:9 3 2 3}.line4{stroke-dasharray:12 4}
.fill0{fill:var(--c0)}.fill1{fill:var(--c1)}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;font-size:.88rem;margin:.5rem 0;min-width:100%}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top;
font-variant-numeric:tabular-nums}
th[scope=row]{font-weight:500}
footer{margin-top:2.5rem;color:var(--soft);font-size:.85rem}
@media print{figure,.tile{break-inside:avoid}details{display:block}}
"""
