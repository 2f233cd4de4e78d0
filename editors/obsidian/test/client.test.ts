/** The client and the live search against real daemons that come and go. */

import assert from "node:assert/strict";
import { rm, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { Trouble } from "../src/daemon";
import { Live, type State } from "../src/live";
import { SMALL, VAULT, cli, clientOf, until } from "./machine";

async function stateFile(): Promise<string> {
  return join(JSON.parse(await cli(SMALL, "status", "--json")).state, "daemon.json");
}

function says(text: string): (error: unknown) => boolean {
  return (error) => error instanceof Trouble && error.message.includes(text) && !error.message.includes("\n");
}

after(async () => {
  await cli(SMALL, "stop");
});

test("a daemon is started where none runs, and found by its state file afterwards", async () => {
  const first = await clientOf(SMALL).call("search", { query: "kiln" });
  assert.equal(first.sources[0]?.path, "Kiln.md");
  const second = await clientOf(SMALL, { start: false }).call("status", {});
  assert.equal(second.exists, true);
});

test("without a daemon and without leave to start one, the error says what to do", async () => {
  await cli(SMALL, "stop");
  await assert.rejects(clientOf(SMALL, { start: false }).call("status", {}), says("onebrain-search serve"));
});

test("a daemon that was restarted is found anew, without an error", async () => {
  const client = clientOf(SMALL);
  await client.call("status", {});
  const before = client.origin;
  await cli(SMALL, "stop");
  await cli(SMALL, "serve");
  assert.equal((await client.call("search", { query: "glaze" })).sources[0]?.path, "Glaze.md");
  assert.notEqual(client.origin, before);
});

test("a wrong token in the settings is said in a line", async () => {
  await assert.rejects(clientOf(SMALL, { token: "wrong" }).call("status", {}), says("clear them"));
});

test("a program that is missing is said in a line", async () => {
  await assert.rejects(clientOf(SMALL, { program: "/nowhere/onebrain" }).call("status", {}), says("was not found"));
});

test("the token is not sent to another program that has the port", async () => {
  await clientOf(SMALL).call("status", {});
  const file = await stateFile();
  const told = await readFile(file, "utf8");
  const heard: string[] = [];
  const other = createServer((request, response) => {
    heard.push(`${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify({ protocol: 1, name: "onebrain-search", proof: "0".repeat(64) }));
  }).listen(0, "127.0.0.1");
  await until(() => other.listening, "the other program");
  try {
    await writeFile(file, JSON.stringify({ ...JSON.parse(told), port: (other.address() as AddressInfo).port }));
    await assert.rejects(clientOf(SMALL, { start: false }).call("search", { query: "kiln" }), Trouble);
    assert.equal(heard.length > 0 && heard.every((line) => /^\/health\S* undefined$/.test(line)), true, heard.join());
  } finally {
    other.close();
    await writeFile(file, told);
  }
});

test("a state file that is damaged is as none", async () => {
  await clientOf(SMALL).call("status", {});
  const file = await stateFile();
  const told = await readFile(file, "utf8");
  try {
    for (const text of ["", "{", "[1]", '{"port": "x", "token": 3}']) {
      await writeFile(file, text);
      await assert.rejects(clientOf(SMALL, { start: false }).call("status", {}), says("the daemon is off"));
    }
  } finally {
    await writeFile(file, told);
  }
});

test("a note that was deleted after it was found is an error that names it", async () => {
  const client = clientOf(SMALL);
  assert.equal((await client.call("search", { query: "throwing" })).sources[0]?.path, "Gone.md");
  await rm(join(SMALL, "Gone.md"));
  await assert.rejects(client.call("get", { address: "Gone.md:1:1" }), says("Gone.md"));
});

test("a vault that is gone is said in a line", async () => {
  await assert.rejects(clientOf("/nowhere/notes").call("search", { query: "kiln" }), says("/nowhere/notes"));
});

/** A live search that writes down each state; `sent` are the searches that left. */
function recorded(vault: string, delay = 0): { live: Live; states: State[]; sent: string[] } {
  const client = clientOf(vault);
  const states: State[] = [];
  const sent: string[] = [];
  const live = new Live(
    async (fields) => {
      sent.push(`${fields.stage ?? "hybrid"} ${fields.query}`);
      const found = await client.call("search", fields);
      await new Promise((done) => setTimeout(done, delay));
      return found;
    },
    { debounce: 80, limit: 5 },
    (state) => states.push(state),
  );
  return { live, states, sent };
}

test("keys that follow each other are one search, by words first and then by meaning", async () => {
  const { live, states, sent } = recorded(VAULT);
  for (const typed of ["r", "re", "ret", "retry", "retry ", "retry policy"]) live.input(typed);
  await until(() => states.at(-1)?.stage === "hybrid", "both stages");
  assert.deepEqual(sent, ["lexical retry policy", "hybrid retry policy"]);
  assert.deepEqual(states.map((state) => [state.stage, state.busy]), [["lexical", true], ["hybrid", false]]);
  assert.equal(states.every((state) => state.sources.length > 0), true);
});

test("the answer to what is not asked any more is dropped", async () => {
  const { live, states, sent } = recorded(VAULT, 60);
  live.input("idempotency");
  await until(() => sent.length === 1, "the first search");
  live.input("sqlite backup");
  await until(() => states.at(-1)?.stage === "hybrid", "the second search");
  assert.equal(states.some((state) => state.query === "idempotency"), false);
});

test("what is deleted again clears the list", async () => {
  const { live, states } = recorded(VAULT);
  live.input("retry");
  await until(() => states.at(-1)?.stage === "hybrid", "sources");
  live.input("  ");
  assert.deepEqual(states.at(-1)?.sources, []);
});

test("an error leaves the sources of before, and the next answer takes it away", async () => {
  const states: State[] = [];
  const client = clientOf(VAULT);
  let broken = false;
  const live = new Live(
    (fields) => (broken ? Promise.reject(new Trouble("the daemon is off")) : client.call("search", fields)),
    { debounce: 80, limit: 5 },
    (state) => states.push(state),
  );
  live.input("retry");
  await until(() => states.at(-1)?.stage === "hybrid", "sources");
  broken = true;
  live.input("retry policy");
  const failed = await until(() => states.find((state) => state.trouble), "the error");
  assert.equal(failed.trouble, "the daemon is off");
  assert.equal(failed.sources.length > 0, true);
  broken = false;
  live.input("retry");
  await until(() => states.at(-1)?.stage === "hybrid" && !states.at(-1)?.trouble, "an answer");
});

test("a search by words that has no index yet is no end: the one by meaning waits for it", async () => {
  const states: State[] = [];
  const client = clientOf(VAULT);
  const live = new Live(
    (fields) => (fields.stage ? Promise.reject(new Trouble("there is no index", 503)) : client.call("search", fields)),
    { debounce: 80, limit: 5 },
    (state) => states.push(state),
  );
  live.input("retry policy");
  await until(() => states.at(-1)?.stage === "hybrid", "sources");
  assert.deepEqual(states.map((state) => [state.trouble, state.busy]), [["the index is being made …", true], [null, false]]);
});
