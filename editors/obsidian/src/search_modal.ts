/** The search: what is typed, what was found, and the passage that is chosen. */

import { type App, Modal, Platform } from "obsidian";
import type { Client } from "./daemon";
import { writePassage, writeSource } from "./listing";
import { EMPTY, Live, type State } from "./live";
import { editorOf, insertLink, open } from "./places";
import type { Source } from "./shapes";
import { clean, lacks } from "./text";

export interface SearchOptions {
  debounce: number;
  limit: number;
  linking: boolean; // enter puts in a link
  query?: string;
  why: (question: string) => void;
}

export class SearchModal extends Modal {
  private readonly live: Live;
  private readonly into;
  private state: State = EMPTY;
  private chosen = 0;
  private moved = false;
  private input!: HTMLInputElement;
  private count!: HTMLElement;
  private list!: HTMLElement;
  private passage!: HTMLElement;
  private foot!: HTMLElement;

  constructor(
    app: App,
    private readonly client: Client,
    private readonly options: SearchOptions,
  ) {
    super(app);
    this.into = editorOf(app);
    this.live = new Live((fields) => client.call("search", fields), options, (state) => this.show(state));
  }

  override onOpen(): void {
    this.modalEl.addClass("onebrain-modal");
    const head = this.contentEl.createDiv({ cls: "onebrain-input" });
    const placeholder = this.options.linking ? "Link to a note…" : "Ask your notes…";
    this.input = head.createEl("input", { type: "text", attr: { placeholder, spellcheck: "false" } });
    this.count = head.createSpan({ cls: "onebrain-count" });
    const body = this.contentEl.createDiv({ cls: "onebrain-body" });
    this.list = body.createDiv({ cls: "onebrain-list", attr: { role: "listbox" } });
    this.passage = body.createDiv({ cls: "onebrain-passage" });
    this.foot = this.contentEl.createDiv({ cls: "onebrain-foot" });
    this.input.addEventListener("input", () => {
      this.live.input(this.input.value);
      this.showWords();
    });
    this.keys();
    this.show(EMPTY);
    this.input.value = this.options.query ?? "";
    this.input.focus();
    this.live.input(this.input.value);
  }

  override onClose(): void {
    this.live.cancel();
    this.contentEl.empty();
  }

  private keys(): void {
    const on = (modifiers: ("Mod" | "Alt" | "Shift")[], key: string, act: () => void) =>
      this.scope.register(modifiers, key, (event) => {
        if (!event.isComposing) act();
        return event.isComposing ? undefined : false;
      });
    const link = () => this.finish((source) => insertLink(this.app, source, this.into));
    on([], "ArrowDown", () => this.move(1));
    on([], "ArrowUp", () => this.move(-1));
    on([], "Enter", () => (this.options.linking ? link() : this.openChosen(false)));
    on(["Mod"], "Enter", () => this.openChosen("tab"));
    on(["Alt"], "Enter", link);
    on(["Shift"], "Enter", () => {
      const question = this.input.value;
      this.close();
      this.options.why(question);
    });
  }

  private finish(act: (source: Source) => void): void {
    const source = this.state.sources[this.chosen];
    if (!source) return;
    this.close();
    act(source);
  }

  private openChosen(pane: "tab" | false): void {
    this.finish((source) => void open(this.app, this.client, source, pane));
  }

  private move(by: number): void {
    const many = this.state.sources.length;
    if (many === 0) return;
    this.moved = true;
    this.choose((this.chosen + by + many) % many);
  }

  private choose(at: number): void {
    this.chosen = at;
    Array.from(this.list.children).forEach((item, number) => {
      item.toggleClass("is-selected", number === at);
      item.setAttribute("aria-selected", String(number === at));
      if (number === at) item.scrollIntoView({ block: "nearest" });
    });
    const source = this.state.sources[at];
    if (source) writePassage(this.passage, source);
    else this.passage.empty();
  }

  /** Show a new state. A selection that was moved stays on its passage where that is still there. */
  private show(state: State): void {
    const kept = this.moved && state.query === this.state.query ? this.state.sources[this.chosen] : undefined;
    const changed = state.sources !== this.state.sources;
    this.moved = kept !== undefined;
    this.state = state;
    if (changed) {
      this.list.empty();
      state.sources.forEach((source, at) => this.addItem(source, at));
      const at = state.sources.findIndex((s) => s.path === kept?.path && s.start_line === kept.start_line);
      this.choose(Math.max(0, at));
    }
    this.showWords();
  }

  private addItem(source: Source, at: number): void {
    const item = this.list.createDiv({ cls: "onebrain-item", attr: { role: "option" } });
    writeSource(item, source);
    item.addEventListener("mousedown", (event) => event.preventDefault()); // the input keeps the focus
    item.addEventListener("click", (event) => {
      this.choose(at);
      this.openChosen(event.metaKey || event.ctrlKey ? "tab" : false);
    });
  }

  private showWords(): void {
    const { query, stage, sources, notes, index, trouble } = this.state;
    const how = stage === "lexical" ? "words" : "words + meaning";
    const count = query === "" || !stage ? "" : `${sources.length} · ${how}`;
    this.count.setText(this.live.waits ? `${count} …` : count);
    this.foot.empty();
    const note = lacks(index) ?? notes[0];
    const nothing = stage === "hybrid" && sources.length === 0;
    if (trouble) this.foot.createSpan({ cls: "onebrain-trouble", text: clean(trouble) });
    else if (nothing) this.foot.createSpan({ cls: "onebrain-note", text: "Nothing found" });
    else if (note) this.foot.createSpan({ cls: "onebrain-note", text: clean(note) });
    else this.showKeys();
  }

  private showKeys(): void {
    const mod = Platform.isMacOS ? "⌘" : "ctrl ";
    const alt = Platform.isMacOS ? "⌥" : "alt ";
    const keys: [string, string][] = [
      ["↑↓", "choose"],
      ["↵", this.options.linking ? "insert link" : "open"],
      [`${mod}↵`, "open in a tab"],
      [`${alt}↵`, "insert link"],
      ["shift ↵", "why"],
      ["esc", "close"],
    ];
    for (const [key, does] of keys) {
      const piece = this.foot.createSpan({ cls: "onebrain-key" });
      piece.createEl("kbd", { text: key });
      piece.appendText(` ${does}`);
    }
  }
}
