// static/embed/base.js
var home = new URL("../", "__CARILLON_SERVER__").href;
var clear = /^((https?:)?\/\/[^/\\\s]|\.{0,2}\/(?!\/))[^\\\s]*$/i;
function baseOf(text) {
  const meant = text?.trim();
  if (!meant) return home;
  const url = addressOf("server", meant, "https://HOST/", clear);
  url.search = url.hash = "";
  return url.href.replace(/\/*$/, "/");
}
function addressOf(name, text, example, form = /^/) {
  const url = form.test(text) && URL.canParse(text, document.baseURI) && new URL(text, document.baseURI);
  if (!url || !/^http/.test(url.protocol) || url.username || url.password) throw new TypeError(`${name}="${text}" must be an address such as ${example}`);
  return url;
}
var ours = (server) => new URL(server).origin === self.origin;

// static/embed/fresh.js
function fresh(address) {
  return self.origin !== "null" && navigator.serviceWorker?.controller ? address.replace(/\?|$/, `?_=${Math.random()}&`) : address;
}

// static/embed/tokens.js
var SignedOut = class extends Error {
};
var Tokens = class {
  /** @type {string | null} */
  #token = null;
  /** @type {Promise<string> | null} */
  #asked = null;
  /** @type {BroadcastChannel | undefined} */
  #tabs;
  #provide;
  #onUser;
  /**
   * @param {(signal: AbortSignal) => Promise<string | null | undefined>} provide
   * @param {(user: string) => void} onUser is called with the user of each new token
   * @param {string} [name] of the source of tokens; tabs with the same one share them
   * @param {AbortSignal} [signal] ends the sharing
   */
  constructor(provide, onUser, name, signal) {
    this.#provide = provide;
    this.#onUser = onUser;
    if (!name) return;
    this.#tabs = new BroadcastChannel(`carillon token ${name}`);
    this.#tabs.onmessage = (e) => this.#take(e.data);
    signal?.addEventListener("abort", () => this.#tabs?.close());
  }
  /** @param {boolean} [again] the server has rejected the last one @returns {Promise<string>} */
  async get(again) {
    const spare = 3e4;
    const token = this.#token;
    return again || token === null || claims(token).exp * 1e3 - Date.now() <= spare ? this.#asked ?? this.anew() : token;
  }
  /** Requests a token even if one is being requested: another user may have signed in since. Only the last request counts. */
  anew() {
    this.#token = null;
    const last = (use) => (result) => {
      if (mine !== this.#asked) return this.get();
      this.#asked = null;
      return use(result);
    };
    const signal = AbortSignal.timeout(1e4);
    const late = new Promise((_, reject) => signal.onabort = () => reject(Error("no token in 10 s")));
    const mine = this.#asked = Promise.race([this.find(signal), late]).then(
      last(([token, user]) => {
        this.#take(token, user);
        this.#tabs?.postMessage(token);
        return token;
      }),
      last((err) => {
        throw err;
      })
    );
    return mine;
  }
  /** Returns a token for a new stream. Without tokens it requests the user again: another one may have signed in. @param {boolean} refused */
  fresh(refused2) {
    return this.get(refused2 || !this.#token);
  }
  /** The ms until a random moment in the last half of the token's life, so that renewals are spread; NaN without a token. */
  get left() {
    const { iat, exp } = claims(this.#token ?? "");
    return Math.max(1e3, exp * 1e3 - Math.random() * (exp - iat) * 500 - Date.now());
  }
  /** Returns a token, and its user if the token does not name them. @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
  async find(signal) {
    const token = await this.#provide(signal);
    if (!token) throw new SignedOut();
    return [token];
  }
  /** @param {string} token */
  #take(token, user = claims(token).sub) {
    if (!user) throw Error("the token has no sub");
    this.#token = token;
    this.#onUser(`${user}`);
  }
};
var Session = class extends Tokens {
  #server;
  /** @param {string} server @param {(user: string) => void} onUser */
  constructor(server, onUser) {
    super(async () => null, onUser);
    this.#server = server;
  }
  /** @param {AbortSignal} signal @returns {Promise<[string, any?]>} */
  async find(signal) {
    const res = await fetch(fresh(`${this.#server}api/v1/me`), { signal });
    if (res.status === 401 || res.redirected) throw new SignedOut();
    if (!res.ok) throw Error(`status ${res.status}`);
    return ["", (await res.json()).id];
  }
};
function headersOf(token) {
  return token ? { Authorization: `Bearer ${token}` } : {};
}
function claims(token) {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
  } catch {
    return {};
  }
}
function tokenFrom(url) {
  return async (signal) => {
    const res = await fetch(fresh(url), { headers: { Accept: "application/json" }, cache: "no-store", credentials: "include", signal }).catch(() => {
      throw Error(`no answer from ${url}`);
    });
    if (res.status === 401) return null;
    const body = await res.json().catch(() => null);
    if (res.ok && body?.token) return body.token;
    const Fault = res.ok ? SignedOut : Error;
    throw new Fault(`token-url ${url}${res.redirected ? ` leads to ${res.url}, which` : ""} answers ${res.status}, not {"token": "..."} or 401`);
  };
}

// static/embed/complain.js
var known = /* @__PURE__ */ new Set();
function complain(text) {
  if (known.has(text)) return;
  known.add(text);
  console.error(`Carillon: ${text}`);
}
async function refused(server) {
  const ask = (path, how) => fetch(fresh(server + path), how).catch(() => null);
  if (ours(server) || !navigator.onLine || await ask("api/v1/me", { headers: { "Content-Type": "application/json" } })) return false;
  const there = (await ask("embed/core.js", { method: "HEAD", cache: "no-store" }))?.ok;
  complain(there ? cure(server) : `no answer from ${server}`);
  return there;
}
var cure = (server) => self.origin === "null" ? "the sandbox of this frame needs allow-same-origin" : `${server} refuses pages of ${self.origin}: carillon app set NAME --origin ${self.origin}`;

// static/embed/rows.js
var placeOf = (filter) => filter.match(/archived|later/)?.[0];
var rowOf = (row) => ({ scope: "", body: "", link: "", read: false, new: false, actors: row.actor && [row.actor], ...row });
function put(rows, row, filter) {
  if (rows.some((r) => r.key === row.key && r.at >= row.at)) return rows;
  const rest = dropped(rows, [row.key]);
  if (filter === "unread" && row.read) return rest;
  const place = rest.findIndex((r) => r.at < row.at);
  return rest.toSpliced(place < 0 ? rest.length : place, 0, rowOf(row));
}
function changed(rows, row) {
  return rows.map((r) => r.id === row.id ? { expires_at: r.expires_at, ...rowOf(row), read: r.read, new: r.new, at: r.at } : r);
}
function marked(rows, what, read) {
  const keys = what.keys ?? [what.key];
  return rows.map((r) => r.read !== read && (keys.includes(r.key) || r.at <= Number(what.upto)) ? { ...r, read, new: read && r.new } : r);
}
function dropped(rows, keys) {
  return rows.filter((r) => !keys.includes(r.key));
}

// static/js/clock.js
var timer = {
  random: () => Math.random(),
  after(ms, then) {
    const timer2 = setTimeout(then, ms);
    return () => clearTimeout(timer2);
  }
};
var clock = { now: () => performance.now(), date: () => /* @__PURE__ */ new Date(), ...timer };

// static/js/stream.js
var closed = 2;
var names = [
  "badge",
  "notice",
  "changed",
  "read",
  "unread",
  "removed",
  "announcement",
  "announcement_read",
  "announcement_unread",
  "announcement_removed",
  "toast"
];
function backoff(failures, random) {
  const shortestWait = 250;
  const longestWait = 3e4;
  const most = Math.min(longestWait, 1e3 * 2 ** failures);
  return shortestWait + random * (most - shortestWait);
}
var Stream = class extends EventTarget {
  /** @type {EventSource | null} */
  #source = null;
  /** @type {(() => void) | undefined} */
  #callOff;
  #attempt = 0;
  // the number of the current attempt
  #failures = 0;
  // since the last event
  #url;
  #make;
  #time;
  #signedOut;
  /**
   * @param {string} url
   * @param {(url: string) => EventSource} [make]
   * @param {Pick<import("./clock.js").Clock, "random" | "after">} [time]
   * @param {(url: string) => Promise<boolean>} [signedOut] called after a refusal: reports whether no user is signed in
   */
  constructor(url, make = (url2) => new EventSource(url2), time = timer, signedOut = async () => false) {
    super();
    this.#url = url;
    this.#make = make;
    this.#time = time;
    this.#signedOut = signedOut;
  }
  /** Connects now, replacing any connection or planned attempt. */
  open() {
    this.close();
    const source = this.#make(this.#url);
    this.#source = source;
    source.onopen = () => this.#say("live");
    source.onerror = () => this.#failed(source.readyState === closed);
    for (const name of names) {
      source.addEventListener(name, (e) => {
        this.#failures = 0;
        this.dispatchEvent(new CustomEvent(name, { detail: { ...JSON.parse(e.data), ver: Number(e.lastEventId) } }));
      });
    }
    source.addEventListener("connection", (e) => {
      this.#failures = 0;
      this.#say(JSON.parse(e.data).state === "live" ? "live" : "reconnecting");
    });
    source.addEventListener("bye", (e) => this.#again(Number(JSON.parse(e.data).retry) || this.#wait()));
  }
  /** Connects now unless it is connected or connecting. */
  wake() {
    if (!this.#source) this.open();
  }
  /** Disconnects, and stays silent until it is opened again. */
  close() {
    this.#attempt++;
    this.#callOff?.();
    this.#source?.close();
    this.#source = null;
  }
  /** Reports that the network has gone. The connection may still be alive. */
  offline() {
    this.#say("offline");
  }
  /** @param {boolean} refused */
  #failed(refused2) {
    this.#say(navigator.onLine ? "reconnecting" : "offline");
    this.#again(this.#wait(), refused2);
  }
  #wait() {
    return backoff(this.#failures++, this.#time.random());
  }
  /**
   * Reconnects after ms. After a refusal it first checks whether the session has ended:
   * then there is no reason to reconnect.
   * @param {number} ms
   * @param {boolean} [refused]
   */
  #again(ms, refused2 = false) {
    this.close();
    const attempt = this.#attempt;
    this.#callOff = this.#time.after(ms, async () => {
      const over = refused2 && await this.#signedOut(this.#url);
      if (attempt !== this.#attempt) return;
      if (over) this.#say("signed-out");
      else this.open();
    });
  }
  /** @param {import("./connection.js").State} state */
  #say(state) {
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }
};

