/** Modal, panes, badge and settings as a person sees them. */

import assert from "node:assert/strict";
import { writeFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { SMALL, VAULT, cli, until } from "./machine";
import { Screen, browser } from "./screen";

const RETRY = "01-projects/parcel-api/Retry Policy.md";
let chromium: Browser;

before(async () => {
  chromium = await browser();
});

after(async () => {
  await chromium.close();
  await cli(SMALL, "stop");
});

/** A test with a page of its own. */
function shown(name: string, vault: string, act: (screen: Screen) => Promise<void>, settings: object = {}): void {
  test(name, async () => {
    const screen = await Screen.open(chromium, vault, settings);
    try {
      await act(screen);
    } finally {
      await screen.close();
    }
  });
}

shown("typing shows sources by words and then by meaning, with the passage of the first", VAULT, async (screen) => {
  await screen.command("search");
  const input = screen.page.locator(".onebrain-modal input");
  await screen.page.evaluate(() => {
    const said: (string | null)[] = [];
    Object.assign(globalThis, { said });
    const count = document.querySelector(".onebrain-count")!;
    new MutationObserver(() => said.push(count.textContent)).observe(count, { childList: true });
  });
  await input.pressSequentially("retry policy", { delay: 15 });
  await screen.shows(".onebrain-count", "words + meaning");
  const said = await screen.page.evaluate(() => (globalThis as unknown as { said: string[] }).said.filter(Boolean));
  const stages = said.map((line) => line.replace(/^\d+ · /, "")).filter((line) => line !== " …");
  assert.deepEqual(stages, ["words …", "words + meaning"]);
  assert.match((await screen.texts(".onebrain-item.is-selected .onebrain-label"))[0]!, /^Retry Policy/);
  assert.match((await screen.texts(".onebrain-passage .onebrain-path"))[0]!, /^01-projects\/parcel-api\/Retry Policy\.md:\d+$/);
  assert.equal((await screen.texts(".onebrain-passage .onebrain-mark")).includes("Retry"), true);
});

shown("enter opens the chosen source at its line, and control and enter in a tab", VAULT, async (screen) => {
  await screen.search("status codes that are retried");
  await screen.press("ArrowDown");
  await screen.press("ArrowUp");
  const place = (await screen.texts(".onebrain-passage .onebrain-path"))[0];
  await screen.press("Enter");
  const first = await until(() => screen.opened(), "the note");
  assert.deepEqual([`${first.path}:${first.line}`, first.pane], [place, false]);
  assert.equal(await screen.page.locator(".onebrain-modal").count(), 0);
  await screen.search("idempotency keys");
  await screen.press("Control+Enter");
  await until(async () => (await screen.opened())?.pane === "tab", "the tab");
});

shown("a source of a code folder is handed to the system's own program", VAULT, async (screen) => {
  await screen.page.evaluate(() => Object.assign(globalThis, { open: (url: string) => (document.title = url) }));
  await screen.search("kind:code parse_retry_after");
  await screen.press("Enter");
  await until(async () => /^file:\/\/.*carrier\/retry\.py$/.test(await screen.page.title()), "the file");
});

shown("alt and enter put a link where the cursor is", VAULT, async (screen) => {
  await screen.openNote("MOC.md");
  await screen.page.evaluate(() => (document.getElementById("note") as HTMLTextAreaElement).setSelectionRange(0, 0));
  await screen.search("idempotency keys");
  await screen.press("Alt+Enter");
  const text = await screen.page.locator("#note").inputValue();
  assert.match(text, /^\[\[Idempotency Keys\]\]/);
});

shown("without an open note a link is refused in a line", VAULT, async (screen) => {
  await screen.search("idempotency keys");
  await screen.press("Alt+Enter");
  await screen.shows("#notices", "no note is open");
});

shown("the related pane follows the note that is open", VAULT, async (screen) => {
  await screen.openNote(RETRY);
  await screen.command("related");
  await screen.shows(".onebrain-pane .onebrain-label", "Parcel API");
  await screen.openNote("03-knowledge/databases/SQLite in Production.md");
  await screen.shows(".onebrain-pane .onebrain-title", "SQLite in Production");
  await screen.page.locator(".onebrain-pane .onebrain-item").first().click();
  await until(async () => !(await screen.opened())?.path.endsWith("SQLite in Production.md"), "a related note");
});

shown("shift and enter ask why: the chain, what is in force, and a way to each place", VAULT, async (screen) => {
  await screen.search("why did we drop qmd?");
  await screen.press("Shift+Enter");
  await screen.shows(".onebrain-decision.is-now .onebrain-what", "tantivy");
  const days = (await screen.texts(".onebrain-decision .onebrain-day")).map((day) => day.replace("~", ""));
  assert.deepEqual(days, [...days].sort());
  const place = (await screen.texts(".onebrain-decision.is-now .onebrain-path"))[0];
  await screen.page.locator(".onebrain-decision.is-now").click();
  const opened = await until(() => screen.opened(), "the note");
  assert.equal(`${opened.path}:${opened.line}`, place);
});

shown("what notes say is never markup", SMALL, async (screen) => {
  await writeFile(join(SMALL, "Hostile.md"), "# <b>Hostile</b>\n\nporcelain <img src=x onerror=\"document.title='owned'\"> <script>1</script>\n");
  await cli(SMALL, "index", "--lexical-only");
  await screen.search("porcelain");
  await screen.shows(".onebrain-passage", "<img src=x");
  assert.equal(await screen.page.locator(".onebrain-modal img, .onebrain-modal script, .onebrain-modal b").count(), 0);
  assert.notEqual(await screen.page.title(), "owned");
});

shown("a note that is gone when it is opened is said in a line", SMALL, async (screen) => {
  await writeFile(join(SMALL, "Soon.md"), "# Soon\n\nearthenware for a day\n");
  await cli(SMALL, "index", "--lexical-only");
  await screen.search("earthenware");
  await rm(join(SMALL, "Soon.md"));
  await screen.press("Enter");
  await screen.shows("#notices", "Soon.md is gone");
});

shown("without a daemon the badge and the search say so, and both recover by themselves", SMALL, async (screen) => {
  await cli(SMALL, "stop");
  await screen.page.locator(".onebrain-badge").click();
  await screen.shows(".onebrain-badge.is-off", "daemon off");
  await screen.command("search");
  await screen.page.locator(".onebrain-modal input").fill("kiln");
  await screen.shows(".onebrain-trouble", "onebrain-search serve");
  await cli(SMALL, "serve");
  await screen.page.locator(".onebrain-modal input").fill("the kiln");
  await screen.shows(".onebrain-label", "Kiln");
  await screen.press("Escape");
  await screen.page.locator(".onebrain-badge").click();
  await screen.page.locator(".onebrain-badge:not(.is-off)").waitFor();
}, { start: false });

shown("a wrong token in the settings is said there and in the search, until it is cleared", VAULT, async (screen) => {
  await screen.settings();
  await screen.page.locator('[data-name="Token"] input').fill("wrong");
  await screen.command("search");
  await screen.page.locator(".onebrain-modal input").fill("retry");
  await screen.shows(".onebrain-trouble", "clear them");
  await screen.press("Escape");
  await screen.page.locator('[data-name="Token"] input').fill("");
  await screen.search("retry policy");
  assert.match((await screen.texts(".onebrain-label"))[0]!, /^Retry Policy/);
});

shown("a question of 10,000 characters is answered or refused in a line", VAULT, async (screen) => {
  await screen.command("search");
  await screen.page.locator(".onebrain-modal input").fill("retry policy ".repeat(770));
  await screen.page.locator(".onebrain-item, .onebrain-trouble").first().waitFor();
});
