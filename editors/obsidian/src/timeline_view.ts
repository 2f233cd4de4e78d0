/** The pane that answers a why: what settled it, and the dated decisions that led there. */

import { ItemView, type WorkspaceLeaf } from "obsidian";
import type { Client } from "./daemon";
import { writeDecision, writeSource } from "./listing";
import { open } from "./places";
import type { Answer } from "./shapes";
import { clean } from "./text";

export const TIMELINE = "onebrain-timeline";

export class TimelineView extends ItemView {
  override icon = "history";
  private input!: HTMLInputElement;
  private body!: HTMLElement;
  private turn = 0;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly client: Client,
  ) {
    super(leaf);
  }

  override getViewType(): string {
    return TIMELINE;
  }

  override getDisplayText(): string {
    return "Why timeline";
  }

  override async onOpen(): Promise<void> {
    this.contentEl.empty();
    this.contentEl.addClass("onebrain-pane");
    const attr = { placeholder: "Why did we…", spellcheck: "false" };
    this.input = this.contentEl.createEl("input", { type: "text", cls: "onebrain-question", attr });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) void this.ask(this.input.value);
    });
    this.body = this.contentEl.createDiv();
  }

  /** Ask a question and show its chain. */
  async ask(question: string): Promise<void> {
    if (question.trim() === "") return;
    const turn = (this.turn += 1);
    this.input.value = question;
    this.say("asking …");
    try {
      const answer = await this.client.call("ask", { question, mode: "why" });
      if (turn === this.turn) this.write(answer);
    } catch (error) {
      if (turn === this.turn) this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private say(line: string): void {
    this.body.empty();
    this.body.createDiv({ cls: "onebrain-note", text: clean(line) });
  }

  private write(answer: Answer): void {
    this.body.empty();
    if (answer.chain.length === 0) this.say("No dated decision about this was found.");
    for (const line of answer.chain.length > 0 ? answer.answer.split("\n") : []) {
      const now = line.startsWith("In force now");
      this.body.createDiv({ cls: now ? "onebrain-answer is-now" : "onebrain-answer", text: clean(line) });
    }
    const chain = this.body.createDiv({ cls: "onebrain-chain" });
    for (const link of answer.chain) {
      const now = answer.in_force?.path === link.path && answer.in_force.line === link.line;
      this.leadTo(writeDecision(chain, link, now), link);
    }
    if (answer.sources.length > 0) this.body.createDiv({ cls: "onebrain-title", text: "Sources" });
    for (const source of answer.sources) {
      const item = this.body.createDiv({ cls: "onebrain-item" });
      writeSource(item, source);
      this.leadTo(item, source);
    }
    for (const note of answer.notes) this.body.createDiv({ cls: "onebrain-note", text: clean(note) });
  }

  private leadTo(item: HTMLElement, place: { path: string; line: number }): void {
    item.setAttribute("role", "link");
    item.addEventListener("click", (event) => {
      void open(this.app, this.client, place, event.metaKey || event.ctrlKey ? "tab" : false);
    });
  }
}