// static/js/badge.js
function newer(known2, now) {
  const { inbox, ver } = now.ver >= known2.ver ? now : known2;
  const { announcements, aver } = now.aver >= known2.aver ? now : known2;
  return { unread: inbox + announcements, inbox, announcements, ver, aver };
}

// static/js/tabs.js
var Tabs = class extends EventTarget {
  /** @type {(() => void) | undefined} */
  #undo;
  // defined while it takes part
  /** @type {BroadcastChannel | undefined} */
  #channel;
  /** @type {State | undefined} */
  #state;
  /** @type {Badge | undefined} */
  #badge;
  #leads = false;
  #name;
  #stream;
  #locks;
  /**
   * @param {string} user tabs of other users receive nothing
   * @param {Stream} stream
   * @param {LockManager} [locks]
   */
  constructor(user, stream, locks = navigator.locks) {
    super();
    this.#name = `carillon:${user}`;
    this.#stream = stream;
    this.#locks = locks;
    for (const name of [...names, "state"]) {
      stream.addEventListener(name, (e) => this.#dispatch(
        name,
        /** @type {CustomEvent} */
        e.detail
      ));
    }
  }
  /** Whether this tab has the stream. */
  get leads() {
    return this.#leads;
  }
  /** Joins: listens, and waits for its turn to lead. */
  join() {
    if (this.#undo) return;
    const channel = new BroadcastChannel(this.#name);
    const turn = new AbortController();
    let release = () => {
    };
    const held = new Promise((resolve) => release = () => resolve(void 0));
    this.#channel = channel;
    this.#undo = () => {
      turn.abort();
      release();
      channel.close();
    };
    channel.onmessage = (e) => this.#hear(e.data);
    channel.postMessage({ kind: "hello" });
    this.#locks.request(this.#name, { signal: turn.signal }, () => {
      if (turn.signal.aborted) return;
      this.#lead();
      return held;
    }).catch(() => {
      if (!turn.signal.aborted) this.#lead();
    });
  }
  #lead() {
    this.#leads = true;
    this.#stream.open();
  }
  /** Releases everything: a page kept in the browser's history must hold nothing. */
  leave() {
    if (!this.#undo) return;
    this.#undo();
    this.#undo = this.#channel = void 0;
    this.#leads = false;
    this.#stream.close();
    this.#pass("state", "reconnecting");
  }
  /** Connects now if there is no connection, in any leading tab. */
  wake() {
    if (this.#leads) this.#stream.wake();
    else this.#channel?.postMessage({ kind: "wake" });
  }
  /** The network is back. */
  online() {
    if (this.#leads) this.#stream.open();
  }
  /** The network has gone. */
  offline() {
    if (this.#leads) this.#stream.offline();
  }
  /**
   * Passes an event of the stream on to all tabs.
   * @param {string} name
   * @param {any} detail
   */
  #dispatch(name, detail) {
    if (!this.#leads) return;
    this.#channel?.postMessage({ kind: "event", name, detail });
    this.#pass(name, detail);
  }
  /** @param {Message} message */
  #hear(message) {
    if (message.kind === "event") this.#pass(message.name, message.detail);
    else if (this.#leads && message.kind === "wake") this.#stream.wake();
    else if (this.#leads) this.#greet();
  }
  /** Answers a tab that joined late. All tabs receive the answer, which is harmless. */
  #greet() {
    if (this.#state !== "live") this.#stream.wake();
    if (this.#state && this.#state !== "signed-out") this.#dispatch("state", this.#state);
    if (this.#badge) this.#dispatch("badge", this.#badge);
  }
  /**
   * @param {string} name
   * @param {any} detail
   */
  #pass(name, detail) {
    if (name === "state") {
      if (detail === this.#state) return;
      this.#state = detail;
    }
    if (name === "badge") this.#badge = this.#badge ? newer(this.#badge, detail) : detail;
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
};

// static/embed/source.js
var FetchSource = class extends EventTarget {
  readyState = 0;
  status = 0;
  // of the response
  /** @type {(() => void) | null} */
  onopen = null;
  /** @type {(() => void) | null} */
  onerror = null;
  #abort = new AbortController();
  /**
   * @param {string} url
   * @param {() => Promise<string>} token
   */
  constructor(url, token) {
    super();
    void this.#run(url, token);
  }
  close() {
    this.readyState = closed;
    this.#abort.abort();
  }
  /** @param {string} url @param {() => Promise<string>} token */
  async #run(url, token) {
    const silence = 45e3;
    let dead;
    try {
      const headers = headersOf(await token());
      const res = await fetch(fresh(url), { headers, signal: this.#abort.signal });
      this.status = res.status;
      if (res.status === 200 && res.body) {
        this.readyState = 1;
        this.onopen?.();
        const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ""; ; ) {
          clearTimeout(dead);
          dead = setTimeout(() => this.#abort.abort(), silence);
          const { value, done } = await reader.read();
          if (done) break;
          const events = (rest + value).split("\n\n");
          rest = events.pop() ?? "";
          for (const text of events) this.#dispatch(text);
        }
      }
    } catch (err) {
      if (err instanceof SignedOut) this.status = 401;
    }
    clearTimeout(dead);
    if (this.readyState === closed) return;
    this.readyState = this.readyState === 0 && this.status ? closed : 0;
    this.onerror?.();
  }
  /** @param {string} text of one event */
  #dispatch(text) {
    const fields = {};
    for (const line of text.split("\n")) {
      const [name = "", ...value] = line.split(": ");
      fields[name] = value.join(": ");
    }
    if (fields.event && this.readyState === 1) this.dispatchEvent(new MessageEvent(fields.event, { data: fields.data, lastEventId: fields.id }));
  }
};

// static/embed/follow.js
function follow(url, name, tokens, signal, handlers, heard) {
  let source;
  let renewal;
  const renew = async () => {
    if (source?.readyState !== 1 || signal.aborted) return;
    await tokens.get(true).catch(() => {
    });
    if (source.readyState === 1) stream.open();
  };
  const make = (address) => {
    clearTimeout(renewal);
    const refused2 = source?.status === 401;
    const visible = isVisible() ? "&visible=1" : "";
    const token = async () => {
      const token2 = await tokens.fresh(refused2);
      if (tokens.left) renewal = setTimeout(renew, tokens.left);
      return token2;
    };
    return (
      /** @type {any} */
      source = new FetchSource(address + visible, token)
    );
  };
  const signedOut = async () => source?.status === 401 && tokens.get(true).then(
    () => false,
    (err) => err instanceof SignedOut
  );
  const stream = new Stream(url, make, void 0, signedOut);
  const { locks } = navigator;
  const events = new Tabs(locks ? name : `${Math.random()}`, stream, locks ?? { request: () => Promise.reject() });
  const seen = () => {
    if (!isVisible()) locks || events.leave();
    else events.join(), events.wake();
  };
  for (const event of [...names, "state"]) {
    events.addEventListener(event, (e) => {
      handlers[event]?.(
        /** @type {CustomEvent} */
        e.detail,
        source?.status
      );
      heard(event);
    }, { signal });
  }
  addEventListener("online", () => events.online(), { signal });
  addEventListener("offline", () => events.offline(), { signal });
  addEventListener("pagehide", () => events.leave(), { signal });
  addEventListener("pageshow", (e) => e.persisted && events.join(), { signal });
  document.addEventListener("visibilitychange", seen, { signal });
  signal.addEventListener("abort", () => {
    clearTimeout(renewal);
    events.leave();
  });
  if (locks || isVisible()) events.join();
}
var isVisible = () => document.visibilityState === "visible";

export {
  baseOf,
  addressOf,
  ours,
  fresh,
  complain,
  refused,
  cure,
  timer,
  clock,
  placeOf,
  put,
  changed,
  marked,
  dropped,
  backoff,
  newer,
  SignedOut,
  Tokens,
  Session,
  headersOf,
  tokenFrom,
  follow,
  isVisible
};
