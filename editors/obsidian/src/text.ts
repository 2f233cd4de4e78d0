/** How things are written: labels, links, marked words, the badge. Pure; editors/protocol.json says what they return. */

import type { Decision, Index, Source } from "./shapes";

/** A piece of text, marked or not. */
export interface Run {
  text: string;
  marked: boolean;
}

/** Text in one line, without control characters. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, " ");
}

/** What a source is called: its title, then the headings below it. */
export function label(source: Pick<Source, "title" | "heading" | "symbol">): string {
  const parts = [source.title];
  for (const heading of source.heading) {
    if (heading !== parts[parts.length - 1]) parts.push(heading);
  }
  if (source.symbol) parts.push(source.symbol);
  return clean(parts.join(" › "));
}

/** The link to a source's note: its path, which is never ambiguous, shown as its title. */
export function link(source: Pick<Source, "path" | "title">): string {
  const path = source.path.replace(/\.md$/, "");
  const title = clean(source.title).replace(/[[\]|]/g, " ");
  return path === title ? `[[${path}]]` : `[[${path}|${title}]]`;
}

/** An error of the daemon in one line: what, where, what to do. */
export function trouble(found: { what?: string; where?: string; fix?: string }): string {
  const where = found.where ? ` (${found.where})` : "";
  const fix = found.fix ? `: ${found.fix}` : "";
  return clean((found.what || "unknown error") + where + fix);
}

/** A text cut into marked and unmarked runs; `highlights` count code points. */
export function runs(text: string, highlights: readonly (readonly [number, number])[]): Run[] {
  const points = Array.from(text);
  const found: Run[] = [];
  let at = 0;
  for (const [from, to] of highlights) {
    if (from > at) found.push({ text: points.slice(at, from).join(""), marked: false });
    if (to > Math.max(at, from)) found.push({ text: points.slice(Math.max(at, from), to).join(""), marked: true });
    at = Math.max(at, to);
  }
  if (at < points.length) found.push({ text: points.slice(at).join(""), marked: false });
  return found;
}

/** The excerpt of a source, its marked words marked there too. */
export function excerptRuns(source: Pick<Source, "text" | "highlights" | "excerpt">): Run[] {
  const marked = runs(source.text, source.highlights).filter((run) => run.marked);
  const words = [...new Set(marked.map((run) => run.text))].sort((a, b) => b.length - a.length);
  if (words.length === 0) return [{ text: clean(source.excerpt), marked: false }];
  const any = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  const parts = clean(source.excerpt).split(any);
  return parts.map((text, at) => ({ text, marked: at % 2 === 1 })).filter((run) => run.text !== "");
}

/** One decision of a chain in one line, and its day. */
export function decision(link: Pick<Decision, "date" | "date_source" | "what" | "status">): [string, string] {
  const guessed = link.date_source === "mtime" || link.date_source === "order" ? "~" : "";
  const day = link.date ? guessed + link.date : "undated";
  return [day, clean(link.what) + (link.status ? ` (${link.status})` : "")];
}

/** What an index lacks, in a few words; null when nothing does. */
export function lacks(index: Partial<Index> | undefined): string | null {
  const all = index?.chunks ?? 0;
  const pending = index?.pending ?? 0;
  if (all === 0 || pending === 0) return null;
  if (index?.vectors === 0) return "words alone: no passage has a vector yet";
  return `indexing, ${Math.floor(100 * (1 - pending / all))}%`;
}
