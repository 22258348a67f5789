// Compresses what Vite built, and writes which two files a page loads. The server sends the bytes as they lie there.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const folder = new URL("../../src/footfall/shells/http/static/built", import.meta.url).pathname;
const made = JSON.parse(readFileSync(join(folder, "vite.json"), "utf8"));
const script = made["main.tsx"].file;
const style = made["style.css"]?.file ?? made["main.tsx"].css[0];

for (const name of [script, style]) {
  const bytes = readFileSync(join(folder, name));
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
}
rmSync(join(folder, "vite.json"));
writeFileSync(join(folder, "manifest.json"), JSON.stringify({ script, style }));
