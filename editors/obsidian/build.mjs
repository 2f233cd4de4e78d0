// `node build.mjs` makes main.js, the one file of code that Obsidian loads; `into VAULT` puts the plugin into a vault;
// `test` makes build/ from test/.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
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

const [, , task, vault] = process.argv;

if (task === "into") {
  if (!vault || !existsSync(join(vault, ".obsidian"))) {
    console.error(`error: ${vault ?? "no folder"} is no vault of Obsidian (there is no .obsidian in it): name one`);
    process.exit(2);
  }
  const plugin = join(vault, ".obsidian", "plugins", "onebrain-search");
  mkdirSync(plugin, { recursive: true });
  for (const file of ["main.js", "manifest.json", "styles.css"]) cpSync(join(here, file), join(plugin, file));
  console.log(`installed into ${plugin}: switch it on in Obsidian's settings, under community plugins`);
}

if (task === "test") {
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
