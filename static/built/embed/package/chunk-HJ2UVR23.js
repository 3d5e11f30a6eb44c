import {
  Session,
  SignedOut,
  Tokens,
  addressOf,
  backoff,
  baseOf,
  changed,
  complain,
  cure,
  dropped,
  follow,
  fresh,
  headersOf,
  isVisible,
  marked,
  newer,
  ours,
  placeOf,
  put,
  refused,
  timer,
  tokenFrom
} from "./chunk-JAZKCFTZ.js";

// static/embed/account.js
var patience = 3e4;
var Account = class {
  #off = new AbortController();
  // until the user signs out
  #failures = 0;
  // to determine who is signed in
  #server;
  #known;
  #provide;
  #on;
  /** @type {Tokens} */
  tokens;
  /**
   * @param {string} server
   * @param {import("./snapshot.js").Known} known
   * @param {(onUser: (user: string) => void, signal: AbortSignal) => Tokens} provide
   * @param {{user: (user: string) => void, gone: () => void, fault: (err: any) => void}} on gone: no user is signed in
   */
  constructor(server, known, provide, on) {
    this.#server = server;
    this.#known = known;
    this.#provide = provide;
    this.#on = on;
    this.tokens = this.#connect();
    void this.#begin();
  }
  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  async call(method, path, body) {
    const { signal } = this.#off;
    const { user } = this.#known.now;
    const answer = await this.#ask(signal, method, path, body).catch((err) => {
      if (err instanceof SignedOut && !signal.aborted) this.lost();
      throw err;
    });
    if (signal.aborted || user && user !== this.#known.now.user) throw Error("user left");
    return answer;
  }
  /** Determines again who is signed in, and reports whether a user is. It starts again after end. */
  again() {
    if (this.#off.signal.aborted) {
      this.tokens = this.#connect();
      this.#known.set({ state: "connecting" });
    }
    return this.#begin(this.tokens.anew());
  }
  /** The user has left, or the application gave an unclear response: then asks it again. */
  lost() {
    this.#on.gone();
    void this.#begin();
  }
  /** Ends all calls. */
  end() {
    this.#off.abort();
  }
  #connect() {
    const { signal } = this.#off = new AbortController();
    addEventListener("online", () => this.#known.now.user || void this.#begin(), { signal });
    return this.#provide((user) => signal.aborted || this.#on.user(user), signal);
  }
  /** Makes a call, and replaces a rejected token once. @param {AbortSignal} off @param {string} method @param {string} path @param {object} [body] */
  async #ask(off, method, path, body) {
    const { tokens } = this;
    for (let again = false; ; again = true) {
      off.throwIfAborted();
      const headers = headersOf(await tokens.get(again));
      if (body) headers["Content-Type"] = "application/json";
      const address = `${this.#server}api/v1/me${path && "/"}${path}`;
      const res = await fetch(method === "GET" ? fresh(address) : address, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.any([off, AbortSignal.timeout(patience)]) }).catch(async (err) => {
        throw Object.assign(err, !off.aborted && await refused(this.#server) && { code: "origin_refused" });
      });
      if (res.ok) return res.status === 204 ? void 0 : res.json();
      if (res.status === 401 && !again) continue;
      const problem = await res.json().catch(() => ({}));
      if (problem.code === "origin_refused") complain(cure(this.#server));
      throw Object.assign(Error(problem.detail ?? `status ${res.status}`), { code: problem.code ?? String(res.status) });
    }
  }
  /** Determines who is signed in, and reports whether a user is. A failure is retried soon. @returns {Promise<boolean | void>} */
  async #begin(asked = this.tokens.get()) {
    const { signal } = this.#off;
    try {
      await asked;
      this.#failures = 0;
      return true;
    } catch (err) {
      if (signal.aborted) return;
      const { message } = (
        /** @type {Error} */
        err
      );
      if (err instanceof SignedOut) this.#on.gone();
      else if (!this.#known.now.user) this.#known.set({ state: navigator.onLine ? "reconnecting" : "offline" });
      if (!message) return;
      complain(message);
      this.#on.fault(err);
      const nth = ++this.#failures;
      setTimeout(() => signal.aborted || nth !== this.#failures || this.#begin(), backoff(nth - 1, Math.random()));
    }
  }
};

// static/embed/polling.js
var Polling = class {
  #off = () => {
  };
  #run = 0;
  // a response may arrive after stop
  #ask;
  #after;
  /** @param {() => Promise<void>} ask makes one request @param {Pick<import("../js/clock.js").Clock, "after">} time */
  constructor(ask, { after } = timer) {
    this.#ask = ask;
    this.#after = after;
  }
  /** Starts polling soon, unless stop is called before, because a stream has opened. */
  watch() {
    const buffered = 5e3;
    this.stop();
    this.#off = this.#after(buffered, () => {
      complain("no proxy may buffer /api/v1/me/events");
      void this.#poll(this.#run);
    });
  }
  stop() {
    this.#off();
    this.#run++;
  }
  /** @param {number} run */
  async #poll(run) {
    await this.#ask();
    if (run === this.#run) this.#off = this.#after(3e4, () => void this.#poll(run));
  }
};

