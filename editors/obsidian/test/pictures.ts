/** The pictures of docs/editors.md, made by editors/pictures.py: a folder is the argument. */

import { join } from "node:path";
import { VAULT } from "./machine";
import { Screen, browser } from "./screen";

const folder = process.argv[2] ?? ".";
const chromium = await browser();

const search = await Screen.open(chromium, VAULT);
await search.openNote("01-projects/parcel-api/Onboarding.md");
await search.search("how long may a customer token live");
await search.page.locator(".onebrain-badge:not(:empty)").waitFor();
await search.page.screenshot({ path: join(folder, "obsidian-search.png") });
await search.close();

const why = await Screen.open(chromium, VAULT);
await why.openNote("01-projects/vault-search/Vault Search.md");
await why.search("why did we drop qmd?");
await why.press("Shift+Enter");
await why.page.locator(".onebrain-decision.is-now").waitFor();
await why.page.locator(".onebrain-badge:not(:empty)").waitFor();
await why.page.screenshot({ path: join(folder, "obsidian-why.png") });
await why.close();

await chromium.close();
