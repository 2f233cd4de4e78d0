/** The JSON of docs/json.md, as far as this plugin reads it. */

export interface Source {
  rank: number;
  path: string;
  line: number;
  start_line: number;
  end_line: number;
  title: string;
  heading: string[];
  kind: "note" | "code";
  symbol: string | null;
  date: string | null;
  excerpt: string;
  text: string;
  highlights: [number, number][];
  stale: boolean;
}

export interface Decision {
  date: string | null;
  date_source: string | null;
  path: string;
  line: number;
  what: string;
  reason: string | null;
  status: string | null;
  superseded_by: string[];
}

export interface Index {
  documents: number;
  chunks: number;
  vectors: number;
  pending: number;
}

export interface Found {
  query: string;
  sources: Source[];
  notes: string[];
  index: Index;
}

export interface Answer {
  question: string;
  mode: "what" | "why";
  confidence: "strong" | "weak" | "none";
  answer: string;
  sources: Source[];
  chain: Decision[];
  in_force: Decision | null;
  notes: string[];
  index: Index;
}

export interface Related {
  path: string;
  related: Source[];
}

export interface Status extends Partial<Index> {
  vault: string;
  state: string;
  exists: boolean;
  code?: Record<string, string>;
  model?: string;
  stale?: { new: number; changed: number; removed: number } | null;
  failed?: { path: string; reason: string }[];
}

/** What each call takes and gives. */
export interface Calls {
  search: { fields: { query: string; limit?: number; stage?: "lexical" }; found: Found };
  ask: { fields: { question: string; mode?: "auto" | "what" | "why"; limit?: number }; found: Answer };
  related: { fields: { path: string; limit?: number }; found: Related };
  get: { fields: { address: string }; found: { path: string; start_line: number; text: string } };
  status: { fields: Record<string, never>; found: Status };
}
