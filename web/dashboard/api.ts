// Asking the server. Whatever it refuses becomes a Problem in words for people; when it is not there, that is told apart.
import { Cell } from "./cell.ts";
import { hearClock } from "./clock.ts";
import { facts } from "./facts.ts";
import { problemWords } from "./problems.ts";
import type { Session } from "./shapes.ts";

const GIVE_UP_MS = 12_000;

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly field = "",
    readonly more: Readonly<Record<string, unknown>> = {}, // what else the document says, such as the character
  ) {
    super(problemWords(detail, field));
  }
}

export class Gone extends Error {}

export const session = new Cell<Session | null>(null);
// How many requests in a row found nobody; the banner shows as soon as there is one.
export const missed = new Cell(0);

export type Query = Record<string, string | number | readonly string[] | undefined>;

export function addressWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") parameters.append(name, String(one));
    }
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export interface Answered<T> {
  body: T;
  maxAgeS: number;
}

export async function get<T>(path: string, query: Query = {}): Promise<T> {
  return (await ask<T>("GET", addressWith(path, query))).body;
}

export async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  query: Query = {},
  giveUpMs = GIVE_UP_MS,
): Promise<T> {
  return (await ask<T>(method, addressWith(path, query), body, giveUpMs)).body;
}

export async function ask<T>(
  method: string,
  address: string,
  body?: unknown,
  giveUpMs = GIVE_UP_MS,
): Promise<Answered<T>> {
  const headers: Record<string, string> = {};
  if (method !== "GET") {
    const csrf = session.value?.csrf;
    if (csrf) headers["X-Footfall-CSRF"] = csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
  }
  const reply = await reached(address, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    cache: "no-cache", // A cache may keep a list for a while; we ask whether it is still the newest.
    signal: AbortSignal.timeout(giveUpMs),
  });
  const told = await document(reply);
  if (!reply.ok) {
    // A session that has ended takes its roles with it; the page should not offer what is refused.
    if (reply.status === 401 && session.value?.person && address !== "/v1/session")
      void learnSession().catch(() => {});
    throw problemFrom(reply.status, told);
  }
  const maxAge = /max-age=(\d+)/.exec(reply.headers.get("cache-control") ?? "");
  return { body: told as T, maxAgeS: maxAge ? Number(maxAge[1]) : 0 };
}

export async function text(path: string): Promise<string> {
  const reply = await reached(path, { cache: "no-store", signal: AbortSignal.timeout(GIVE_UP_MS) });
  if (!reply.ok) throw problemFrom(reply.status, await document(reply));
  return reply.text();
}

async function reached(address: string, options: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(address, { ...options, credentials: "same-origin" });
    missed.set(0);
    hearClock(reply.headers);
    return reply;
  } catch (error) {
    missed.set(missed.value + 1);
    throw new Gone(error instanceof Error ? error.message : "no answer");
  }
}

async function document(reply: Response): Promise<unknown> {
  const kind = reply.headers.get("content-type") ?? "";
  if (!kind.includes("json")) return null;
  try {
    return await reply.json();
  } catch {
    throw new Gone("the answer was cut off");
  }
}

export function problemFrom(status: number, told: unknown): Problem {
  const { detail, field, ...more } = (told ?? {}) as { detail?: string; field?: string };
  return new Problem(status, detail ?? `the server answers ${status}`, field, more);
}

const NOBODY: Session = { person: null, csrf: null, brands: [], register: "closed", needsSetup: false };

// Who is signed in; an instance without accounts for people has nobody, and its open brands need none.
export async function learnSession(): Promise<void> {
  session.set(facts.people ? await get<Session>("/v1/session") : NOBODY);
}
