/** The machine as Node gives it, and the program under test: what the tests put in the place of the desktop. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { type Access, Client, type Machine } from "../src/daemon";

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: tests/editors/test_obsidian.py runs these tests`);
  return value;
}

export const PROGRAM = given("ONEBRAIN_PROGRAM");
export const VAULT = given("ONEBRAIN_NOTES"); // a copy of vault_fixtures/onebrain, indexed
export const SMALL = given("ONEBRAIN_FEW_NOTES"); // three notes that a test may change
export const CHROMIUM = process.env["CHROMIUM"] ?? "";
export const HERE = fileURLToPath(new URL("..", import.meta.url)); // the plugin's folder: tests run in build/

export const machine: Machine = {
  request(url, { method = "GET", headers = {}, body }) {
    return new Promise((done, failed) => {
      const sent = request(url, { method, headers, agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        answer.on("end", () => done({ status: answer.statusCode ?? 0, text }));
      });
      sent.on("error", failed);
      sent.end(body);
    });
  },

  read: (path) => readFile(path, "utf8"),

  run(program, args) {
    return new Promise((done) => {
      execFile(program, args, (error, out, err) => {
        const code = typeof error?.code === "number" ? error.code : error ? 127 : 0;
        done({ code, out, err });
      });
    });
  },
};

export function access(changed: Partial<Access> = {}): Access {
  return { program: PROGRAM, start: true, address: "", token: "", ...changed };
}

export function clientOf(vault: string, changed: Partial<Access> = {}): Client {
  const fixed = access(changed);
  return new Client(machine, vault, () => fixed);
}

/** Run the program in a vault and return what it prints. */
export async function cli(vault: string, ...args: string[]): Promise<string> {
  const ran = await machine.run(PROGRAM, [...args, "--vault", vault]);
  return ran.out;
}

/** Wait until something is true; fails with `what` when it does not become so. */
export async function until<Value>(look: () => Promise<Value> | Value, what: string): Promise<NonNullable<Value>> {
  const end = Date.now() + 40000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}
