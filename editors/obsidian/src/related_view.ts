/** The pane with the notes that belong with the one that is open. */

import { ItemView, type TFile, type WorkspaceLeaf, debounce } from "obsidian";
import type { Client } from "./daemon";
import { writeSource } from "./listing";
import { open } from "./places";

export const RELATED = "onebrain-related";

export class RelatedView extends ItemView {
  override icon = "git-compare";
  private turn = 0;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly client: Client,
    private readonly limit: () => number,
  ) {
    super(leaf);
  }

  override getViewType(): string {
    return RELATED;
  }

  override getDisplayText(): string {
    return "Related notes";
  }

  override async onOpen(): Promise<void> {
    this.contentEl.addClass("onebrain-pane");
    const follow = debounce((file: TFile | null) => void this.follow(file), 120, true);
    this.registerEvent(this.app.workspace.on("file-open", follow));
    await this.follow(this.app.workspace.getActiveFile());
  }

  /** Show what belongs with a note; the pane keeps its last note when something else is opened. */
  async follow(file: TFile | null): Promise<void> {
    if (!file) return this.write("Open a note to see what belongs with it.");
    const turn = (this.turn += 1);
    try {
      const found = await this.client.call("related", { path: file.path, limit: this.limit() });
      if (turn !== this.turn) return;
      this.write(found.related.length === 0 ? "No related notes." : "", file.basename);
      for (const source of found.related) {
        const item = this.contentEl.createDiv({ cls: "onebrain-item", attr: { role: "link", tabindex: "0" } });
        writeSource(item, source);
        item.addEventListener("click", (event) => {
          void open(this.app, this.client, source, event.metaKey || event.ctrlKey ? "tab" : false);
        });
      }
    } catch (error) {
      if (turn === this.turn) this.write(error instanceof Error ? error.message : String(error), file.basename);
    }
  }

  private write(line: string, title?: string): void {
    this.contentEl.empty();
    if (title) this.contentEl.createDiv({ cls: "onebrain-title", text: title });
    if (line) this.contentEl.createDiv({ cls: "onebrain-note", text: line });
  }
}
