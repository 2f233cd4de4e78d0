/**
 * As much of Obsidian as the plugin uses, in a page: elements, modals, panes, notices, settings, files. The machine
 * behind it (files, processes, requests) is the real one: the test gives it to the page as the functions of `Host`.
 */

export interface Host {
  request(sent: { url: string; method?: string; headers?: Record<string, string>; body?: string }): Promise<{
    status: number;
    text: string;
  }>;
  read(path: string): Promise<string>;
  run(program: string, args: string[]): Promise<{ code: number; out: string; err: string }>;
}

declare const host: Host;

interface Made {
  cls?: string;
  text?: string;
  type?: string;
  attr?: Record<string, string>;
}

Object.assign(HTMLElement.prototype, {
  createEl(this: HTMLElement, tag: string, made: Made = {}): HTMLElement {
    const child = this.appendChild(document.createElement(tag));
    if (made.cls) child.className = made.cls;
    if (made.text !== undefined) child.textContent = made.text;
    if (made.type) child.setAttribute("type", made.type);
    for (const [name, value] of Object.entries(made.attr ?? {})) child.setAttribute(name, value);
    return child;
  },
  createDiv(this: HTMLElement, made?: Made): HTMLElement {
    return this.createEl("div", made as DomElementInfo);
  },
  createSpan(this: HTMLElement, made?: Made): HTMLElement {
    return this.createEl("span", made as DomElementInfo);
  },
  empty(this: HTMLElement): void {
    this.replaceChildren();
  },
  setText(this: HTMLElement, text: string): void {
    this.textContent = text;
  },
  appendText(this: HTMLElement, text: string): void {
    this.append(text);
  },
  addClass(this: HTMLElement, ...names: string[]): void {
    this.classList.add(...names);
  },
  toggleClass(this: HTMLElement, name: string, on: boolean): void {
    this.classList.toggle(name, on);
  },
});

function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

export class TFile {
  readonly basename: string;

  constructor(readonly path: string) {
    this.basename = path.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
  }
}

export class FileSystemAdapter {
  constructor(private readonly folder: string) {}

  getBasePath(): string {
    return this.folder;
  }
}

/** The note that is open, in a textarea that stands for the editor. */
export class MarkdownView {
  file: TFile | null = null;
  editor = {
    replaceSelection(text: string): void {
      const area = byId("note") as HTMLTextAreaElement;
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    },
  };
}

type Handler = (event: KeyboardEvent) => unknown;

export class Scope {
  private readonly rows: { modifiers: string; key: string; act: Handler }[] = [];

  register(modifiers: string[], key: string, act: Handler): void {
    const names = modifiers.map((name) => (name === "Mod" ? "Ctrl" : name));
    this.rows.push({ modifiers: names.sort().join("+"), key, act });
  }

  handle(event: KeyboardEvent): void {
    const held = [event.altKey && "Alt", event.ctrlKey && "Ctrl", event.metaKey && "Meta", event.shiftKey && "Shift"];
    const modifiers = held.filter(Boolean).join("+");
    for (const row of this.rows) {
      if (row.key === event.key && row.modifiers === modifiers && row.act(event) === false) event.preventDefault();
    }
  }
}

export class Modal {
  scope = new Scope();
  containerEl = document.createElement("div");
  modalEl: HTMLElement;
  contentEl: HTMLElement;
  private readonly listener = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.close();
    else this.scope.handle(event);
  };

  constructor(readonly app: App) {
    this.containerEl.className = "modal-container";
    this.modalEl = this.containerEl.createDiv({ cls: "modal" });
    this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
  }

  open(): void {
    document.body.append(this.containerEl);
    document.addEventListener("keydown", this.listener);
    this.onOpen();
  }

  close(): void {
    document.removeEventListener("keydown", this.listener);
    this.containerEl.remove();
    this.onClose();
  }

  onOpen(): void {}
  onClose(): void {}
}

export class Notice {
  constructor(text: string) {
    byId("notices").createDiv({ text });
  }
}

class Component {
  private readonly ends: (() => void)[] = [];

  register(end: () => void): void {
    this.ends.push(end);
  }

  registerEvent(): void {}

  unload(): void {
    for (const end of this.ends) end();
  }
}

