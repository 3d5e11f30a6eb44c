/** What may succeed a moment later: too many requests, and a server or proxy that is away. */
const TEMPORARY = new Set([429, 500, 502, 503, 504]);
/** In ms. A longer Retry-After is the caller's to wait for. */
const LONGEST_PAUSE = 60_000;
/** A call that failed. */
export class CarillonError extends Error {
    /** The HTTP status, or 0 if there was no response. */
    status;
    /** Identifies the error for programs. */
    code;
    /** The invalid fields. */
    errors;
    /** In seconds, if the server named a time. */
    retryAfter;
    constructor(message, status = 0, problem = {}, retryAfter, cause) {
        super(message, { cause });
        this.name = "CarillonError";
        this.status = status;
        this.code = problem.code ?? "";
        this.errors = problem.errors ?? [];
        this.retryAfter = retryAfter;
    }
}
/** A client of one server, for Node, Deno, Bun and workers. */
export class Carillon {
    #url;
    #key;
    #timeout;
    #retries;
    #fetch;
    constructor(options) {
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
    send(notice, idempotencyKey = crypto.randomUUID()) {
        return this.#call("POST", "/notices", { body: notice, once: idempotencyKey });
    }
    /** Returns who would get a notice if it were sent now, and sends nothing. */
    dryRun(notice) {
        return this.#call("POST", "/notices?dry_run=1", { body: notice });
    }
    /** Sends up to 1,000 notices. The results are in the same order; a refused notice has an error. */
    async sendAll(notices, idempotencyKey = crypto.randomUUID()) {
        const answer = await this.#call("POST", "/notices/batch", { body: { notices }, once: idempotencyKey });
        return answer.results;
    }
    /** Returns a notice, and how far its delivery and reading are. */
    notice(id) {
        return this.#call("GET", `/notices/${id}`);
    }
    /** Returns why a user got a notice, or did not. */
    why(id, user) {
        return this.#call("GET", `/notices/${id}/why?user=${encodeURIComponent(user)}`);
    }
    /** Removes a notice from all inboxes. */
    retract(id) {
        return this.#call("DELETE", `/notices/${id}`);
    }
    /** Asks people. `wait` returns what they chose. */
    ask(question, idempotencyKey = crypto.randomUUID()) {
        return this.#call("POST", "/asks", { body: question, once: idempotencyKey });
    }
    /** Waits until a question has ended, or rejects when the signal aborts. */
    async wait(id, signal) {
        for (;;) {
            const asked = await this.#call("GET", `/asks/${id}?wait=55`, { longer: 55_000, signal });
            if (asked.state !== "open")
                return asked;
        }
    }
    /** Returns a question as it is now. */
    question(id) {
        return this.#call("GET", `/asks/${id}`);
    }
    /** Ends an open question without an outcome. */
    async withdraw(id) {
        try {
            await this.#call("DELETE", `/asks/${id}`);
        }
        catch (e) {
            // An earlier try may have withdrawn it, and its response was lost.
            if (!(e instanceof CarillonError) || e.code !== "ask_ended" || (await this.question(id)).state !== "withdrawn")
                throw e;
        }
    }
    /** Creates a user, or changes what `change` names. */
    putUser(name, change = {}) {
        return this.#call("PUT", `/users/${encodeURIComponent(name)}`, { body: change });
    }
    /** Returns a user. */
    user(name) {
        return this.#call("GET", `/users/${encodeURIComponent(name)}`);
    }
    /** Deletes a user and what was sent to them alone. It is no error if there is no such user. */
    async deleteUser(name) {
        try {
            await this.#call("DELETE", `/users/${encodeURIComponent(name)}`);
        }
        catch (e) {
            if (!(e instanceof CarillonError) || e.status !== 404)
                throw e;
        }
    }
    /** Returns the numbers of a user's bell. */
    badge(name) {
        return this.#call("GET", `/users/${encodeURIComponent(name)}/badge`);
    }
    /** Returns the keys for `verifyReceipt`. Keep them for some hours; they change seldom. */
    receiptKeys() {
        return this.#call("GET", "/receipts/jwks.json");
    }
    async #call(method, path, extra = {}) {
        for (let n = 0;; n++) {
            const failure = await this.#try(method, path, extra);
            if (!(failure instanceof CarillonError))
                return failure.value;
            const pause = failure.retryAfter === undefined ? 500 * 2 ** n * (0.8 + 0.4 * Math.random()) : failure.retryAfter * 1000;
            if ((failure.status !== 0 && !TEMPORARY.has(failure.status)) || n >= this.#retries || pause > LONGEST_PAUSE)
                throw failure;
            await new Promise((resolve) => setTimeout(resolve, pause));
            extra.signal?.throwIfAborted();
        }
    }
    async #try(method, path, extra) {
        const headers = { Authorization: `Bearer ${this.#key}` };
        if (extra.body !== undefined)
            headers["Content-Type"] = "application/json";
        if (extra.once !== undefined)
            headers["Idempotency-Key"] = extra.once;
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
            if (response.ok)
                return { value: (text === "" ? undefined : JSON.parse(text)) };
            return refused(response, text);
        }
        catch (e) {
            extra.signal?.throwIfAborted();
            return new CarillonError(`${method} ${path}: ${e instanceof Error ? e.message : e}`, 0, {}, undefined, e);
        }
    }
}
function refused(response, text) {
    let problem = {};
    try {
        problem = JSON.parse(text) ?? {};
    }
    catch {
        // It is the answer of a proxy.
    }
    const fields = (problem.errors ?? []).map((e) => `; ${e.location}: ${e.message}`);
    const after = response.headers.get("Retry-After") ?? "";
    return new CarillonError(`${response.status} ${problem.detail ?? response.statusText}${fields.join("")}`, response.status, problem, /^\d+$/.test(after) ? Number(after) : undefined);
}
