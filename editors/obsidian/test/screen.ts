/** The plugin's own bundle in a headless Chromium, with Obsidian's double around it and real daemons behind it. */

import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative, sep } from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import type { Sent } from "../src/daemon";
import { CHROMIUM, HERE, access, machine } from "./machine";

const QUIET = ["--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
const FILES: Record<string, [string, string]> = {
  "/": ["test/page.html", "text/html"],
  "/page.css": ["test/page.css", "text/css"],
  "/styles.css": ["styles.css", "text/css"],
  "/obsidian_double.js": ["build/obsidian_double.js", "text/javascript"],
};

/** The double as the page sees it. */
interface Double {
  load(bundle: string, folder: string, paths: string[], data: unknown): Promise<unknown>;
  openNote(path: string): Promise<void>;
  opened(): { path: string; line: number; pane: string | false } | null;
}

declare const obsidianDouble: Double;
declare const plugin: { registered: Record<string, { callback: () => unknown }>; tab: { display(): void; containerEl: HTMLElement } };

/** A page with the plugin in it. */
export class Screen {
  private constructor(
    readonly page: Page,
    private readonly end: () => Promise<void>,
  ) {}

  /** Open a vault with settings that differ from the usual ones. */
  static async open(browser: Browser, vault: string, settings: object = {}): Promise<Screen> {
    const server = createServer(async (request, response) => {
      const [file, type] = FILES[request.url ?? ""] ?? ["", ""];
      if (!file) return void response.writeHead(404).end();
      response.writeHead(200, { "Content-Type": type }).end(await readFile(join(HERE, file)));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    server.unref(); // a test that fails must not keep the run from ending
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1.25 });
    await page.exposeFunction("hostRequest", (sent: Sent & { url: string }) => machine.request(sent.url, sent));
    await page.exposeFunction("hostRead", machine.read);
    await page.exposeFunction("hostRun", machine.run);
    await page.addInitScript("globalThis.host = { request: hostRequest, read: hostRead, run: hostRun }");
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const files = (await readdir(vault, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const paths = files.map((entry) => relative(vault, join(entry.parentPath, entry.name)).split(sep).join("/"));
    const given = { bundle: await readFile(join(HERE, "main.js"), "utf8"), vault, paths, data: { ...access(), ...settings } };
    await page.evaluate(async ({ bundle, vault, paths, data }) => {
      Object.assign(globalThis, { plugin: await obsidianDouble.load(bundle, vault, paths, data) });
    }, given);
    return new Screen(page, async () => {
      await page.close();
      server.close();
    });
  }

  close(): Promise<void> {
    return this.end();
  }

  /** Run one of the plugin's commands. */
  async command(id: string): Promise<void> {
    await this.page.evaluate((id) => void plugin.registered[id]?.callback(), id);
  }

  async openNote(path: string): Promise<void> {
    await this.page.evaluate((path) => obsidianDouble.openNote(path), path);
  }

  opened(): Promise<ReturnType<Double["opened"]>> {
    return this.page.evaluate(() => obsidianDouble.opened());
  }

  /** Put the settings tab at the side. */
  async settings(): Promise<void> {
    await this.page.evaluate(() => {
      plugin.tab.display();
      document.getElementById("side")?.append(plugin.tab.containerEl);
    });
  }

  /** Type into the search and wait for an answer of words and meaning. */
  async search(query: string): Promise<void> {
    await this.command("search");
    await this.page.locator(".onebrain-modal input").pressSequentially(query, { delay: 15 });
    await this.shows(".onebrain-count", "words + meaning");
  }

  /** Wait until an element that is seen has a text. */
  async shows(selector: string, text: string): Promise<void> {
    await this.page.locator(selector, { hasText: text }).first().waitFor({ timeout: 40000 });
  }

  texts(selector: string): Promise<string[]> {
    return this.page.locator(selector).allTextContents();
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }
}

/** Start the browser of this machine. */
export function browser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, "--disable-sync"], chromiumSandbox: false });
}
