/** Finding a living daemon by its state file, starting one, and calling it. Knows nothing of Obsidian. */

import type { Calls, Status } from "./shapes";
import { trouble } from "./text";

const PROTOCOL = 1;
const PATIENCE = 20000; // milliseconds that a daemon may need to start, on a busy machine with a cold disk
const STEP = 150; // milliseconds between two looks at the state file
const LONGEST = 40000; // milliseconds; the daemon itself gives up earlier

/** What the plugin needs of the machine that it runs on. */
export interface Machine {
  request(url: string, init: Sent): Promise<{ status: number; text: string }>;
  /** The text of a file; rejects when it cannot be read. */
  read(path: string): Promise<string>;
  /** Run a program and wait for its end; code 127 when it is missing. */
  run(program: string, args: string[]): Promise<{ code: number; out: string; err: string }>;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The settings that matter here; an empty address means the one that the state file names. */
export interface Access {
  program: string;
  start: boolean;
  address: string;
  token: string;
}

interface Connection {
  origin: string;
  token: string;
}

/** Something that went wrong, in one line. */
export class Trouble extends Error {
  constructor(
    line: string,
    readonly status = 0,
    readonly overtaken = false,
    readonly off = false,
  ) {
    super(line);
  }
}

const ROUTES: { [name in keyof Calls]: (fields: Calls[name]["fields"]) => string } = {
  search: () => "POST /v1/search",
  ask: () => "POST /v1/ask",
  related: ({ path, limit }) => `GET /v1/related?path=${encodeURIComponent(path)}&limit=${limit ?? 20}`,
  get: ({ address }) => `GET /v1/get?address=${encodeURIComponent(address)}`,
  status: () => "GET /v1/status",
};

/** HMAC-SHA256 in hexadecimal digits: what only one who knows the token can answer to a challenge. */
async function proof(token: string, challenge: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(token), algorithm, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(challenge))));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function parsed(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    return found && typeof found === "object" ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Calls for one vault, with the connection that was found last. */
export class Client {
  private state: string | null = null;
  private connection: Connection | null = null;
  private connecting: Promise<Connection> | null = null;
  private readonly name = `obsidian-${hex(crypto.getRandomValues(new Uint8Array(4)))}`;

  constructor(
    private readonly machine: Machine,
    private readonly vault: string,
    private readonly access: () => Access,
  ) {}

  /** Where the daemon listens, as far as that is known. */
  get origin(): string | null {
    return this.connection?.origin ?? null;
  }

  /** Forget what was found, and what is being found just now: for changed settings. */
  forget(): void {
    this.state = this.connection = this.connecting = null;
  }

  /** Make a call. Throws Trouble. A daemon that was restarted is found anew, once. */
  async call<Name extends keyof Calls>(name: Name, fields: Calls[Name]["fields"]): Promise<Calls[Name]["found"]> {
    try {
      return await this.ask(name, fields);
    } catch (error) {
      if (!(error instanceof Trouble) || !error.off) throw error;
      this.connection = null;
      return this.ask(name, fields);
    }
  }

  /** Start the daemon if none runs. Throws Trouble. */
  async start(): Promise<void> {
    this.connection = (await this.greet()) ?? (await this.launch());
  }

  private async ask<Name extends keyof Calls>(name: Name, fields: Calls[Name]["fields"]): Promise<Calls[Name]["found"]> {
    const connection = this.connection ?? (await this.connect());
    const [method = "GET", path] = ROUTES[name](fields).split(" ");
    const sent = name === "search" ? { ...fields, client: this.name } : fields; // a newer search drops its older ones
    const body = method === "POST" ? JSON.stringify(sent) : undefined;
    const headers: Record<string, string> = { Authorization: `Bearer ${connection.token}` };
    if (body) headers["Content-Type"] = "application/json";
    const answer = await this.send(`${connection.origin}${path}`, { method, headers, body });
    const found = parsed(answer.text);
    if (answer.status === 200) return found as unknown as Calls[Name]["found"];
    const refused = answer.status === 401 || answer.status === 403;
    const said = { what: `the daemon answered with status ${answer.status}`, ...(found["error"] as object | undefined) };
    throw new Trouble(trouble(said), answer.status, found["overtaken"] === true, refused);
  }

  private async send(url: string, sent: Sent): Promise<{ status: number; text: string }> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no answer in time")), LONGEST);
    });
    try {
      return await Promise.race([this.machine.request(url, sent), late]);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      throw new Trouble(`the daemon does not answer: ${said}`, 0, false, true);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Find a daemon; all who ask meanwhile wait for the same. */
  private async connect(): Promise<Connection> {
    const finding = (this.connecting ??= this.found());
    try {
      const found = await finding;
      if (this.connecting === finding) this.connection = found;
      return found;
    } finally {
      if (this.connecting === finding) this.connecting = null;
    }
  }

  private async found(): Promise<Connection> {
    const living = await this.greet();
    if (living) return living;
    const { address, token, start } = this.access();
    if (address || token) {
      throw new Trouble("no daemon answers to the address and token in the settings: clear them and it is found by itself");
    }
    if (start) return this.launch();
    throw new Trouble("the daemon is off: run `onebrain-search serve`, or start it from the command palette", 0, false, true);
  }

  /** Greet the daemon that is announced. Another program may have its port by now, so whoever listens must prove to
   * know the token before it is sent there. */
  private async greet(): Promise<Connection | null> {
    const said = await this.announced();
    if (!said) return null;
    const challenge = hex(crypto.getRandomValues(new Uint8Array(16)));
    try {
      const answer = await this.machine.request(`${said.origin}/health?challenge=${challenge}`, {});
      const health = parsed(answer.text);
      return health["protocol"] === PROTOCOL && health["proof"] === (await proof(said.token, challenge)) ? said : null;
    } catch {
      return null;
    }
  }

  private async announced(): Promise<Connection | null> {
    const { address, token } = this.access();
    const state = address && token ? "" : await this.folder();
    const file = state ? parsed(await this.machine.read(`${state}/daemon.json`).catch(() => "")) : {};
    const port = file["port"];
    const origin = address ? `http://${address.replace(/^https?:\/\//, "").replace(/\/+$/, "")}` : `http://127.0.0.1:${port}`;
    const secret = token || file["token"];
    return (address || typeof port === "number") && typeof secret === "string" ? { origin, token: secret } : null;
  }

  /** The folder of the index, as the program names it; asked once. */
  private async folder(): Promise<string> {
    if (this.state === null) {
      const ran = await this.machine.run(this.access().program, ["status", "--vault", this.vault, "--json"]);
      const found = parsed(ran.out) as unknown as Status;
      if (!found.state) throw new Trouble(this.said(ran));
      this.state = found.state;
    }
    return this.state;
  }

  private async launch(): Promise<Connection> {
    const state: { failed: Trouble | null } = { failed: null };
    void this.machine.run(this.access().program, ["serve", "--vault", this.vault]).then((ran) => {
      if (ran.code !== 0) state.failed = new Trouble(this.said(ran), 0, false, true);
    });
    for (let waited = 0; waited < PATIENCE; waited += STEP) {
      const living = await this.greet();
      if (living) return living;
      if (state.failed) throw state.failed;
      await pause(STEP);
    }
    throw new Trouble("the daemon did not start in time: run `onebrain-search serve --foreground` to see why", 0, false, true);
  }

  private said(ran: { code: number; err: string }): string {
    if (ran.code === 127) return `${this.access().program} was not found: install onebrain-search, or name it in the settings`;
    const line = ran.err.trim().split("\n").pop()?.replace(/^error: /i, "");
    return line || `${this.access().program} ended with code ${ran.code}`;
  }
}