// static/embed/snapshot.js
var none = { unread: 0, inbox: 0, announcements: 0, ver: 0, aver: 0 };
var unknown = { unread: null, inbox: null, announcements: null };
var nothing = { badge: unknown, notices: null, next: null, filter: "", announcements: null };
var most = 500;
var Known = class {
  /** @type {Snapshot} */
  now = Object.freeze({ state: "connecting", user: null, ...nothing });
  /** @type {Set<(now: Snapshot) => void>} */
  #subscribers = /* @__PURE__ */ new Set();
  /** @type {import("../js/badge.js").Badge} */
  #badge = none;
  /** @type {((rows: readonly Row[]) => readonly Row[])[]} */
  #late = [];
  // changes since the last page was requested
  /** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
  subscribe(fn) {
    this.#subscribers.add(fn);
    fn(this.now);
    return () => void this.#subscribers.delete(fn);
  }
  /** @param {Partial<Snapshot>} part */
  set(part) {
    this.now = Object.freeze({ ...this.now, ...part });
    for (const notify of this.#subscribers) notify(this.now);
  }
  /** Drops everything about the previous user. @param {State} state @param {string | null} user */
  become(state, user) {
    this.#badge = none;
    this.set({ state, user, ...nothing });
  }
  /** @param {import("../js/badge.js").Badge} badge */
  count(badge) {
    this.#badge = newer(this.#badge, badge);
    const { unread, inbox, announcements } = this.#badge;
    const is = this.now.badge;
    if (inbox !== is.inbox || announcements !== is.announcements) this.set({ badge: { unread, inbox, announcements } });
  }
  /**
   * Changes the rows, if they are loaded, by a function of rows.js.
   * @template {any[]} About
   * @param {(rows: readonly Row[], ...about: About) => readonly Row[]} change
   * @param {About} about
   */
  rows(change, ...about) {
    const apply = (rows) => change(rows, ...about);
    if (this.#late.length < most) this.#late.push(apply);
    const { notices } = this.now;
    if (notices) this.set({ notices: apply(notices) });
  }
  /**
   * Shows a page of rows, unless another was requested since. Changes since the request are applied to it, because
   * the response may be older.
   * @param {Promise<{notices: Row[], next: number | null, badge: import("../js/badge.js").Badge}>} asked
   * @param {readonly Row[]} [above] rows that stay above it
   */
  async page(asked, above = []) {
    const late = this.#late = /** @type {((rows: readonly Row[]) => readonly Row[])[]} */
    [];
    const { notices, next, badge } = await asked;
    if (late !== this.#late) return;
    this.count(badge);
    let rows = [...above, ...notices];
    for (const apply of late) rows = apply(rows);
    this.set({ notices: rows, next });
  }
  /**
   * Adds a row that arrived. The oldest rows of a page that stays open for days are dropped: they can be loaded
   * again.
   * @param {any} row
   * @param {string} filter
   */
  add(row, filter) {
    this.rows(put, row, filter);
    const rows = (
      /** @type {Row[]} */
      this.now.notices ?? []
    );
    const last = rows[most - 1];
    if (last && rows[most]) this.set({ notices: rows.slice(0, most), next: last.at });
  }
  /** Stops notifying subscribers. */
  close() {
    this.#subscribers.clear();
  }
};

// static/embed/taking.js
var yields = 150;
var held = 15e3;
var remembered = 500;
function taking(name) {
  const known = /* @__PURE__ */ new Set();
  return async (id, show, again) => {
    if (known.has(id)) return again();
    if (!isVisible()) return;
    if (!document.hasFocus()) await new Promise((resolve) => setTimeout(resolve, yields));
    const mine = () => {
      if (known.size === remembered) known.clear();
      known.add(id);
      show();
    };
    if (!("locks" in navigator)) return mine();
    void navigator.locks.request(`${name} toast ${id}`, { ifAvailable: true }, (lock) => {
      if (!lock) return void 0;
      mine();
      return new Promise((resolve) => setTimeout(resolve, held));
    });
  };
}

// static/embed/client.js
var Client = class extends EventTarget {
  #known = new Known();
  #following = new AbortController();
  // the user
  #polling = new Polling(() => {
    this.#known.set({ state: "polling" });
    return this.#quietly(this.call("GET", "badge").then((badge) => this.#known.count(badge)));
  });
  #closed = false;
  #filter = "all";
  #subject = "";
  // what the user looks at
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;
  #toasts = false;
  #server;
  #account;
  /** @param {string} server @param {(onUser: (user: string) => void, signal: AbortSignal) => import("./tokens.js").Tokens} provide */
  constructor(server, provide) {
    super();
    this.#server = server;
    this.#account = new Account(server, this.#known, provide, {
      user: (user) => this.#become(user),
      gone: () => this.#leave(),
      fault: (err) => this.#fail(err)
    });
  }
  /** Calls fn now and after each change. Returns a function that unsubscribes. @param {(now: Snapshot) => void} fn */
  subscribe(fn) {
    return this.#known.subscribe(fn);
  }
  getSnapshot = () => this.#known.now;
  /** @param {string} name @param {(e: CustomEvent) => void} fn */
  on(name, fn) {
    this.addEventListener(
      name,
      /** @type {EventListener} */
      fn
    );
    return () => this.removeEventListener(
      name,
      /** @type {EventListener} */
      fn
    );
  }
  /** Makes a call of /api/v1/me that has no method here. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  call(method, path, body) {
    return this.#account.call(method, path, body);
  }
  /** Loads the first page, or the next one. filter is all, unread, archived or later. @param {{filter?: string, more?: boolean}} [which] */
  async load({ filter = this.#filter, more } = {}) {
    const { next, notices } = this.#known.now;
    const before = more && next;
    this.#show(filter);
    await this.#known.page(this.call("GET", `notices?filter=${filter}${before ? `&before=${before}` : ""}`), before && notices || []);
  }
  async loadAnnouncements() {
    const { badge, announcements } = await this.call("GET", "announcements");
    this.#known.count(badge);
    this.#known.set({ announcements });
  }
  /** Opens the inbox: marks everything as read, and what was unread as `new`. */
  async open() {
    this.#show("all");
    await this.#known.page(this.call("POST", "open"));
  }
  /** @param {{keys: string[]} | {upto: number | string} | {subject: string}} what */
  async read(what) {
    await this.#change("read", what, marked, what, true);
    if ("subject" in what && this.#known.now.notices) await this.load();
  }
  /**
   * The user looks at a thing itself: all notices about it are read, also those that arrive while the page is visible,
   * until the next call. An empty subject ends it.
   * @param {string} subject
   */
  async seen(subject) {
    this.#subject = subject;
    if (subject) this.#known.count(await this.call("POST", "seen", { subject }));
  }
  /** @param {string[]} keys */
  unread(keys) {
    return this.#change("unread", { keys }, marked, { keys }, false);
  }
  /** @param {string[]} keys */
  delete(keys) {
    return this.#change("delete", { keys }, dropped, keys);
  }
  /** Moves notices to the archive. @param {string[]} keys */
  archive(keys) {
    return this.#change("archive", { keys }, dropped, keys);
  }
  /** Moves archived notices back to their places. @param {string[]} keys */
  unarchive(keys) {
    return this.#change("unarchive", { keys }, dropped, keys);
  }
  /** Puts a notice away until a time: RFC 3339, at most 90 days from now. @param {string} key @param {string} until */
  snooze(key, until) {
    return this.#change("snooze", { key, until }, dropped, [key]);
  }
  /** Brings a notice back that was put away. @param {string} key */
  wake(key) {
    return this.#change("wake", { key }, dropped, [key]);
  }
  /** Undoes a deletion, which is possible for 10 minutes, or an archiving or snoozing. @param {string[]} keys */
  async restore(keys) {
    this.#known.count(await this.call("POST", "restore", { keys }));
    await this.load();
  }
  /** Answers a question: the ids of the question and of a choice, with a comment if the choice has one. @param {number} id @param {string} choice @param {string} [comment] */
  async answer(id, choice, comment) {
    await this.call("POST", "answers", { id, choice, comment });
    await this.load();
  }
  /** Returns the signed-in user, with their settings and the types of notices. */
  me() {
    return this.call("GET", "");
  }
  /** Mutes a type of notices, or unmutes it. @param {string} type @param {boolean} muted */
  mute(type, muted) {
    return this.call(muted ? "PUT" : "DELETE", `mutes/${encodeURIComponent(type)}`);
  }
  /** @param {{ids: number[]} | {all: true}} what */
  async readAnnouncements(what) {
    this.#known.count(await this.call("POST", "announcements/read", what));
    await this.loadAnnouncements();
  }
  /**
   * Directs toasts to this page: each is a `toast` event in one visible tab of the browser, whose `detail.shown()`
   * reports to the server that it was shown.
   */
  takeToasts() {
    const { user } = this.#known.now;
    if (!this.#toasts && user) this.#listen(user, true);
    this.#toasts = true;
  }
  /**
   * Determines again who is signed in, and reloads everything on display: for a sign-in or sign-out without a new
   * page. It also restarts a client after `end`.
   */
  async refresh() {
    if (!this.#closed && await this.#account.again()) await Promise.all([this.load(), this.loadAnnouncements()]);
  }
  /** Ends everything, permanently. */
  close() {
    this.#closed = true;
    this.#stop();
    this.#account.end();
    this.#known.close();
  }
  /** Drops the user immediately; the state becomes signed out. `refresh` starts again. */
  end() {
    this.#account.end();
    this.#leave();
  }
  #stop() {
    this.#polling.stop();
    this.#following.abort();
    clearTimeout(this.#soon);
    this.#soon = void 0;
  }
  #leave() {
    this.#stop();
    this.#known.become("signed-out", null);
  }
  /** Starts following a user. All data of the previous user is dropped. @param {string} user */
  #become(user) {
    if (user === this.#known.now.user) return;
    this.#stop();
    this.#known.become("connecting", user);
    this.#listen(user);
  }
  /** Follows the events of a user. @param {string} user */
  #listen(user, toasts = this.#toasts) {
    this.#following.abort();
    const { signal } = this.#following = new AbortController();
    const name = `${this.#server} ${user}`;
    const take = taking(name);
    follow(`${this.#server}api/v1/me/events?toasts=${Number(toasts)}&zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, name, this.#account.tokens, signal, {
      state: (state, status) => this.#follow(state, status),
      badge: (badge) => {
        this.#polling.stop();
        if (this.#known.now.state === "polling") this.#known.set({ state: "live" });
        this.#known.count(badge);
      },
      notice: (row) => {
        if (!this.#elsewhere()) this.#known.add(row, this.#filter);
        this.#emit("notice", row);
        if (this.#subject && row.key.endsWith(`:${this.#subject}`) && isVisible()) void this.#quietly(this.seen(this.#subject));
      },
      changed: (row) => this.#known.rows(changed, row),
      read: (what) => this.#known.rows(marked, what, true),
      unread: (what) => this.#known.rows(marked, what, false),
      removed: ({ key }) => this.#elsewhere() || this.#known.rows(dropped, [key]),
      toast: (toast) => {
        if (!this.#toasts) return;
        const ids = toast.id.split(",");
        const shown = () => void this.#quietly(this.call("POST", "toasts/ack", { ids }));
        void take(toast.id, () => this.#emit("toast", { toast, shown }), shown);
      }
    }, (event) => {
      if (/^ann/.test(event)) this.#reloadAnnouncements();
      this.#emit("change");
    });
    document.addEventListener("visibilitychange", () => this.#toasts && this.#quietly(this.call("POST", "active", { visible: isVisible() })), { signal });
  }
  /** @param {State} state @param {number} [status] of the response; 0: none */
  #follow(state, status) {
    this.#polling.stop();
    if (state === "signed-out") return this.#account.lost();
    if (state === "reconnecting" && status === 0 && this.#known.now.badge.unread === null) void refused(this.#server);
    if (state === "live") {
      this.#polling.watch();
      this.#reload();
      this.#reloadAnnouncements();
    }
    this.#known.set({ state });
  }
  /** Loads the rows on display again. */
  #reload() {
    if (this.#known.now.notices) this.#quietly(this.load());
  }
  /** Loads the announcements on display again. */
  #reloadAnnouncements() {
    if (this.#known.now.announcements) this.#quietly(this.loadAnnouncements());
  }
  /** Rows are on display from now on: those of another place disappear at once. @param {string} filter */
  #show(filter) {
    if (placeOf(filter) !== placeOf(this.#filter)) this.#known.set({ notices: null, next: null });
    this.#filter = filter;
    this.#known.set({ filter });
  }
  /** Reports whether the rows on display are not in the inbox. Then what enters or leaves the inbox may leave or enter them, and they are loaded again. */
  #elsewhere() {
    const elsewhere = placeOf(this.#filter);
    if (elsewhere) this.#soon ??= setTimeout(() => {
      this.#soon = void 0;
      this.#reload();
    }, 200);
    return elsewhere;
  }
  /** Changes the rows immediately, and reverts that if the server rejects them. @template {any[]} A @param {string} path @param {object} body @param {(rows: readonly Row[], ...about: A) => readonly Row[]} change @param {A} about */
  async #change(path, body, change, ...about) {
    this.#known.rows(change, ...about);
    try {
      this.#known.count(await this.call("POST", path, body));
    } catch (err) {
      this.#reload();
      throw err;
    }
  }
  /** @param {Promise<any>} work */
  #quietly(work) {
    return work.catch((err) => this.#fail(err));
  }
  /** @param {any} err */
  #fail(err) {
    this.#emit("error", { code: err.code ?? "failed", detail: err.message });
  }
  /** @param {string} name @param {any} [detail] */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
};

// static/embed/core.js
function connect({ server, tokenUrl, tokenProvider }) {
  const base = baseOf(server);
  if (!tokenProvider && !tokenUrl && ours(base)) return new Client(base, (onUser) => new Session(base, onUser));
  const source = tokenProvider ? "" : addressOf("token-url", tokenUrl ?? "", "/carillon/token", /./).href;
  return new Client(base, (onUser, signal) => new Tokens(tokenProvider ?? tokenFrom(source), onUser, source && `${base} ${source}`, signal));
}

export {
  Known,
  Client,
  connect
};
