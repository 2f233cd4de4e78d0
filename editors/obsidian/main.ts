/** The plugin: commands, panes, badge and settings. */

import { FileSystemAdapter, Plugin } from "obsidian";
import { Badge } from "./src/badge";
import { Client } from "./src/daemon";
import { desktop } from "./src/machine";
import { say } from "./src/places";
import { RELATED, RelatedView } from "./src/related_view";
import { SearchModal } from "./src/search_modal";
import { DEFAULTS, type Settings, SettingsTab } from "./src/settings";
import { TIMELINE, TimelineView } from "./src/timeline_view";

export default class OneBrainPlugin extends Plugin {
  private options: Settings = { ...DEFAULTS };
  private client!: Client;

  override async onload(): Promise<void> {
    const adapter = this.app.vault.adapter;
    if (!(adapter instanceof FileSystemAdapter)) return say("needs a vault on this machine's disk");
    this.options = { ...DEFAULTS, ...((await this.loadData()) as Partial<Settings> | null) };
    this.client = new Client(desktop, adapter.getBasePath(), () => this.options);
    this.registerView(RELATED, (leaf) => new RelatedView(leaf, this.client, () => this.options.limit));
    this.registerView(TIMELINE, (leaf) => new TimelineView(leaf, this.client));
    this.addSettingTab(new SettingsTab(this.app, this, this.client, this.options, () => this.saveData(this.options)));
    this.addCommands();
    new Badge(this, this.client).start();
  }

  private addCommands(): void {
    const command = (id: string, name: string, callback: () => unknown) => this.addCommand({ id, name, callback });
    command("search", "Search", () => this.search(false));
    command("link", "Search and insert a link", () => this.search(true));
    command("why", "Why timeline", () => this.why(""));
    command("related", "Related notes", () => this.reveal(RELATED));
    command("start", "Start the daemon", () =>
      this.client.start().then(
        () => say("the daemon runs"),
        (error: unknown) => say(error instanceof Error ? error.message : String(error)),
      ),
    );
    this.addRibbonIcon("search-check", "OneBrain: search", () => this.search(false));
  }

  private search(linking: boolean): void {
    const why = (question: string): void => void this.why(question);
    new SearchModal(this.app, this.client, { ...this.options, linking, why }).open();
  }

  private async why(question: string): Promise<void> {
    const view = await this.reveal(TIMELINE);
    if (view instanceof TimelineView) await view.ask(question);
  }

  private async reveal(type: string): Promise<unknown> {
    const { workspace } = this.app;
    const leaf = workspace.getLeavesOfType(type)[0] ?? workspace.getRightLeaf(false);
    if (!leaf) return null;
    await leaf.setViewState({ type, active: true });
    await workspace.revealLeaf(leaf);
    return leaf.view;
  }
}
