/** The badge in the status bar: what the index lacks, or that there is no daemon. */

import type { Plugin } from "obsidian";
import { type Client, Trouble } from "./daemon";
import type { Status } from "./shapes";
import { lacks } from "./text";

const EVERY = 60000; // milliseconds between two looks: each lets the daemon compare its index with the files
const WHILE_INDEXING = 5000;

/** What the badge says, and the same in a sentence. `trouble`: the status could not be had. */
export function standing(status: Status | null, trouble: Trouble | null): [string, string] {
  if (!status) return [trouble?.off ? "daemon off" : "trouble", trouble?.message ?? "no status"];
  if (!status.exists) return ["no index", "There is no index yet; the first search makes it."];
  if (status.stale === null) return ["vault gone", `${status.vault} cannot be read; what is known of it stays.`];
  const behind = Object.values(status.stale ?? {}).reduce((sum, files) => sum + files, status.failed?.length ?? 0);
  if (behind > 0) return ["stale", `${behind} files have changed since they were indexed, or could not be read.`];
  const lacking = lacks(status);
  if (lacking && !status.vectors) return ["no model", "Notes are found by their words alone: no passage has a vector."];
  if (lacking) return [lacking, `${status.pending} passages wait for their vectors.`];
  return [`${status.documents} files`, `${status.chunks} passages, up to date.`];
}

export class Badge {
  private readonly item: HTMLElement;
  private timer = 0;

  constructor(
    private readonly plugin: Plugin,
    private readonly client: Client,
  ) {
    this.item = plugin.addStatusBarItem();
    this.item.addClass("onebrain-badge", "mod-clickable");
    this.item.addEventListener("click", () => void this.look());
  }

  /** Look now, and again and again until the plugin is unloaded. */
  start(): void {
    this.plugin.register(() => window.clearTimeout(this.timer));
    void this.look();
  }

  private async look(): Promise<void> {
    window.clearTimeout(this.timer);
    let status: Status | null = null;
    let trouble: Trouble | null = null;
    try {
      status = await this.client.call("status", {});
    } catch (error) {
      trouble = error instanceof Trouble ? error : new Trouble(String(error));
    }
    const [word, sentence] = standing(status, trouble);
    this.item.setText(`OneBrain: ${word}`);
    this.item.setAttribute("aria-label", sentence);
    this.item.toggleClass("is-off", status === null);
    this.timer = window.setTimeout(() => void this.look(), word.startsWith("indexing") ? WHILE_INDEXING : EVERY);
  }
}
