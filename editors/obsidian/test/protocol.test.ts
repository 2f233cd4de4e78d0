/** editors/protocol.json: the texts, and the calls against a real daemon. */

import assert from "node:assert/strict";
import { test } from "node:test";
import protocol from "../../protocol.json";
import { Trouble } from "../src/daemon";
import type { Calls, Decision, Source } from "../src/shapes";
import { decision, label, lacks, link, runs, trouble } from "../src/text";
import { VAULT, clientOf } from "./machine";

interface Call {
  name: string;
  call: keyof Calls;
  fields: Record<string, unknown>;
  has?: Record<string, unknown>;
  kinds?: Record<string, string>;
  trouble?: string;
}

const client = clientOf(VAULT);

function at(object: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], object);
}

function kind(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

test("texts are written as the protocol says", () => {
  for (const { source, is } of protocol.label) assert.equal(label(source as unknown as Source), is);
  for (const { source, is } of protocol.link) assert.equal(link(source), is);
  for (const { error, is } of protocol.trouble) assert.equal(trouble(error), is);
  for (const { link: given, is } of protocol.decision) assert.deepEqual(decision(given as unknown as Decision), is);
  for (const { index, is } of protocol.lacks) assert.equal(lacks(index), is);
  for (const { text, highlights, is } of protocol.marked) {
    const pieces = runs(text, highlights as [number, number][]);
    assert.deepEqual(pieces.filter((run) => run.marked).map((run) => run.text), is);
    assert.equal(pieces.map((run) => run.text).join(""), text);
  }
});

for (const { name, call, fields: written, has = {}, kinds = {}, trouble: line } of protocol.calls as unknown as Call[]) {
  test(name, async () => {
    const { times, ...fields } = written;
    if (typeof times === "number") fields["query"] = String(fields["query"]).repeat(times);
    const asked = client.call(call, fields as never);
    if (line !== undefined) {
      await assert.rejects(asked, (error) => error instanceof Trouble && error.message.includes(line));
      return;
    }
    const found = await asked;
    for (const [path, value] of Object.entries(has)) assert.deepEqual(at(found, path), value, path);
    for (const [path, wanted] of Object.entries(kinds)) assert.equal(kind(at(found, path)), wanted, path);
  });
}
