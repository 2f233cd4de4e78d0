/** The machine as Obsidian's desktop app gives it: requestUrl, files and processes. */

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { requestUrl } from "obsidian";
import type { Machine } from "./daemon";

/** A program that is started from a desktop does not see what the shell adds to PATH: the usual places are added. */
function path(): string {
  const places = [join(homedir(), ".local", "bin"), "/opt/homebrew/bin", "/usr/local/bin"];
  return [process.env["PATH"] ?? "", ...places].join(delimiter);
}

export const desktop: Machine = {
  async request(url, { method = "GET", headers = {}, body }) {
    const answer = await requestUrl({ url, method, headers, throw: false, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, text: answer.text };
  },

  read: (file) => readFile(file, "utf8"),

  run(program, args) {
    return new Promise((done) => {
      // Detached: a daemon outlives Obsidian, so that the terminal and other editors can go on using it.
      const environment = { ...process.env, PATH: path() };
      const child = spawn(program, args, { env: environment, detached: true, windowsHide: true });
      let out = "";
      let err = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.on("error", (error: NodeJS.ErrnoException) => {
        done({ code: error.code === "ENOENT" ? 127 : 126, out, err: error.message });
      });
      child.on("exit", (code) => setTimeout(() => done({ code: code ?? 1, out, err }), 20));
      child.unref();
    });
  },
};
