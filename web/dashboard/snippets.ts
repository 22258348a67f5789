// Lines to copy. Names of brands are strangers' words, so they are quoted for where the line goes. Pure.

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// A brand without keys is named; one that has keys is known by its public one.
export function snippetOf(origin: string, brand: string, key = ""): string {
  const whose = key ? `data-key="${attribute(key)}"` : `data-brand="${attribute(brand)}"`;
  return `<script async src="${origin}/footfall.js" ${whose}></script>`;
}

export function commandOf(origin: string, brand: string, key = ""): string {
  const hit = {
    ...(key ? {} : { brand }),
    assetId: "hello-1",
    sectionId: "news",
    resourceType: "article",
    paidType: "free",
  };
  const where = key ? quoted(`${origin}/v1/hits?key=${key}`) : `${origin}/v1/hits`;
  return `curl -d ${quoted(JSON.stringify(hit))} ${where}`;
}
