/** Sources and decisions as elements. Text from notes is only ever set as text. */

import type { Decision, Source } from "./shapes";
import { type Run, clean, decision, excerptRuns, label, runs } from "./text";

/** Write runs of text, marked ones as such. */
export function writeRuns(into: HTMLElement, pieces: Run[]): void {
  for (const { text, marked } of pieces) {
    if (marked) into.createEl("mark", { text, cls: "onebrain-mark" });
    else into.appendText(text);
  }
}

/** Write a source: title and day, then its excerpt. */
export function writeSource(into: HTMLElement, source: Source): void {
  const head = into.createDiv({ cls: "onebrain-head" });
  head.createSpan({ cls: "onebrain-label", text: label(source) });
  if (source.stale) head.createSpan({ cls: "onebrain-stale", text: "changed since" });
  if (source.date) head.createSpan({ cls: "onebrain-day", text: source.date });
  writeRuns(into.createDiv({ cls: "onebrain-excerpt" }), excerptRuns(source));
}

/** Write the passage of a source with the numbers of its lines, and bring its best line into view. */
export function writePassage(into: HTMLElement, source: Source): void {
  into.empty();
  into.createDiv({ cls: "onebrain-path", text: `${clean(source.path)}:${source.line}` });
  const body = into.createDiv({ cls: "onebrain-lines" });
  let number = source.start_line;
  let row = line(body, number, source.line);
  for (const { text, marked } of runs(source.text, source.highlights)) {
    text.split("\n").forEach((piece, at) => {
      if (at > 0) row = line(body, ++number, source.line);
      writeRuns(row, [{ text: piece, marked }]);
    });
  }
  body.querySelector(".is-best")?.scrollIntoView({ block: "nearest" });
}

function line(body: HTMLElement, number: number, best: number): HTMLElement {
  const row = body.createDiv({ cls: number === best ? "onebrain-line is-best" : "onebrain-line" });
  row.createSpan({ cls: "onebrain-number", text: String(number) });
  return row.createSpan({ cls: "onebrain-line-text" });
}

/** Write one decision of a chain; `now`: it is the one in force. */
export function writeDecision(into: HTMLElement, link: Decision, now: boolean): HTMLElement {
  const over = !now && (link.status === "superseded" || link.status === "rejected" || link.superseded_by.length > 0);
  const item = into.createDiv({ cls: `onebrain-decision${now ? " is-now" : ""}${over ? " is-over" : ""}` });
  const [day, said] = decision(link);
  item.createDiv({ cls: "onebrain-day", text: day });
  item.createDiv({ cls: "onebrain-what", text: said });
  if (link.reason) item.createDiv({ cls: "onebrain-reason", text: `“${clean(link.reason)}”` });
  item.createDiv({ cls: "onebrain-path", text: `${clean(link.path)}:${link.line}` });
  return item;
}
