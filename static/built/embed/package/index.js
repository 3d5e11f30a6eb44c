import {
  addressOf,
  baseOf,
  clock,
  complain,
  connect,
  ours
} from "./chunk.js";

// static/embed/dom.js
function make(name, attributes = {}, ...children) {
  const el = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") el.addEventListener(key, value);
    else if (value === true) el.setAttribute(key, "");
    else if (value || value === "") el.setAttribute(key, value);
  }
  el.append(...children.filter((c) => c !== null && c !== void 0));
  return el;
}
function route(link) {
  const { origin, href } = new URL(link, document.baseURI);
  return origin === location.origin ? href.slice(origin.length) : link;
}
function icon(d) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("part", "icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

// static/embed/seat.js
var tables = /* @__PURE__ */ new Map();
var guests = /* @__PURE__ */ new Set();
var numbers = /* @__PURE__ */ new WeakMap();
var last = 0;
function numberOf(provide) {
  const number = numbers.get(provide) ?? `provider ${++last}`;
  numbers.set(provide, number);
  return number;
}
var Seat = class {
  /** @type {Table | undefined} */
  #table;
  #owns = false;
  #changed;
  /** @param {() => void} changed is called when the page may have another client for a guest */
  constructor(changed) {
    this.#changed = changed;
  }
  /**
   * Joins the client for the settings, and leaves the previous one. Returns null if the page has no client yet.
   * @param {{client: Client | null, provide: Provider | null, token: string | null, tokenUrl: string | null, server: string | null}} settings
   * @throws {TypeError} that names the wrong attribute
   */
  take({ client, provide, token, tokenUrl, server: named }) {
    const server = baseOf(named);
    const owns = Boolean(client || provide || token || tokenUrl);
    const url = !client && !provide && !token && tokenUrl ? addressOf("token-url", tokenUrl, "/carillon/token").href : void 0;
    const key = client ?? `${server} ${provide ? numberOf(provide) : token ? `token ${token}` : url ?? "session"}`;
    const open = () => client ?? connect({ server, tokenUrl: url, tokenProvider: provide ?? (token ? async () => token : null) });
    let table = owns ? tables.get(key) : this.#pages(named ? server : null);
    if (!table && !owns && !ours(server)) {
      this.leave();
      guests.add(this.#changed);
      return null;
    }
    if (!table) tables.set(key, table = { client: open(), server, owners: 0, guests: 0 });
    if (table === this.#table && owns === this.#owns) return table.client;
    table[owns ? "owners" : "guests"]++;
    this.leave();
    [this.#table, this.#owns] = [table, owns];
    if (!owns) guests.add(this.#changed);
    else if (table.owners === 1) for (const changed of guests) changed();
    return table.client;
  }
  /** Returns the client of the page: a client with owners, else the current client of this guest. @param {string | null} server */
  #pages(server) {
    const all = [...tables.values()].filter((t) => !server || t.server === server);
    return all.find((t) => t.owners > 0) ?? all.find((t) => t === this.#table) ?? all[0];
  }
  leave() {
    const table = this.#table;
    guests.delete(this.#changed);
    this.#table = void 0;
    if (!table) return;
    table[this.#owns ? "owners" : "guests"]--;
    for (const changed of guests) changed();
    setTimeout(() => {
      if (table.owners + table.guests > 0) return;
      for (const [key, one] of tables) {
        if (one !== table) continue;
        tables.delete(key);
        if (key !== table.client) table.client.close();
      }
    });
  }
};

// static/embed/settable.js
var settings = ["token", "token-url", "server"];
var properties = (
  /** @type {const} */
  ["client", "tokenProvider", "texts", "renderRow"]
);
var Settable = class extends /** @type {typeof HTMLElement} */
(globalThis.HTMLElement ?? Object) {
  static observedAttributes = [...settings, "lang"];
  /** @type {Given} */
  #given = {};
  #due = false;
  // an update is scheduled in this task
  #anew = false;
  // everything is drawn again then
  #put = false;
  // it was inserted into the page
  constructor() {
    super();
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue;
      const value = (
        /** @type {any} */
        this[name]
      );
      delete /** @type {any} */
      this[name];
      this[name] = value;
    }
  }
  get client() {
    return this.#given.client ?? null;
  }
  set client(client) {
    this.#give({ client });
  }
  get tokenProvider() {
    return this.#given.tokenProvider ?? null;
  }
  set tokenProvider(tokenProvider) {
    this.#give({ tokenProvider });
  }
  get texts() {
    return this.#given.texts ?? null;
  }
  set texts(texts2) {
    this.#give({ texts: texts2 });
  }
  /** Draws the content of a row instead. */
  get renderRow() {
    return this.#given.renderRow ?? null;
  }
  set renderRow(renderRow) {
    this.#give({ renderRow });
  }
  connectedCallback() {
    this.#put = true;
    this.settle();
  }
  disconnectedCallback() {
    this.settle();
  }
  /** @param {string} name @param {string | null} had @param {string | null} has */
  attributeChangedCallback(name, had, has) {
    if (settings.includes(name)) this.#put = true;
    if (settings.includes(name) || name === "lang") this.settle();
    else if (had !== has) this.changed(name);
  }
  /** Is called when an attribute has changed. @param {string} _name */
  changed(_name) {
    this.settle(true);
  }
  /** @param {Given} part */
  #give(part) {
    Object.assign(this.#given, part);
    this.settle(!("client" in part || "tokenProvider" in part));
  }
  /** Updates everything after the page's current task, which may move the element or set more. */
  settle(anew = false) {
    this.#anew ||= anew;
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      const [anew2, put] = [this.#anew, this.#put];
      this.#due = this.#anew = this.#put = false;
      this.update(anew2, put);
    });
  }
  /** Updates the element from the page's settings. @param {boolean} _anew everything is drawn again @param {boolean} _put it was inserted or moved in the page, or a setting was changed */
  update(_anew, _put) {
  }
};

// static/embed/style.js
var css = `
:host { --a: var(--carillon-accent, light-dark(#8a5414, #e3b36f)); --oa: var(--carillon-on-accent, light-dark(#fff, #231603));
	--s: var(--carillon-surface, Canvas); --t: var(--carillon-text, CanvasText); --m: var(--carillon-muted, color-mix(in srgb, var(--t) 65%, var(--s)));
	--b: var(--carillon-border, color-mix(in srgb, var(--t) 18%, var(--s))); --u: var(--carillon-unread, var(--a)); --r: var(--carillon-radius, 8px); --g: var(--carillon-gap, 12px);
	display: inline-block; font: var(--carillon-font, inherit); color: inherit; }
:host(carillon-inbox) { display: block; background: var(--s); color: var(--t); border: 1px solid var(--b); border-radius: var(--r); overflow: hidden; }
:host([hidden]), [hidden] { display: none !important; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
* { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--a); outline-offset: 2px; border-radius: 4px; }
svg { width: 1.5em; height: 1.5em; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; display: block; }
.bell { position: relative; display: inline-flex; align-items: center; justify-content: center; min-width: 44px; min-height: 44px; }
.badge { position: absolute; inset-block-start: 2px; inset-inline-start: 50%; min-width: 1.25rem; padding: 0 .3rem; border-radius: 99px; background: var(--u); color: var(--oa);
	font-size: .75rem; font-weight: 600; line-height: 1.25rem; text-align: center; font-variant-numeric: tabular-nums; }
.panel { position: fixed; inset: auto; margin: 0; padding: 0; width: min(var(--carillon-width, 24rem), calc(100vw - 16px)); max-height: min(var(--carillon-height, 32rem), calc(100dvh - 16px)); left: var(--x, 8px); top: var(--y, 8px);
	overflow: hidden; flex-direction: column; background: var(--s); color: var(--t); border: 1px solid var(--b); border-radius: var(--r); box-shadow: 0 12px 32px -8px rgb(0 0 0 / .35); }
.panel:popover-open { display: flex; }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--g); padding-block: 8px; padding-inline: 16px 8px; border-block-end: 1px solid var(--b); }
h2 { margin: 0; font-size: 1rem; font-weight: 600; }
.action { min-height: 32px; padding: 0 8px; border-radius: 6px; font-size: .875rem; color: var(--a); }
.action:hover { background: color-mix(in srgb, var(--t) 8%, transparent); }
ul { margin: 0; padding: 0; list-style: none; overflow-y: auto; overscroll-behavior: contain; }
li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: var(--g); padding-block: 10px; padding-inline: 28px 12px; font-size: .875rem; line-height: 1.4; }
li + li { border-block-start: 1px solid var(--b); }
li:hover { background: color-mix(in srgb, var(--t) 5%, transparent); }
.dot { position: absolute; inset-inline-start: 12px; inset-block-start: 17px; width: 8px; height: 8px; border-radius: 50%; background: var(--u); }
:is(.title, .body) { text-align: left; }
li:dir(rtl) > :is(.title, .body) { text-align: right; }
.title { min-width: 0; color: inherit; font-weight: 500; text-decoration: none; overflow-wrap: anywhere; }
li[data-unread] .title { font-weight: 650; }
a.title::after { content: ""; position: absolute; inset: 0; }
.body { grid-column: 1 / -1; color: var(--m); overflow-wrap: anywhere; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; white-space: pre-line; }
time { color: var(--m); white-space: nowrap; }
li .action { position: relative; z-index: 1; }
li > .action { grid-column: 2; align-self: start; }
.actions { grid-column: 1 / -1; display: flex; gap: 4px; margin-inline-start: -8px; }
.tabs { display: flex; gap: 4px; margin-inline-end: auto; }
.tab[aria-pressed=true] { background: color-mix(in srgb, var(--a) 14%, transparent); font-weight: 600; }
.more { display: block; margin: 8px auto; }
.prefs { border-block-start: 1px solid var(--b); padding: 4px 8px; }
.prefs summary { display: inline-flex; align-items: center; cursor: pointer; list-style: none; }
.types { padding: 4px 8px 8px; font-size: .875rem; }
.types label { display: flex; align-items: center; gap: 8px; min-height: 32px; }
.types input { width: 16px; height: 16px; accent-color: var(--a); }
.said { padding: 0 16px; font-size: .875rem; }
.empty, .state { margin: 0; padding: 32px 16px; text-align: center; color: var(--m); font-size: .875rem; }
.state { padding: 6px 16px; border-block-end: 1px solid var(--b); }
.foot { border-block-start: 1px solid var(--b); padding: 8px 16px; font-size: .875rem; text-align: center; }
.foot a { color: var(--a); }
.toasts { position: fixed; inset: auto 16px 16px auto; margin: 0; padding: 0; border: 0; background: none; overflow: visible; width: min(22rem, calc(100vw - 32px)); }
.toasts[data-position^=top] { inset-block: 16px auto; }
.toasts[data-position$=start] { inset-inline: 16px auto; }
.toast { position: relative; display: grid; gap: 2px; margin-block-start: 8px; padding-block: 12px; padding-inline: 16px 44px; font-size: .875rem; line-height: 1.4; background: var(--s); color: var(--t);
	border: 1px solid var(--b); border-inline-start: 3px solid var(--u); border-radius: var(--r); box-shadow: 0 8px 24px -8px rgb(0 0 0 / .35); }
.close { position: absolute; z-index: 1; inset-block-start: 4px; inset-inline-end: 4px; min-width: 36px; min-height: 36px; color: var(--m); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { .badge, .dot { forced-color-adjust: none; background: Highlight; color: HighlightText; } }
@media (width < 480px) { .panel { inset: auto 0 0; width: auto; max-width: none; max-height: 85dvh; border-radius: var(--r) var(--r) 0 0; } }
@media (pointer: coarse) { .action, .types label { min-height: 44px; } }
`;
var sheet;
function style() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}

// static/embed/texts.js
var catalogues = JSON.parse("__CARILLON_TEXTS__");
function texts(wish) {
  const known2 = Object.keys(catalogues);
  const lang = known2.find((l) => l === wish) ?? known2.find((l) => l.split("-")[0] === wish.split("-")[0]) ?? "en";
  const plural = new Intl.PluralRules(lang);
  const text = (id, values = {}) => {
    const found = catalogues[lang]?.[id] ?? id;
    const form = typeof found === "string" ? found : found[plural.select(Number(values.Count))] ?? found.other ?? id;
    return form.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  };
  return { lang, text };
}

// static/js/announcer.js
var quiet = 5e3;
var moment = 50;
function announcer(write2, time = clock) {
  let last2 = -Infinity;
  let waiting2 = null;
  return (phrase, wait = moment) => {
    const pending = waiting2 !== null;
    waiting2 = phrase;
    if (pending) return;
    time.after(Math.max(wait, last2 + quiet - time.now()), () => {
      last2 = time.now();
      if (waiting2 !== null) write2(typeof waiting2 === "string" ? waiting2 : waiting2());
      waiting2 = null;
    });
  };
}

// static/embed/voice.js
var places = /* @__PURE__ */ new Set();
var waiting = "";
var important = false;
var say = announcer(() => {
  const [place] = places;
  if (place) place.textContent = waiting;
  important = false;
});
function voice(until) {
  const place = make("p", { class: "sr", part: "status" });
  places.add(place);
  elect();
  until(() => {
    places.delete(place);
    elect();
  });
  return place;
}
function elect() {
  const [first] = places;
  first?.setAttribute("role", "status");
}
function speak(phrase, toast = false) {
  if (important && !toast) return;
  [waiting, important] = [phrase, toast];
  say(phrase);
}
function hush() {
  [waiting, important] = ["", false];
  for (const place of places) place.textContent = "";
}

// static/embed/element.js
var frame = 16;
var lonely = 5e3;
var CarillonElement = class extends Settable {
  /** @type {Client | null} */
  #client = null;
  /** @type {(() => void)[]} */
  #stop = [];
  failed = false;
  // to load the content
  /** @type {string | null} */
  #user = null;
  // whose notices were loaded
  #seat = new Seat(() => this.settle());
  #t = texts("en");
  get client() {
    return this.#client ?? super.client;
  }
  set client(client) {
    super.client = client;
  }
  /** @override @param {boolean} anew @param {boolean} put */
  update(anew, put) {
    if (!this.isConnected) {
      this.#end();
      this.#seat.leave();
      this.#client = this.#user = null;
      return;
    }
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style()];
    const t = texts(this.getAttribute("lang") || /** @type {HTMLElement | null} */
    this.closest("[lang]")?.lang || navigator.language);
    let client = null;
    try {
      client = this.#seat.take({
        client: super.client,
        provide: this.tokenProvider,
        token: this.getAttribute("token"),
        tokenUrl: this.getAttribute("token-url"),
        server: this.getAttribute("server")
      });
    } catch (err) {
      complain(`<${this.localName}> ${/** @type {Error} */
      err.message}`);
      this.#seat.leave();
    }
    const same = client === this.#client && client !== null;
    if (same && !anew && t.lang === this.#t.lang) {
      if (put) this.moved();
    } else {
      this.#end();
      this.#t = t;
      if (!same) this.#user = null;
      this.#client = client;
      if (client) this.#start(root, client);
      else this.#wait(root);
    }
    if (put && client?.getSnapshot().state === "signed-out") void client.refresh();
  }
  /** @param {ShadowRoot} root @param {Client} client */
  #start(root, client) {
    this.start(root, client);
    for (const name of ["notice", "error"]) this.until(client.on(name, (e) => this.emit(name, e.detail)));
    let state = "";
    let due;
    this.draw(client.getSnapshot());
    this.until(client.subscribe((now) => {
      if (now.user !== this.#user) this.#become(now.user, client);
      if (now.state !== state) this.emit("state", { state: state = now.state });
      due ??= setTimeout(() => {
        due = void 0;
        this.draw(client.getSnapshot());
      }, frame);
    }));
    this.until(() => clearTimeout(due));
  }
  /** @param {string | null} user @param {Client} client */
  #become(user, client) {
    const had = this.#user;
    this.#user = user;
    if (had !== null) {
      hush();
      this.failed = false;
      this.left();
      this.settle(true);
    }
    if (user !== null) this.load(client);
  }
  /** Shows the page's own content until another element has settings. @param {ShadowRoot} root */
  #wait(root) {
    root.replaceChildren(make("slot"));
    const late = setTimeout(() => complain(`<${this.localName}> needs token-url, token or tokenProvider, or another element of the page that has one`), lonely);
    this.until(() => clearTimeout(late));
  }
  #end() {
    for (const stop of this.#stop.splice(0)) stop();
    this.shadowRoot?.replaceChildren();
  }
  /** Builds the content. @param {ShadowRoot} _root @param {Client} _client */
  start(_root, _client) {
  }
  /** Loads the content for a user. @param {Client} _client */
  load(_client) {
  }
  /** Draws a snapshot. @param {Snapshot} _now */
  draw(_now) {
  }
  /** Is called when the element has moved in the page. */
  moved() {
  }
  /** Is called when the user has left. */
  left() {
  }
  /** Determines again who is signed in, and reloads everything on display. */
  async refresh() {
    await this.client?.refresh();
  }
  /** Drops the user immediately, in all elements that share the client. */
  signOut() {
    this.client?.end();
  }
  get language() {
    return this.#t.lang;
  }
  /** @param {string} id @param {Record<string, string | number>} [values] */
  text(id, values) {
    return this.texts?.[id] ?? this.#t.text(id, values);
  }
  /** Returns why content is missing or may be outdated; "" if there is no fault. @param {Snapshot} now */
  fault({ state, notices }) {
    if (state === "signed-out") return this.text("signed_out");
    if (state === "offline") return this.text(state);
    if (notices === null && (this.failed || state === "reconnecting")) return this.text("unloaded");
    return state === "reconnecting" ? this.text(state) : "";
  }
  /** Reports whether an attribute is set. Some frameworks write false. @param {string} name */
  flag(name) {
    return (this.getAttribute(name) ?? "false") !== "false";
  }
  /** Calls stop when the element leaves the page. @param {() => void} stop */
  until(stop) {
    this.#stop.push(stop);
  }
  /**
   * Dispatches an event of the element. Returns false if the page prevents its default.
   * @param {string} name @param {any} [detail]
   */
  emit(name, detail) {
    return this.dispatchEvent(new CustomEvent(`carillon-${name}`, { detail, bubbles: true, composed: true, cancelable: true }));
  }
};

