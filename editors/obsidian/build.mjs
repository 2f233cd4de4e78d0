// `node build.mjs` makes main.js, the one file that Obsidian loads; `node build.mjs test` makes build/ from test/.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const shared = { absWorkingDir: here, bundle: true, target: "es2021", logLevel: "warning" };

await esbuild.build({
  ...shared,
  entryPoints: ["main.ts"],
  outfile: "main.js",
  format: "cjs",
  platform: "node",
  external: ["obsidian", "electron"],
});

if (process.argv[2] === "test") {
  const tests = readdirSync(here + "test").filter((name) => /\.test\.ts$|^pictures\.ts$/.test(name));
  await esbuild.build({
    ...shared,
    entryPoints: tests.map((name) => `test/${name}`),
    outdir: "build",
    outExtension: { ".js": ".mjs" },
    format: "esm",
    target: "node18",
    platform: "node",
    packages: "external",
  });
  await esbuild.build({
    ...shared,
    entryPoints: ["test/obsidian_double.ts"],
    outfile: "build/obsidian_double.js",
    format: "iife",
    globalName: "obsidianDouble",
    platform: "browser",
  });
}
