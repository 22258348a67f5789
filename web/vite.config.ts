// One script and one style: a first view is two files, and the policy needs to trust no other.
import { defineConfig } from "vite";

export default defineConfig({
  root: "dashboard",
  base: "/static/",
  publicDir: false,
  build: {
    outDir: "../../src/footfall/shells/http/static/built",
    emptyOutDir: true,
    assetsDir: "",
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    cssCodeSplit: false,
    modulePreload: false,
    manifest: "vite.json",
    sourcemap: false,
    rollupOptions: { input: "dashboard/main.tsx" },
  },
});
