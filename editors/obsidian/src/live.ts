/** Search as you type: after a pause the words alone, which takes milliseconds, then words and meaning together. */

import { Trouble } from "./daemon";
import type { Calls, Found, Index, Source } from "./shapes";

export interface State {
  query: string;
  stage: "lexical" | "hybrid" | null;
  sources: Source[];
  notes: string[];
  index?: Index;
  trouble: string | null;
  busy: boolean;
}

export const EMPTY: State = { query: "", stage: null, sources: [], notes: [], trouble: null, busy: false };

const MAKING = "the index is being made …";

type Search = (fields: Calls["search"]["fields"]) => Promise<Found>;

/** One live search. A request of Obsidian's cannot be taken back, so an answer that nobody waits for is dropped. */
export class Live {
  state: State = EMPTY;
  private asked = "";
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly search: Search,
    private readonly options: { debounce: number; limit: number },
    private readonly onChange: (state: State) => void,
  ) {}

  /** Whether something was asked that has no answer yet, nor an error. */
  get waits(): boolean {
    return this.state.busy || (this.asked !== this.state.query && !this.state.trouble);
  }

  /** Take what was typed: whatever is on its way is given up, and the pause begins anew. */
  input(text: string): void {
    const query = text.trim();
    if (query === this.asked) return;
    this.asked = query;
    this.cancel();
    if (query === "") return this.show(EMPTY);
    const turn = this.turn;
    this.timer = setTimeout(() => void this.ask(query, turn), this.options.debounce);
  }

  /** Give up what is on its way. */
  cancel(): void {
    this.turn += 1;
    clearTimeout(this.timer);
  }

  private show(state: State): void {
    this.state = state;
    this.onChange(state);
  }

  private async ask(query: string, turn: number): Promise<void> {
    for (const stage of ["lexical", "hybrid"] as const) {
      const words = stage === "lexical";
      try {
        const fields = { query, limit: this.options.limit, ...(words ? { stage: "lexical" as const } : {}) };
        const { sources, notes, index } = await this.search(fields);
        if (turn === this.turn) this.show({ query, stage, sources, notes, index, trouble: null, busy: words });
      } catch (error) {
        const trouble = error instanceof Trouble ? error : new Trouble(String(error));
        if (turn !== this.turn || trouble.overtaken) return;
        // A search by words does not wait for the first index to be made; the one by meaning does.
        const making = words && trouble.status === 503;
        this.show({ ...this.state, trouble: making ? MAKING : trouble.message, busy: making });
        if (!making) return;
      }
      if (turn !== this.turn) return;
    }
  }
}