export class ItemView extends Component {
  containerEl = document.createElement("div");
  contentEl = this.containerEl.createDiv({ cls: "view-content" });
  app = app;

  constructor(readonly leaf: Leaf) {
    super();
  }

  async onOpen(): Promise<void> {}
}

/** The place of a note in the middle, or of one pane at the side. */
class Leaf {
  view: ItemView | MarkdownView | null = null;
  pane: string | false = false;

  async openFile(file: TFile, options: { eState?: { line?: number } } = {}): Promise<void> {
    await app.workspace.show(file, options.eState?.line ?? 0, this.pane);
  }

  async setViewState({ type }: { type: string }): Promise<void> {
    if (this.view instanceof ItemView) return;
    const view = app.plugin.views[type]!(this);
    this.view = view;
    byId("side").append(view.containerEl);
    await view.onOpen();
  }
}

type FileOpen = (file: TFile | null) => void;

class Workspace {
  private readonly note = new MarkdownView();
  private readonly sides: Record<string, Leaf> = {};
  private readonly listeners: FileOpen[] = [];
  opened: { path: string; line: number; pane: string | false } | null = null;

  on(_name: "file-open", listener: FileOpen): void {
    this.listeners.push(listener);
  }

  getActiveFile(): TFile | null {
    return this.note.file;
  }

  getActiveViewOfType(): MarkdownView | null {
    return this.note.file ? this.note : null;
  }

  getLeaf(pane: string | false): Leaf {
    return Object.assign(new Leaf(), { pane });
  }

  getLeavesOfType(type: string): Leaf[] {
    return this.sides[type] ? [this.sides[type]] : [];
  }

  getRightLeaf(): Leaf {
    const leaf = new Leaf();
    const settle = leaf.setViewState.bind(leaf);
    leaf.setViewState = (state): Promise<void> => {
      this.sides[state.type] = leaf;
      return settle(state);
    };
    return leaf;
  }

  async revealLeaf(): Promise<void> {}

  /** Show a note in the editor with its cursor at a line (from 0). */
  async show(file: TFile, line: number, pane: string | false): Promise<void> {
    const text = await host.read(`${app.vault.adapter.getBasePath()}/${file.path}`);
    const area = byId("note") as HTMLTextAreaElement;
    const lines = text.split("\n");
    area.value = text;
    area.selectionStart = area.selectionEnd = lines.slice(0, line).join("\n").length + (line > 0 ? 1 : 0);
    byId("title").setText(file.basename);
    this.note.file = file;
    this.opened = { path: file.path, line: line + 1, pane };
    for (const listener of this.listeners) listener(file);
  }
}

class Vault {
  readonly adapter: FileSystemAdapter;

  constructor(
    folder: string,
    private readonly paths: string[],
  ) {
    this.adapter = new FileSystemAdapter(folder);
  }

  getAbstractFileByPath(path: string): TFile | null {
    return this.paths.includes(path) ? new TFile(path) : null;
  }
}

class App {
  workspace = new Workspace();
  plugin!: Plugin;
  fileManager = {
    generateMarkdownLink: (file: TFile, _from: string, _sub: string, alias?: string): string =>
      alias ? `[[${file.basename}|${alias}]]` : `[[${file.basename}]]`,
  };

  constructor(readonly vault: Vault) {}
}

let app: App;

interface Command {
  id: string;
  callback: () => unknown;
}

export class Plugin extends Component {
  app = app;
  registered: Record<string, Command> = {};
  views: Record<string, (leaf: Leaf) => ItemView> = {};
  tab: PluginSettingTab | null = null;
  data: unknown = null;

  addCommand(command: Command): void {
    this.registered[command.id] = command;
  }

  addRibbonIcon(): void {}

  addStatusBarItem(): HTMLElement {
    return byId("status").createDiv();
  }

  addSettingTab(tab: PluginSettingTab): void {
    this.tab = tab;
  }

  registerView(type: string, make: (leaf: Leaf) => ItemView): void {
    this.views[type] = make;
  }

  async loadData(): Promise<unknown> {
    return this.data;
  }

  async saveData(data: unknown): Promise<void> {
    this.data = JSON.parse(JSON.stringify(data));
  }

  async onload(): Promise<void> {}
}