// static/js/times.js
var minute = 6e4;
var day = 24 * 60 * minute;
var longest = 7 * day;
function ago(ms, lang) {
  const format = new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "narrow" });
  if (ms >= longest) return null;
  if (ms < minute) return format.format(0, "second");
  if (ms < 60 * minute) return format.format(-Math.floor(ms / minute), "minute");
  if (ms < day) return format.format(-Math.floor(ms / (60 * minute)), "hour");
  return new Intl.RelativeTimeFormat(lang, { style: "narrow" }).format(-Math.floor(ms / day), "day");
}

// static/embed/listing.js
var Listing = class {
  /** @type {WeakMap<object, HTMLElement>} */
  #made = /* @__PURE__ */ new WeakMap();
  #ul;
  /** @param {HTMLElement} ul */
  constructor(ul) {
    this.#ul = ul;
  }
  get size() {
    return this.#ul.childElementCount;
  }
  /** Drops all elements, so that all rows are built again. */
  forget() {
    this.#made = /* @__PURE__ */ new WeakMap();
  }
  /**
   * @param {readonly any[]} rows notices and announcements
   * @param {(of: any) => HTMLElement} make
   */
  show(rows, make2) {
    const shown = rows.map((of) => {
      const li = this.#made.get(of) ?? make2(of);
      this.#made.set(of, li);
      return li;
    });
    const stay = new Set(
      /** @type {Element[]} */
      shown
    );
    const focused = (
      /** @type {HTMLElement | undefined} */
      [...this.#ul.children].find((li) => li.contains(
        /** @type {ShadowRoot} */
        this.#ul.getRootNode().activeElement
      ))
    );
    for (const li of [...this.#ul.children]) if (!stay.has(li)) li.remove();
    let at = this.#ul.firstElementChild;
    for (const li of shown) {
      if (li === at) at = at.nextElementSibling;
      else this.#ul.insertBefore(li, at);
    }
    if (focused && !focused.isConnected) shown.find((li) => li.dataset.key === focused.dataset.key)?.querySelector(
      /** @type {"a"} */
      "a, button"
    )?.focus();
  }
};
function row(el, row2, followed, ...actions) {
  const unread = !row2.read || row2.new;
  const href = row2.link && new URL(row2.link, document.baseURI).href;
  if (el.renderRow) {
    const li = make("li", { part: unread ? "row unread" : "row", "data-key": row2.key, "data-unread": unread });
    li.append(el.renderRow(row2, li), ...actions);
    return li;
  }
  return make(
    "li",
    { part: unread ? "row unread" : "row", "data-key": row2.key, "data-unread": unread },
    unread ? dot(el) : null,
    make(href ? "a" : "span", { class: "title", part: "title", dir: "auto", href, click: (e) => href && follow(el, e, row2, followed) }, row2.title),
    make("time", { part: "meta", datetime: row2.created_at }, ago(Date.now() - Date.parse(row2.created_at), el.language) ?? new Date(row2.created_at).toLocaleDateString(el.language)),
    row2.body ? make("span", { class: "body", part: "body", dir: "auto" }, row2.body) : null,
    actions.length > 0 ? make("span", { class: "actions", part: "actions" }, ...actions) : null
  );
}
function announcement(el, post) {
  const href = post.link && new URL(post.link, document.baseURI).href;
  const dismiss = () => el.client?.readAnnouncements({ ids: [post.id] }).catch(() => {
  });
  return make(
    "li",
    { part: post.read ? "row" : "row unread", "data-key": `announcement ${post.id}`, "data-unread": !post.read },
    post.read ? null : dot(el),
    make(href ? "a" : "span", { class: "title", part: "title", dir: "auto", href }, post.title),
    post.read ? null : button(el, "dismiss", post.title, dismiss)
  );
}
function button(el, text, title, click) {
  return make("button", { type: "button", class: "action", part: "action", "aria-label": `${el.text(text)}: ${title}`, click }, el.text(text));
}
function dot(el) {
  return make("span", { class: "dot", part: "dot" }, make("span", { class: "sr" }, el.text("unread")));
}
function follow(el, e, row2, followed) {
  if (!row2.read) el.client?.read({ keys: [row2.key] }).catch(() => {
  });
  if (!el.emit("navigate", { href: route(row2.link), notice: row2 })) e.preventDefault();
  followed();
}

// static/embed/title.js
var remembered = 50;
var numbers2 = /* @__PURE__ */ new Map();
var plains = /* @__PURE__ */ new Set();
var [plain, written] = ["", ""];
var watch = globalThis.MutationObserver && new MutationObserver(() => document.title !== written && write());
function entitle(element, number) {
  const before = numbers2.size;
  if (number === null) numbers2.delete(element);
  else numbers2.set(element, number);
  if (before + numbers2.size === 0) return;
  if (before === 0) {
    plain = written = document.title;
    plain = plainOf(written);
  }
  write();
  watch.disconnect();
  if (numbers2.size > 0) watch.observe(document.head, { childList: true, subtree: true, characterData: true });
}
function write() {
  if (document.title !== written) plain = plainOf(document.title);
  const [number = ""] = numbers2.values();
  if (number) {
    plains.add(plain);
    for (const old of plains) if (plains.size > remembered) plains.delete(old);
  }
  const title = number ? `(${number}) ${plain}` : plain;
  if (document.title !== title) document.title = title;
  written = document.title;
}
function plainOf(title) {
  if (plain && written !== plain && title.includes(written)) return title.replace(written, () => plain);
  const rest = title.replace(/^\(\d+\+?\) /, "");
  return plains.has(rest) ? rest : title;
}

// static/embed/bell.js
var bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";
var CarillonBell = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, "max", "title-badge", "inbox-href", "placement", "open"];
  /** @type {HTMLElement | null} */
  #button = null;
  /** @type {HTMLElement | null} */
  #panel = null;
  /** @type {Listing | null} */
  #listing = null;
  /** @type {HTMLElement | null} */
  #all = null;
  /** @type {number | null | undefined} */
  #unread;
  // undefined: nothing is drawn yet
  /** @type {Snapshot["notices"] | undefined} */
  #notices;
  /** @type {Snapshot["announcements"] | undefined} */
  #announcements;
  /** @param {ShadowRoot} root @param {import("./core.js").Client} client */
  start(root, client) {
    this.#notices = this.#announcements = void 0;
    this.#unread = void 0;
    const name = this.text("title");
    const list = make("ul", { part: "list", "aria-label": name });
    this.#listing = new Listing(list);
    this.#all = make("button", { type: "button", class: "action", part: "action", click: () => this.#readAll() }, this.text("read_all"));
    this.#panel = make(
      "div",
      { class: "panel", part: "panel", popover: "auto", role: "dialog", "aria-label": name, toggle: (e) => this.#toggled(e.newState === "open") },
      make("div", { class: "head", part: "header" }, make("h2", { part: "heading" }, make("slot", { name: "header" }, name)), this.#all),
      make("p", { class: "state", part: "status", hidden: true }),
      list,
      make("p", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, this.text("empty"))),
      make("div", { class: "foot", part: "footer" }, make("slot", { name: "footer" }, this.#inboxLink()))
    );
    this.#button = make(
      "button",
      { type: "button", class: "bell", part: "bell", "aria-haspopup": "dialog", "aria-expanded": "false", click: () => this.#panel?.togglePopover() },
      make("slot", { name: "icon" }, icon(bell)),
      make("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true })
    );
    root.replaceChildren(this.#button, this.#panel, voice((stop) => this.until(stop)));
    const timer = setInterval(() => this.#panel?.matches(":popover-open") && this.#rows(client.getSnapshot(), true), 6e4);
    const place = () => this.#panel?.matches(":popover-open") && this.#place();
    addEventListener("resize", place);
    this.until(() => (clearInterval(timer), removeEventListener("resize", place)));
    this.until(() => entitle(this, null));
    if (this.flag("open")) queueMicrotask(() => this.show());
  }
  moved() {
    if (this.flag("open")) this.show();
  }
  left() {
    this.removeAttribute("open");
  }
  /** @param {string} name */
  changed(name) {
    if (name === "open") this.flag("open") ? this.show() : this.hide();
    else super.changed(name);
  }
  /** @param {Snapshot} now */
  draw(now) {
    const { unread } = now.badge;
    const badge = this.#button?.querySelector(".badge");
    if (!this.#button || !(badge instanceof HTMLElement)) return;
    this.toggleAttribute("data-signed-out", now.state === "signed-out");
    if (unread !== this.#unread) {
      const max = Number(this.getAttribute("max") ?? 99);
      const short = unread && unread > max ? `${max}+` : String(unread ?? "");
      badge.textContent = short;
      badge.hidden = !unread;
      this.#button.setAttribute("aria-label", unread === null ? this.text("title") : unread ? this.text("bell", { Count: unread }) : this.text("bell_none"));
      if (this.flag("title-badge")) entitle(this, unread ? short : "");
      if (unread && typeof this.#unread === "number" && unread > this.#unread) speak(this.text("bell", { Count: unread }));
      if (this.#all) this.#all.hidden = !unread;
      this.#unread = unread;
      if (unread !== null) this.emit("badge", now.badge);
    }
    const fault = this.fault(now);
    if (unread === null && fault) this.#button.setAttribute("aria-description", fault);
    else this.#button.removeAttribute("aria-description");
    if (this.#panel?.matches(":popover-open")) this.#rows(now);
    const state = this.#panel?.querySelector(".state");
    if (state instanceof HTMLElement) [state.hidden, state.textContent] = [!fault, fault];
  }
  /** Opens the panel. */
  show() {
    if (this.#panel?.isConnected && !this.#panel.matches(":popover-open")) this.#panel.showPopover();
  }
  /** Closes the panel. */
  hide() {
    this.#panel?.hidePopover();
  }
  /** @param {boolean} open */
  async #toggled(open) {
    this.#button?.setAttribute("aria-expanded", String(open));
    this.toggleAttribute("open", open);
    this.emit(open ? "open" : "close");
    const client = this.client;
    if (!open || !client) return;
    this.#place();
    this.#notices = void 0;
    this.#rows(client.getSnapshot());
    if (client.getSnapshot().user === null) return;
    try {
      await Promise.all([this.getAttribute("read-on") === "click" ? client.load() : client.open(), client.loadAnnouncements()]);
      this.failed = false;
    } catch (err) {
      this.failed = true;
      this.draw(client.getSnapshot());
      this.emit("error", { code: (
        /** @type {any} */
        err.code ?? "failed"
      ), detail: String(err) });
    }
  }
  /** Puts the panel below the bell, or above it where there is more room. */
  #place() {
    if (!this.#panel || !this.#button) return;
    const at = this.#button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#panel;
    const end = (this.getAttribute("placement") ?? "bottom-end").endsWith("end") === (getComputedStyle(this).direction === "ltr");
    const x = Math.min(Math.max(8, end ? at.right - width : at.left), innerWidth - width - 8);
    const room = innerHeight - at.bottom;
    const top = this.getAttribute("placement")?.startsWith("top");
    const below = top ? at.top < Math.min(height, 320) && room > at.top : room > Math.min(height, 320) || at.top < innerHeight / 2;
    this.#panel.style.setProperty("--x", `${x}px`);
    this.#panel.style.setProperty("--y", below ? `${at.bottom + 4}px` : `${Math.max(8, at.top - height - 4)}px`);
  }
  /** @param {Snapshot} now @param {boolean} [anew] */
  #rows(now, anew = false) {
    if (!this.#listing || !anew && now.notices === this.#notices && now.announcements === this.#announcements) return;
    [this.#notices, this.#announcements] = [now.notices, now.announcements];
    if (anew) this.#listing?.forget();
    const posts = (now.announcements ?? []).filter((a) => !a.read);
    const away = () => this.hide();
    this.#listing?.show([...posts, ...now.notices ?? []], (of) => of.key ? row(this, of, away) : announcement(this, of));
    const empty = this.#panel?.querySelector(".empty");
    if (empty instanceof HTMLElement) empty.hidden = now.notices === null || this.#listing.size > 0;
  }
  async #readAll() {
    const rows = this.client?.getSnapshot().notices ?? [];
    await Promise.all([rows[0] && this.client?.read({ upto: rows[0].at }), this.client?.readAnnouncements({ all: true })]).catch(() => {
    });
  }
  #inboxLink() {
    const href = this.getAttribute("inbox-href");
    return href ? make("a", { href }, this.text("inbox")) : "";
  }
};

// static/embed/preferences.js
function preferences(el, client) {
  const list = make("div", { class: "types" });
  const fault = () => list.replaceChildren(el.text("failed"));
  const choice = (t) => {
    const box = (
      /** @type {HTMLInputElement} */
      make("input", { type: "checkbox", disabled: !t.mutable, change: () => client.mute(t.type, !box.checked).catch(fault) })
    );
    box.checked = !t.muted;
    return make("label", { part: "row" }, box, make("span", { dir: "auto" }, t.name));
  };
  const open = async (e) => {
    if (!(e.currentTarget instanceof HTMLDetailsElement) || !e.currentTarget.open) return;
    await client.me().then((me) => list.replaceChildren(...me.types.map(choice)), fault);
  };
  return make("details", { class: "prefs", part: "footer", toggle: open }, make("summary", { class: "action", part: "action" }, el.text("preferences")), list);
}

// static/embed/inbox.js
var names = { all: "tab_all", unread: "tab_unread", announcements: "tab_announcements" };
var CarillonInbox = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, "filter", "announcements", "preferences"];
  /** @type {HTMLElement | null} */
  #list = null;
  /** @type {Listing | null} */
  #listing = null;
  /** @type {HTMLElement | null} */
  #empty = null;
  /** @type {HTMLElement | null} */
  #more = null;
  /** @type {HTMLElement | null} */
  #status = null;
  /** @type {HTMLElement[]} */
  #tabs = [];
  /** @type {HTMLElement | null} */
  #state = null;
  #filter = "all";
  /** @type {Snapshot | undefined} */
  #drawn;
  /** @param {ShadowRoot} root @param {Client} client */
  start(root, client) {
    this.#drawn = void 0;
    this.#filter = this.getAttribute("filter") === "unread" ? "unread" : "all";
    this.#tabs = ["all", "unread", ...this.#posts === "tab" ? ["announcements"] : []].map(
      (name) => make("button", { type: "button", class: "action tab", part: "tab", "data-tab": name, "aria-pressed": String(name === this.#filter), click: () => this.#choose(name) }, this.text(names[name] ?? name))
    );
    this.#list = make("ul", { part: "list", "aria-label": this.text("title") });
    this.#listing = new Listing(this.#list);
    this.#empty = make("p", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, this.text("empty")));
    this.#more = make("button", { type: "button", class: "action more", part: "action", hidden: true, click: () => this.#try(client.load({ more: true })) }, this.text("older"));
    this.#status = make("div", { class: "said", part: "status" });
    this.#state = make("p", { class: "state", part: "status", hidden: true });
    const readAll = make("button", { type: "button", class: "action", part: "action", click: () => this.#readAll() }, this.text("read_all"));
    root.replaceChildren(
      make("div", { class: "head", part: "header" }, make("slot", { name: "header" }), make("div", { class: "tabs", part: "tabs", role: "group" }, ...this.#tabs), readAll),
      this.#state,
      this.#status,
      this.#list,
      this.#empty,
      this.#more,
      this.flag("preferences") ? preferences(this, client) : "",
      make("slot", { name: "footer" }),
      voice((stop) => this.until(stop))
    );
  }
  /** @param {Client} client */
  async load(client) {
    this.failed = false;
    const opens = this.#filter === "all" && this.getAttribute("read-on") !== "click";
    if (this.#posts !== "off") this.#try(client.loadAnnouncements());
    this.failed = !await this.#try(opens ? client.open() : client.load({ filter: this.#filter === "unread" ? "unread" : "all" }));
    this.draw(client.getSnapshot());
  }
  get #posts() {
    return this.getAttribute("announcements") ?? "top";
  }
  /** @param {Snapshot} now */
  draw(now) {
    const fault = this.fault(now);
    if (this.#state) [this.#state.hidden, this.#state.textContent] = [!fault, fault];
    if (this.failed && now.state === "live" && now.notices === null && this.client) void this.load(this.client);
    if (!this.#list || now.notices === this.#drawn?.notices && now.announcements === this.#drawn?.announcements && now.next === this.#drawn?.next) return;
    this.#drawn = now;
    const apart = this.#filter === "announcements";
    const posts = (now.announcements ?? []).filter((a) => apart || this.#posts === "top" && !a.read);
    const shown = apart ? [] : (now.notices ?? []).filter((r) => this.#filter === "all" || !r.read);
    this.#listing?.show([...posts, ...shown], (of) => of.key ? row(this, of, () => {
    }, this.#toggle(of), this.#delete(of)) : announcement(this, of));
    if (this.#empty) this.#empty.hidden = now.notices === null || this.#list.childElementCount > 0;
    if (this.#more) this.#more.hidden = apart || now.next === null;
  }
  /** @param {Row} row */
  #toggle(row2) {
    const client = this.client;
    return row2.read && !row2.new ? button(this, "mark_unread", row2.title, () => this.#try(client?.unread([row2.key]))) : button(this, "mark_read", row2.title, () => this.#try(client?.read({ keys: [row2.key] })));
  }
  /** @param {Row} row */
  #delete(row2) {
    return button(this, "delete", row2.title, async () => {
      if (!await this.#try(this.client?.delete([row2.key]))) return;
      const undo = make("button", { type: "button", class: "action", part: "action", click: () => this.#try(this.client?.restore([row2.key])).then(() => this.#status?.replaceChildren()) }, this.text("undo"));
      this.#say(this.text("deleted"), " ", undo);
    });
  }
  /** @param {string} filter */
  #choose(filter) {
    this.#filter = filter;
    this.#drawn = void 0;
    for (const tab of this.#tabs) tab.setAttribute("aria-pressed", String(tab.dataset.tab === filter));
    this.#try(filter === "announcements" ? this.client?.loadAnnouncements() : this.client?.load({ filter }));
  }
  #readAll() {
    const newest = this.client?.getSnapshot().notices?.[0];
    if (newest) this.#try(this.client?.read({ upto: newest.at }));
    this.#try(this.client?.readAnnouncements({ all: true }));
  }
  /** Reports whether a call succeeded. @param {Promise<unknown> | undefined} call */
  async #try(call) {
    try {
      await call;
      return true;
    } catch (err) {
      this.emit("error", { code: (
        /** @type {any} */
        err.code ?? "failed"
      ), detail: String(err) });
      if (this.client?.getSnapshot().notices) this.#say(this.text("failed"));
      return false;
    }
  }
  /** @param {string} text @param {...(Node | string)} more */
  #say(text, ...more) {
    this.#status?.replaceChildren(text, ...more);
    speak(text);
  }
};

// static/embed/toasts.js
var life = 8e3;
var CarillonToasts = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, "position"];
  /** @type {HTMLElement | null} */
  #region = null;
  /** @param {ShadowRoot} root @param {Client} client */
  start(root, client) {
    this.#region = make("div", { class: "toasts", part: "toasts", popover: "manual", role: "region", "aria-label": this.text("toasts"), "data-position": this.getAttribute("position") ?? "bottom-end" });
    root.replaceChildren(this.#region, voice((stop) => this.until(stop)));
    client.takeToasts();
    this.until(client.on("toast", (e) => this.#take(e.detail)));
  }
  moved() {
    if (this.#region?.childElementCount) this.#region.showPopover();
  }
  /** @param {{toast: Toast, shown: () => void}} detail */
  #take({ toast, shown }) {
    if (!this.emit("toast", { ...toast, shown })) return;
    this.#show(toast);
    shown();
  }
  /** @param {Toast} toast */
  #show(toast) {
    const region = this.#region;
    if (!region) return;
    const href = toast.link && new URL(toast.link, document.baseURI).href;
    const box = make(
      "div",
      { class: "toast", part: "toast" },
      make(href ? "a" : "span", { class: "title", part: "title", dir: "auto", href, click: (e) => this.#follow(e, toast, box) }, toast.title),
      toast.body ? make("span", { class: "body", part: "body", dir: "auto" }, toast.body) : null,
      make("button", { type: "button", class: "close", part: "action", "aria-label": this.text("close_named", { Title: toast.title }), click: () => this.#drop(box) }, "\u2715")
    );
    region.append(box);
    const most = Number(this.getAttribute("max") ?? 3);
    while (region.childElementCount > most) region.firstElementChild?.remove();
    if (!region.matches(":popover-open")) region.showPopover();
    speak(toast.body ? `${toast.title}
${toast.body}` : toast.title, true);
    const end = () => box.matches(":hover, :focus-within") ? setTimeout(end, 1e3) : this.#drop(box);
    setTimeout(end, life);
  }
  /** @param {Event} e @param {Toast} toast @param {HTMLElement} box */
  #follow(e, toast, box) {
    if (!toast.link) return;
    if (toast.key) this.client?.read({ keys: [toast.key] }).catch(() => {
    });
    if (!this.emit("navigate", { href: route(toast.link), notice: toast })) e.preventDefault();
    this.#drop(box);
  }
  /** @param {HTMLElement} box */
  #drop(box) {
    box.remove();
    if (this.#region?.childElementCount === 0 && this.#region.matches(":popover-open")) this.#region.hidePopover();
  }
};

// static/embed/v1.js
var known = globalThis.customElements;
if (known && !known.get("carillon-bell")) {
  known.define("carillon-bell", CarillonBell);
  known.define("carillon-inbox", CarillonInbox);
  known.define("carillon-toasts", CarillonToasts);
}
export {
  CarillonBell,
  CarillonInbox,
  CarillonToasts,
  connect
};
