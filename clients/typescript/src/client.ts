import type { Keys } from "./signing.js";
import type { Accepted, Ask, Badge, FieldError, Notice, NoticeState, Problem, Question, Rehearsal, Result, User, UserChange, Why } from "./types.js";

/** What may succeed a moment later: too many requests, and a server or proxy that is away. */
const TEMPORARY = new Set([429, 500, 502, 503, 504]);
/** In ms. A longer Retry-After is the caller's to wait for. */
const LONGEST_PAUSE = 60_000;

/** A call that failed. */
export class CarillonError extends Error {
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Identifies the error for programs. */
  readonly code: string;
  /** The invalid fields. */
  readonly errors: FieldError[];
  /** In seconds, if the server named a time. */
  readonly retryAfter: number | undefined;

  constructor(message: string, status = 0, problem: Partial<Problem> = {}, retryAfter?: number, cause?: unknown) {
    super(message, { cause });
    this.name = "CarillonError";
    this.status = status;
    this.code = problem.code ?? "";
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

export interface Options {
  /** The server, with the path under which it is mounted. */
  url: string;
  /** An API key. Never use one in a browser: it sends to everybody. */
  key: string;
  /** How long to wait for a response, in ms. Default: 30,000. */
  timeout?: number;
  /** How often a call is repeated after a failure that may pass. Default: 4. */
  retries?: number;
  /** Another fetch, for example one with a proxy. */
  fetch?: typeof fetch;
}

/** What a call takes besides its body. */
interface Extra {
  body?: unknown;
  once?: string | undefined;
  /** How much longer the server may wait, in ms. */
  longer?: number;
  signal?: AbortSignal | undefined;
}

/** A client of one server, for Node, Deno, Bun and workers. */
export class Carillon {
  readonly #url: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: Options) {
    this.#url = options.url.replace(/\/+$/, "") + "/api/v1";
    this.#key = options.key;
    this.#timeout = options.timeout ?? 30_000;
    this.#retries = options.retries ?? 4;
    this.#fetch = options.fetch ?? fetch;
  }

  /**
   * Sends a notice. Once it is accepted, the notice is stored and will be delivered. Repetitions by the client send nothing twice;
   * give an idempotency key of your own, such as the id of a job, if your program may repeat the call as well.
   */
  send(notice: Notice, idempotencyKey = crypto.randomUUID() as string): Promise<Accepted> {
    return this.#call("POST", "/notices", { body: notice, once: idempotencyKey });
  }

  /** Returns who would get a notice if it were sent now, and sends nothing. */
  dryRun(notice: Notice): Promise<Rehearsal> {
    return this.#call("POST", "/notices?dry_run=1", { body: notice });
  }

  /** Sends up to 1,000 notices. The results are in the same order; a refused notice has an error. */
  async sendAll(notices: Notice[], idempotencyKey = crypto.randomUUID() as string): Promise<Result[]> {
    const answer = await this.#call<{ results: Result[] }>("POST", "/notices/batch", { body: { notices }, once: idempotencyKey });
    return answer.results;
  }

  /** Returns a notice, and how far its delivery and reading are. */
  notice(id: number): Promise<NoticeState> {
    return this.#call("GET", `/notices/${id}`);
  }

  /** Returns why a user got a notice, or did not. */
  why(id: number, user: string): Promise<Why> {
    return this.#call("GET", `/notices/${id}/why?user=${encodeURIComponent(user)}`);
  }

  /** Removes a notice from all inboxes. */
  retract(id: number): Promise<void> {
    return this.#call("DELETE", `/notices/${id}`);
  }

  /** Asks people. `wait` returns what they chose. */
  ask(question: Question, idempotencyKey = crypto.randomUUID() as string): Promise<Accepted> {
    return this.#call("POST", "/asks", { body: question, once: idempotencyKey });
  }

  /** Waits until a question has ended, or rejects when the signal aborts. */
  async wait(id: number, signal?: AbortSignal): Promise<Ask> {
    for (;;) {
      const asked = await this.#call<Ask>("GET", `/asks/${id}?wait=55`, { longer: 55_000, signal });
      if (asked.state !== "open") return asked;
    }
  }

  /** Returns a question as it is now. */
  question(id: number): Promise<Ask> {
    return this.#call("GET", `/asks/${id}`);
  }

  /** Ends an open question without an outcome. */
  async withdraw(id: number): Promise<void> {
    try {
      await this.#call("DELETE", `/asks/${id}`);
    } catch (e) {
      // An earlier try may have withdrawn it, and its response was lost.
      if (!(e instanceof CarillonError) || e.code !== "ask_ended" || (await this.question(id)).state !== "withdrawn") throw e;
    }
  }

  /** Creates a user, or changes what `change` names. */
  putUser(name: string, change: UserChange = {}): Promise<User> {
    return this.#call("PUT", `/users/${encodeURIComponent(name)}`, { body: change });
  }

  /** Returns a user. */
  user(name: string): Promise<User> {
    return this.#call("GET", `/users/${encodeURIComponent(name)}`);
  }

  /** Deletes a user and what was sent to them alone. It is no error if there is no such user. */
  async deleteUser(name: string): Promise<void> {
    try {
      await this.#call("DELETE", `/users/${encodeURIComponent(name)}`);
    } catch (e) {
      if (!(e instanceof CarillonError) || e.status !== 404) throw e;
    }
  }

  /** Returns the numbers of a user's bell. */
  badge(name: string): Promise<Badge> {
    return this.#call("GET", `/users/${encodeURIComponent(name)}/badge`);
  }

  /** Returns the keys for `verifyReceipt`. Keep them for some hours; they change seldom. */
  receiptKeys(): Promise<Keys> {
    return this.#call("GET", "/receipts/jwks.json");
  }

  async #call<T>(method: string, path: string, extra: Extra = {}): Promise<T> {
    for (let n = 0; ; n++) {
      const failure = await this.#try<T>(method, path, extra);
      if (!(failure instanceof CarillonError)) return failure.value;
      const pause = failure.retryAfter === undefined ? 500 * 2 ** n * (0.8 + 0.4 * Math.random()) : failure.retryAfter * 1000;
      if ((failure.status !== 0 && !TEMPORARY.has(failure.status)) || n >= this.#retries || pause > LONGEST_PAUSE) throw failure;
      await new Promise((resolve) => setTimeout(resolve, pause));
      extra.signal?.throwIfAborted();
    }
  }

  async #try<T>(method: string, path: string, extra: Extra): Promise<{ value: T } | CarillonError> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}` };
    if (extra.body !== undefined) headers["Content-Type"] = "application/json";
    if (extra.once !== undefined) headers["Idempotency-Key"] = extra.once;
    const limit = AbortSignal.timeout(this.#timeout + (extra.longer ?? 0));
    try {
      const response = await this.#fetch(this.#url + path, {
        method,
        headers,
        body: extra.body === undefined ? null : JSON.stringify(extra.body),
        redirect: "manual", // it would take the API key elsewhere
        signal: extra.signal ? AbortSignal.any([limit, extra.signal]) : limit,
      });
      const text = await response.text();
      if (response.ok) return { value: (text === "" ? undefined : JSON.parse(text)) as T };
      return refused(response, text);
    } catch (e) {
      extra.signal?.throwIfAborted();
      return new CarillonError(`${method} ${path}: ${e instanceof Error ? e.message : e}`, 0, {}, undefined, e);
    }
  }
}

function refused(response: Response, text: string): CarillonError {
  let problem: Partial<Problem> = {};
  try {
    problem = (JSON.parse(text) as Partial<Problem> | null) ?? {};
  } catch {
    // It is the answer of a proxy.
  }
  const fields = (problem.errors ?? []).map((e) => `; ${e.location}: ${e.message}`);
  const after = response.headers.get("Retry-After") ?? "";
  return new CarillonError(
    `${response.status} ${problem.detail ?? response.statusText}${fields.join("")}`,
    response.status,
    problem,
    /^\d+$/.test(after) ? Number(after) : undefined,
  );
}
