// Lines to copy. Names of brands are strangers' words, so they are quoted for where the line goes. Pure.

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function snippetOf(origin: string, brand: string): string {
  return `<script async src="${origin}/footfall.js" data-brand="${attribute(brand)}"></script>`;
}

export function commandOf(origin: string, brand: string): string {
  const hit = { brand, assetId: "hello-1", sectionId: "news", resourceType: "article", paidType: "free" };
  return `curl -d ${quoted(JSON.stringify(hit))} ${origin}/v1/hits`;
}
