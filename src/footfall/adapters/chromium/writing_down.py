"""The script that writes a document down as it stands: also what scripts made of it that no tag of its own holds.

Rules that a script put into a sheet, sheets that it adopted and what components draw within themselves are written
where a browser that runs no script finds them. Documents of frames that have no address are given one, `about:srcdoc#`
and a number, and written down beside. The page itself is not touched: its scripts watch what is changed.
"""

# Sheets of ours stand in the page while it is captured, and are no part of it (hiding.py, scrolling.py).
OURS = "globalThis.footfallSheets"
DEPTH_MAX = 4  # of frames without an address within each other

WRITTEN = f"""
const HTML = "http://www.w3.org/1999/xhtml";
const EMPTY = new Set(("area base basefont bgsound br col embed frame hr img input keygen link meta param source track"
  + " wbr").split(" "));
const RAW = new Set("style script xmp iframe noembed noframes plaintext noscript".split(" "));
const inners = [];
const ours = Array.isArray({OURS}) ? {OURS} : [];
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("\\u00a0", "&nbsp;")
  .replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = (text) => escaped(text).replaceAll('"', "&quot;");
const rules = (sheet) => [...sheet.cssRules].map((rule) => rule.cssText);
const sheetText = (sheet) => rules(sheet).join("\\n").replaceAll(/<\\/(?=style)/gi, "<\\\\/");
const sheetTag = (sheet) => {{
  const media = sheet.media.mediaText;
  return `<style${{media ? ` media="${{quoted(media)}}"` : ""}}>${{sheetText(sheet)}}</style>`;
}};
const adopted = (root) => [...(root.adoptedStyleSheets || [])]
  .filter((sheet) => !ours.includes(sheet) && !sheet.disabled).map(sheetTag).join("");
const styleText = (one) => {{
  const text = one.textContent;
  if (!one.sheet) return text;
  const plain = new CSSStyleSheet();
  plain.replaceSync(text);
  const now = [...one.sheet.cssRules].filter((rule) => !(rule instanceof CSSImportRule)).map((rule) => rule.cssText);
  return now.join() === rules(plain).join() ? text : sheetText(one.sheet);
}};
const innerOf = (one) => {{
  const inner = one.contentDocument;
  const hasAddress = /^https?:/.test(one.src) && !one.hasAttribute("srcdoc");
  const hasContent = inner && inner.body && (inner.body.hasChildNodes() || inner.head.hasChildNodes());
  return hasContent && !hasAddress ? inner : null;
}};
const children = (node, depth) => [...node.childNodes].map((one) => written(one, depth)).join("");
const element = (one, depth) => {{
  const name = one.namespaceURI === HTML ? one.localName : one.nodeName;
  const is = (...names) => one.namespaceURI === HTML && names.includes(name);
  if (is("link") && one.sheet && one.href.startsWith("blob:")) return sheetTag(one.sheet);
  const inner = is("iframe") && depth < {DEPTH_MAX} ? innerOf(one) : null;
  const kept = [...one.attributes].filter((at) => !inner || !["src", "srcdoc"].includes(at.name));
  const texts = kept.map((at) => ` ${{at.name}}="${{quoted(at.value)}}"`);
  if (inner) {{
    const frame = {{ url: `about:srcdoc#${{prefix}}${{inners.length + 1}}`, html: "" }};
    inners.push(frame);
    frame.html = whole(inner, depth + 1);
    texts.push(` src="${{frame.url}}"`);
  }}
  const begin = `<${{name}}${{texts.join("")}}>`;
  if (one.namespaceURI === HTML && EMPTY.has(name)) return begin;
  const root = one.shadowRoot;
  const shadow = root
    ? `<template shadowrootmode="${{root.mode}}">${{children(root, depth)}}${{adopted(root)}}</template>` : "";
  const content = is("style") ? styleText(one) : children(is("template") ? one.content : one, depth);
  const isHead = one === one.ownerDocument.head;
  const base = isHead && depth ? `<base href="${{quoted(one.baseURI)}}">` : "";
  return `${{begin}}${{shadow}}${{base}}${{content}}${{isHead ? adopted(one.ownerDocument) : ""}}</${{name}}>`;
}};
const written = (node, depth) => {{
  if (node.nodeType === Node.ELEMENT_NODE) return element(node, depth);
  if (node.nodeType === Node.COMMENT_NODE) return `<!--${{node.data}}-->`;
  if (node.nodeType !== Node.TEXT_NODE) return "";
  const at = node.parentNode;
  return at && at.namespaceURI === HTML && RAW.has(at.localName) ? node.data : escaped(node.data);
}};
// What was given as an attribute keeps the rules of today without saying so.
const kindOf = (one) => one.doctype ? new XMLSerializer().serializeToString(one.doctype)
  : one.compatMode === "CSS1Compat" ? "<!DOCTYPE html>" : "";
const whole = (one, depth) => kindOf(one) + (one.documentElement ? written(one.documentElement, depth) : "");
const document_ = () => {{
  if (!/html/.test(document.contentType)) return new XMLSerializer().serializeToString(document);
  try {{ return whole(document, 0); }}
  catch {{ return kindOf(document) + document.documentElement.outerHTML; }}  // It is deeper than a script goes.
}};
"""
