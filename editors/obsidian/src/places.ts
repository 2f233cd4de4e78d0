/** Places in notes: opened at the line, linked to. */

import { type App, type Editor, MarkdownView, Notice, type PaneType, TFile } from "obsidian";
import type { Client } from "./daemon";
import type { Source } from "./shapes";
import { clean, link } from "./text";

/** Say one line. */
export function say(line: string): void {
  new Notice(`OneBrain: ${line}`);
}

function fileOf(app: App, path: string): TFile | null {
  const found = app.vault.getAbstractFileByPath(path);
  return found instanceof TFile ? found : null;
}

/** Open a place at its line; one in a code folder (`name:file`) in the program that the system has for it. */
export async function open(
  app: App,
  client: Client,
  place: { path: string; line: number },
  pane: PaneType | false,
): Promise<void> {
  const file = fileOf(app, place.path);
  if (file) {
    const leaf = app.workspace.getLeaf(pane);
    await leaf.openFile(file, { active: true, eState: { line: place.line - 1 } });
    return;
  }
  const [, root, rest] = /^([\w.-]+):(.+)$/.exec(place.path) ?? [];
  const folder = root && (await client.call("status", {}).catch(() => null))?.code?.[root];
  if (folder) window.open(`file://${encodeURI(`${folder}/${rest}`.replace(/^(?!\/)/, "/"))}`);
  else say(`${clean(place.path)} is gone since it was indexed`);
}

/** The editor that was used last, if a note is open for writing. */
export function editorOf(app: App): { editor: Editor; path: string } | null {
  const view = app.workspace.getActiveViewOfType(MarkdownView);
  return view ? { editor: view.editor, path: view.file?.path ?? "" } : null;
}

/** Put a link to a source where the cursor is, written as the user's settings want it. */
export function insertLink(app: App, source: Source, into: { editor: Editor; path: string } | null): void {
  if (!into) return say("no note is open to put the link in");
  const file = fileOf(app, source.path);
  const title = source.title === file?.basename ? undefined : clean(source.title);
  into.editor.replaceSelection(file ? app.fileManager.generateMarkdownLink(file, into.path, "", title) : link(source));
}
