"""Hiding what lies over a page, when it is asked for: banners that ask for consent, and what stays when one scrolls."""

from footfall.adapters.chromium.worlds import WAY, World
from footfall.adapters.chromium.writing_down import OURS
from footfall.ports.capturing import Wanted

BANNERS = (
    "#onetrust-consent-sdk,#CybotCookiebotDialog,#usercentrics-root,#didomi-host,#cmpbox,#cmpbox2,#qc-cmp2-container,"
    "[id^=sp_message_container],#truste-consent-track,#cookiebanner,#cookie-banner,#cookie-notice,#cookie-law-info-bar,"
    "#gdpr-banner,.cookie-banner,.cookie-bar,.cookie-notice,.cookie-consent,.cc-window,.cc-banner,.cmp-container,"
    ".consent-banner,.gdpr-banner,.fc-consent-root,.osano-cm-window,.truste_box_overlay,.evidon-banner,"
    "[role=dialog][aria-label*=cookie i]"
)
# A word of consent in something that lies over the page and has a button is a banner, whatever its name.
HIDE = f"""async (known, banners, sticky) => {{ {WAY}
  const says = /cookie|consent|gdpr|privacy|datenschutz|einwillig|zustimm|confidentialit|privacidad/i;
  const rules = banners ? [`${{known}}{{display:none!important}}`] : [];
  let isLocked = banners && document.querySelector(known);
  for (const one of document.querySelectorAll("body *")) {{
    const place = getComputedStyle(one).position;
    if (place !== "fixed" && place !== "sticky") continue;
    const words = one.innerText || "";
    const asks = one.querySelector("button,a,input") && says.test(words) && words.length < 6000;
    const isBanner = banners && asks && place === "fixed";
    if (isBanner || (sticky && place === "fixed")) rules.push(`${{way(one)}}{{display:none!important}}`);
    else if (sticky) rules.push(`${{way(one)}}{{position:static!important}}`);
    isLocked ||= isBanner;
  }}
  if (isLocked) rules.push("html,body{{overflow-y:visible!important}}");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules.join("\\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  ({OURS} ||= []).push(sheet);
  await new Promise((done) => setTimeout(done, 120));
  return {{ hidden: rules.length }};
}}"""


async def hide(world: World, wanted: Wanted) -> None:
    """Hide what whoever asked does not want to have in the picture, and let the page settle."""
    if wanted.hide_banners or wanted.hide_sticky:
        flags = f"{str(wanted.hide_banners).lower()}, {str(wanted.hide_sticky).lower()}"
        await world.run(HIDE, f'"{BANNERS}", {flags}')