export class PluginSettingTab {
  containerEl = document.createElement("div");

  constructor(
    readonly app: App,
    readonly plugin: Plugin,
  ) {}

  display(): void {}
}

type Changed<Value> = (value: Value) => unknown;

/** One row of the settings with its name and a control, which calls back when it is changed. */
export class Setting {
  private readonly row: HTMLElement;

  constructor(into: HTMLElement) {
    this.row = into.createDiv({ cls: "setting-item" });
  }

  setName(name: string): this {
    this.row.dataset["name"] = name;
    this.row.createDiv({ cls: "setting-item-name", text: name });
    return this;
  }

  setDesc(text: string): this {
    this.row.createDiv({ cls: "setting-item-description", text });
    return this;
  }

  private control<Value>(type: string, read: (input: HTMLInputElement) => Value, make: (control: object) => void): this {
    const inputEl = this.row.createEl("input", { type });
    const control = {
      inputEl,
      setPlaceholder: (text: string) => ((inputEl.placeholder = text), control),
      setLimits: (low: number, high: number) => (Object.assign(inputEl, { min: low, max: high }), control),
      setDynamicTooltip: () => control,
      setValue: (value: Value) => ((inputEl.value = String(value)), (inputEl.checked = value === true), control),
      onChange: (changed: Changed<Value>) => (inputEl.addEventListener("input", () => changed(read(inputEl))), control),
    };
    make(control);
    return this;
  }

  addText(make: (control: object) => void): this {
    return this.control("text", (input) => input.value, make);
  }

  addToggle(make: (control: object) => void): this {
    return this.control("checkbox", (input) => input.checked, make);
  }

  addSlider(make: (control: object) => void): this {
    return this.control("range", (input) => Number(input.value), make);
  }
}

export const Platform = { isMacOS: false };

export function requestUrl(sent: Parameters<Host["request"]>[0]): Promise<{ status: number; text: string }> {
  return host.request(sent);
}

export function debounce<Value>(act: (value: Value) => void, milliseconds: number): (value: Value) => void {
  let timer: ReturnType<typeof setTimeout>;
  return (value) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(value), milliseconds);
  };
}

/** Node's child process, as far as it is used: the program runs on the other side of the page. */
function spawn(program: string, args: string[]): object {
  type Listener = (value: unknown) => void;
  const heard: Record<string, Listener> = {};
  const stream = (name: string) => ({ setEncoding: () => ({ on: (_: string, told: Listener) => (heard[name] = told) }) });
  void host.run(program, args).then(({ code, out, err }) => {
    heard["out"]?.(out);
    heard["err"]?.(err);
    if (code === 127) heard["error"]?.(Object.assign(new Error(err), { code: "ENOENT" }));
    else heard["exit"]?.(code);
  });
  const on = (name: string, told: Listener): void => void (heard[name] = told);
  return { stdout: stream("out"), stderr: stream("err"), on, unref: () => undefined };
}

/** Load the plugin's bundle, as Obsidian does, into a vault with these files. */
export async function load(bundle: string, folder: string, paths: string[], data: unknown): Promise<Plugin> {
  app = new App(new Vault(folder, paths));
  const modules: Record<string, object> = {
    obsidian: { TFile, FileSystemAdapter, MarkdownView, Modal, Notice, ItemView, Plugin, PluginSettingTab, Setting, Platform, requestUrl, debounce },
    "node:child_process": { spawn },
    "node:fs/promises": { readFile: (path: string) => host.read(path) },
    "node:os": { homedir: () => "/" },
    "node:path": { delimiter: ":", join: (...parts: string[]) => parts.join("/") },
  };
  const module = { exports: {} as { default: new () => Plugin } };
  const environment = { env: {} };
  new Function("module", "exports", "require", "process", bundle)(
    module, module.exports, (name: string) => modules[name], environment,
  );
  const plugin = new module.exports.default();
  app.plugin = plugin;
  plugin.data = data;
  await plugin.onload();
  return plugin;
}

/** What was opened last, for the test to see. */
export function opened(): Workspace["opened"] {
  return app.workspace.opened;
}

/** Open a note as a click in the file list does. */
export async function openNote(path: string): Promise<void> {
  await app.workspace.getLeaf(false).openFile(new TFile(path));
}
