/** The settings and their tab. */

import { type App, type Plugin, PluginSettingTab, Setting } from "obsidian";
import type { Access, Client } from "./daemon";

export interface Settings extends Access {
  debounce: number; // milliseconds without a key before a question is sent
  limit: number; // how many sources a list has
}

export const DEFAULTS: Settings = {
  program: "onebrain-search",
  start: true,
  address: "",
  token: "",
  debounce: 100,
  limit: 20,
};

export class SettingsTab extends PluginSettingTab {
  constructor(
    app: App,
    plugin: Plugin,
    private readonly client: Client,
    private readonly settings: Settings,
    private readonly changed: () => Promise<void>,
  ) {
    super(app, plugin);
  }

  override display(): void {
    this.containerEl.empty();
    const found = this.containerEl.createDiv({ cls: "onebrain-note", text: "looking for the daemon …" });
    this.client.call("status", {}).then(
      (status) => found.setText(`The daemon answers at ${this.client.origin}; its index is ${status.state}.`),
      (error: unknown) => found.setText(error instanceof Error ? error.message : String(error)),
    );
    this.line("program", "Program", "Its name, or its whole path where the desktop does not find it.");
    new Setting(this.containerEl)
      .setName("Start the daemon")
      .setDesc("When none runs. It keeps the index up to date and serves the terminal and other editors, too.")
      .addToggle((toggle) => toggle.setValue(this.settings.start).onChange((value) => this.set("start", value)));
    this.line("address", "Address", "Of the daemon. Empty: found by itself, in its state file.", "127.0.0.1:port");
    this.line("token", "Token", "Empty: read from the state file, which only you can read.", "", "password");
    this.slider("debounce", "Pause", "Milliseconds without a key before a search.", [80, 150, 5]);
    this.slider("limit", "Sources", "How many a list has.", [5, 50, 5]);
  }

  private line(name: "program" | "address" | "token", title: string, says: string, hint = "", type = "text"): void {
    new Setting(this.containerEl)
      .setName(title)
      .setDesc(says)
      .addText((text) => {
        text.inputEl.type = type;
        text.setPlaceholder(hint || DEFAULTS[name]).setValue(this.settings[name]);
        text.onChange((value) => this.set(name, value.trim() || DEFAULTS[name]));
      });
  }

  private slider(name: "debounce" | "limit", title: string, says: string, range: [number, number, number]): void {
    new Setting(this.containerEl)
      .setName(title)
      .setDesc(says)
      .addSlider((slider) => {
        slider.setLimits(...range).setValue(this.settings[name]).setDynamicTooltip();
        slider.onChange((value) => this.set(name, value));
      });
  }

  private async set<Name extends keyof Settings>(name: Name, value: Settings[Name]): Promise<void> {
    this.settings[name] = value;
    this.client.forget();
    await this.changed();
  }
}
