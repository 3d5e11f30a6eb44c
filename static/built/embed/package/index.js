import {
  Known,
  connect
} from "./chunk-HJ2UVR23.js";
import {
  bodyOf,
  icon,
  make,
  route,
  time,
  titleOf
} from "./chunk-OHMHTUBW.js";
import {
  addressOf,
  baseOf,
  complain,
  ours,
  placeOf
} from "./chunk-JAZKCFTZ.js";

// static/embed/style.css
var style_default = ':host{--a: var(--carillon-accent, light-dark(#8a5414, #e3b36f));--oa: var(--carillon-on-accent, light-dark(#fff, #231603));--s: var(--carillon-surface, Canvas);--t: var(--carillon-text, CanvasText);--m: var(--carillon-muted, color-mix(in srgb, var(--t) 65%, var(--s)));--b: var(--carillon-border, color-mix(in srgb, var(--t) 18%, var(--s)));--u: var(--carillon-unread, var(--a));--r: var(--carillon-radius, 8px);--g: var(--carillon-gap, 12px);display:inline-block;font-family:var(--carillon-font, inherit)}:host(carillon-inbox),[popover]{background:var(--s);color:var(--t);border:1px solid var(--b);border-radius:var(--r);overflow:clip}:host(carillon-inbox){display:block}:host([hidden]),[hidden]{display:none!important}:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}*{box-sizing:border-box}button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}:focus-visible{outline:2px solid var(--a);outline-offset:2px;border-radius:4px}svg{width:1.5em;height:1.5em;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round;display:block}[popover]{position:fixed;inset:auto;left:var(--x, 8px);top:var(--y, 8px);margin:0;padding:0}[popover]{box-shadow:0 8px 24px -8px #00000059}.bell{position:relative;display:inline-grid;place-items:center;min-width:44px;min-height:44px}.badge{position:absolute;inset-block-start:2px;inset-inline-start:50%;min-width:1.25rem;padding:0 .3rem;border-radius:99px;background:var(--u);color:var(--oa);font-size:.75rem;font-weight:600;line-height:1.25rem;text-align:center}.panel{width:min(var(--carillon-width, 24rem),calc(100vw - 16px));max-height:min(var(--carillon-height, 32rem),calc(100dvh - 16px));flex-direction:column}.panel:popover-open{display:flex}.head,.state{border-block-end:1px solid var(--b)}.head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px var(--g);padding-block:8px;padding-inline:16px 8px}h2{flex:1 0 100%;margin:0;font-size:1rem;font-weight:600}.action{min-height:32px;padding:0 8px;border-radius:6px;font-size:.875rem;color:var(--a)}.action:hover,li:hover{background:color-mix(in srgb,var(--t) 6%,transparent)}ul{margin:0;padding:0;list-style:none;overflow-y:auto;overscroll-behavior:contain}li{position:relative;display:grid;grid-template-columns:24px minmax(0,1fr) auto;column-gap:var(--g);padding-block:10px;padding-inline:22px 16px;font-size:.875rem;line-height:1.4}li+li,.foot{border-block-start:1px solid var(--b)}li>*{grid-column:2 / -1}.dot{grid-area:auto;position:absolute;inset-inline-start:7px;inset-block-start:18px;width:8px;height:8px;border-radius:50%;background:var(--u)}.title,.body{text-align:match-parent}li>.title{grid-column:2}.title{color:inherit;font-weight:500;text-decoration:none;overflow-wrap:anywhere}li[data-unread] .title{font-weight:650}a.title:after{content:"";position:absolute;inset:0}.body{color:var(--m);overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;white-space:pre-line}time{color:var(--m);font-size:.75rem;line-height:1.6;white-space:nowrap}li>time{grid-column:3}.tabs{display:flex;flex-wrap:wrap;gap:4px;margin-inline-end:auto}.tab[aria-pressed=true]{background:color-mix(in srgb,var(--a) 14%,transparent);font-weight:600}.more{display:block;margin:8px auto}.empty,.state{margin:0;padding:6px 16px;text-align:center;color:var(--m);font-size:.875rem}.empty{padding:40px 16px}.empty svg{width:48px;height:48px;margin:0 auto 12px;stroke-width:1.2}.empty b{display:block;color:var(--t);font-weight:600}.skeleton{--k: color-mix(in srgb, var(--t) 10%, var(--s));height:64px;animation:show 0s .2s backwards;background:no-repeat radial-gradient(circle closest-side,var(--k) 96%,#0000) 22px 10px / 24px 24px,no-repeat linear-gradient(var(--k) 0 0) 58px 15px / 45% 12px,no-repeat linear-gradient(var(--k) 0 0) 58px 37px / 60% 10px}.skeleton:dir(rtl){scale:-1 1}@keyframes show{0%{visibility:hidden}}.foot{padding:8px 16px;font-size:.875rem;text-align:center}.foot a{color:var(--a)}.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}@media(width<480px){.panel{inset:auto 0 0;width:auto;max-width:none;max-height:85dvh;border-radius:var(--r) var(--r) 0 0}}@media(pointer:coarse){.action{min-width:44px;min-height:44px}}';

// static/embed/style.js
var sheet;
function style() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    dress("");
  }
  return sheet;
}
var dress = (more) => style().replaceSync(style_default + more);

// static/embed/texts.js
var rows = __CARILLON_TEXTS__;
var learn = (added) => rows.push(...added);
function texts(wish) {
  const [base] = (
    /** @type {[string]} */
    wish.split("-")
  );
  const known2 = rows[0];
  const lang = /^(zh-(hant|tw|hk|mo)|yue)/i.test(wish) ? "zh-Hant" : known2.includes(base) ? base : "en";
  const text = (id, values = {}) => {
    const found = rows.find((row) => row[0] === id)?.[known2.indexOf(lang)] ?? id;
    return found.replace(/\{(\w+)\}/g, (_, name) => (
      /** @type {string} */
      values[name]
    ));
  };
  return { lang, text };
}

// static/embed/lazy.js
var asked;
var here;
var tried = false;
var lazy = () => asked ??= import("./more-HFL6Q4LY.js").then(
  (more) => {
    tried = true;
    learn(more.texts);
    dress(more.css);
    here = more;
  },
  (err) => {
    asked = void 0;
    tried = true;
    complain(`no actions, toasts and preferences: ${err}`);
  }
);
var later = (use) => void (here ? use(here) : lazy().then(() => loaded(use)));
var loaded = (use) => here && use(here);

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

// static/embed/element.js
var frame = 16;
var lonely = 5e3;
var sections = ["types", "scope", "app"];
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
  #part = false;
  // it shows a part of the notices
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
      this.#begin(root, client);
    }
    if (put && client?.getSnapshot().state === "signed-out") void client.refresh();
  }
  /** Shows the page's own content until there is a client, and what it is narrowed by. @param {ShadowRoot} root @param {Client | null} whole */
  #begin(root, whole) {
    const had = this.#part;
    this.#part = sections.some((name) => this.hasAttribute(name));
    if (had || this.#part) this.#user = null;
    if (whole && !this.#part) return this.#start(root, whole, whole);
    const own = make("slot");
    root.replaceChildren(own);
    if (whole) return later(({ narrow }) => own.isConnected && this.#start(root, whole, narrow(this, whole, new Known())));
    const late = setTimeout(() => complain(`<${this.localName}> needs token-url, token or tokenProvider`), lonely);
    this.atEnd(() => clearTimeout(late));
  }
  /** @param {ShadowRoot} root @param {Client} whole @param {Client} client what the element shows of it */
  #start(root, whole, client) {
    const draw = this.start(root, client);
    for (const name of ["notice", "error"]) this.atEnd(client.on(name, (e) => this.emit(name, e.detail)));
    let state = "";
    let due;
    draw(client.getSnapshot());
    this.atEnd(client.subscribe((now) => {
      if (now.user !== this.#user) this.#become(now.user, client);
      if (now.state !== state) this.emit("state", { state: state = now.state });
      due ??= setTimeout(() => {
        due = void 0;
        draw(client.getSnapshot());
      }, frame);
    }));
    this.atEnd(() => clearTimeout(due));
    if (document.querySelector("meta[name=carillon-subject]")) later(({ watchSubject }) => whole === this.#client && watchSubject(this, whole));
  }
  /** @param {string | null} user @param {Client} client */
  #become(user, client) {
    const had = this.#user;
    this.#user = user;
    if (had !== null) {
      loaded(({ hush }) => hush());
      this.failed = false;
      this.left();
      this.settle(true);
    }
    if (user === null) return;
    this.load(client);
  }
  #end() {
    for (const stop of this.#stop.splice(0)) stop();
    this.shadowRoot?.replaceChildren();
  }
  /** Builds the content. Returns the function that draws a snapshot. @param {ShadowRoot} _root @param {Client} _client @returns {(now: Snapshot) => void} */
  start(_root, _client) {
    return () => {
    };
  }
  /** Loads the content for a user. @param {Client} _client @param {boolean} [_chosen] the user chose a tab */
  load(_client, _chosen) {
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
  /** Makes a button with a text. @param {string} id of the text @param {() => void} click @param {Record<string, string>} [attributes] */
  button(id, click, attributes) {
    return make("button", { class: "action", part: "action", click, ...attributes }, this.text(id));
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
  atEnd(stop) {
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

// static/embed/listing.js
function list(ul, made, rows2, make2) {
  const shown = rows2.map((of) => {
    const li = made.get(of) ?? make2(of);
    made.set(of, li);
    return li;
  });
  const stay = new Set(
    /** @type {Element[]} */
    shown
  );
  const before = (
    /** @type {HTMLElement[]} */
    [...ul.children]
  );
  const active = (
    /** @type {ShadowRoot} */
    ul.getRootNode().activeElement
  );
  const place = before.findIndex((li) => li.contains(active));
  for (const li of before) if (!stay.has(li)) li.remove();
  let at = ul.firstElementChild;
  for (const li of shown) {
    if (li === at) at = at.nextElementSibling;
    else ul.insertBefore(li, at);
  }
  const had = before[place];
  if (!had || had.isConnected) return;
  const controls = (li) => (
    /** @type {HTMLElement[]} */
    [...li?.querySelectorAll("a, button") ?? []]
  );
  const nth = controls(had).indexOf(
    /** @type {HTMLElement} */
    active
  );
  const all = controls(shown.find((li) => li.dataset.key === had.dataset.key) ?? shown[Math.min(place, shown.length - 1)]);
  (all[nth] ?? all[0])?.focus();
}

// static/embed/row.js
function rowOf(feed, of) {
  const { el } = feed;
  const unread = !of.read || of.new;
  const li = make(
    "li",
    { part: unread ? "row unread" : "row", "data-key": of.key ?? `announcement ${of.id}`, "data-unread": unread },
    unread && make("span", { class: "dot", part: "dot" }, make("span", { class: "sr" }, el.text("unread")))
  );
  if (of.key && el.renderRow) li.prepend(el.renderRow(of, li));
  else li.append(titleOf(of, feed.follow(of, of.link)), time(of.created_at, el.language), of.key ? bodyOf(of) : "");
  feed.act(li, of);
  return li;
}

// static/embed/feed.js
var bell = "M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0";
var Feed = class {
  said = make("div", { class: "said", part: "status" });
  #state = make("p", { class: "state", part: "status", hidden: true });
  #waits = make("div", { "aria-hidden": "true", hidden: true }, ...[1, 2, 3].map(() => make("div", { class: "skeleton", part: "skeleton" })));
  #empty;
  #nothing = { "": make("b"), _text: make("span") };
  /** @type {WeakMap<object, HTMLElement>} */
  #made = /* @__PURE__ */ new WeakMap();
  #away;
  #again = () => {
  };
  /** @param {import("./element.js").CarillonElement} el @param {Client} client @param {string} acts hover, menu or none @param {() => void} [away] is called when the user follows a link */
  constructor(el, client, acts, away) {
    this.el = el;
    this.client = client;
    this.acts = acts;
    this.#away = away;
    this.list = make("ul", { part: "list", "aria-label": el.text("title") });
    this.#empty = make("div", { class: "empty", part: "empty", hidden: true }, make("slot", { name: "empty" }, icon(bell), ...Object.values(this.#nothing)));
  }
  get nodes() {
    return [this.#state, this.#waits, this.list, this.#empty, this.said];
  }
  /** @param {Snapshot} now @param {readonly any[]} posts @param {Snapshot["notices"]} notices */
  show(now, posts, notices = now.notices) {
    const fault = this.el.fault(now);
    [this.#state.hidden, this.#state.textContent] = [!fault, fault];
    this.#again = () => this.show(now, posts, notices);
    if (!tried && (posts[0] || notices?.[0])) {
      void lazy().then(() => this.#again());
      [posts, notices] = [[], null];
    }
    list(this.list, this.#made, [...posts, ...notices ?? []], (of) => rowOf(this, of));
    const waits = notices === null;
    this.#waits.hidden = !waits || Boolean(fault);
    this.#empty.hidden = waits || this.list.hasChildNodes();
    const place = placeOf(now.filter);
    for (const [name, line] of Object.entries(this.#nothing)) line.textContent = this.el.text(`empty${place ? `_${place}` : ""}${name}`);
    return fault;
  }
  /** Reports whether a call succeeded. @param {Promise<unknown> | undefined} call */
  async try(call) {
    try {
      await call;
      return true;
    } catch (err) {
      this.el.emit("error", { code: (
        /** @type {any} */
        err.code ?? "failed"
      ), detail: String(err) });
      if (this.client.getSnapshot().notices) later(({ say }) => say(this, this.el.text("failed")));
      return false;
    }
  }
  /** Adds what a row has beside its text, and what the user can do with it. @param {HTMLElement} li @param {any} of */
  act(li, of) {
    later(({ act }) => act(this, li, of));
  }
  readAll() {
    const { notices } = this.client.getSnapshot();
    if (notices?.[0]) this.try(this.client.read({ upto: notices[0].at }));
    this.try(this.client.readAnnouncements({ all: true }));
  }
  /** Returns what happens when the user follows a link of a row, which a router of the page may take over. @param {any} of @param {string} link */
  follow(of, link) {
    return (e) => {
      if (!of.read) (of.key ? this.client.read({ keys: [of.key] }) : this.client.readAnnouncements({ ids: [of.id] })).catch(() => {
      });
      if (!this.el.emit("navigate", { href: route(link), notice: of })) e.preventDefault();
      this.#away?.();
    };
  }
};

// static/embed/bell.js
var CarillonBell = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, ...sections, "max", "title-badge", "favicon-badge", "preferences", "inbox-href", "placement", "open", "actions"];
  /** @type {HTMLElement | null} */
  #panel = null;
  /** @override @param {ShadowRoot} root @param {import("./core.js").Client} client */
  start(root, client) {
    const name = this.text("title");
    const feed = new Feed(this, client, this.getAttribute("actions") ?? "hover", () => this.hide());
    let shown;
    const all = this.button("read_all", () => feed.readAll());
    const badge = make("span", { class: "badge", part: "badge", "aria-hidden": "true", hidden: true });
    const button = make(
      "button",
      { class: "bell", part: "bell", "aria-haspopup": "dialog", "aria-expanded": "false", click: () => panel.togglePopover(), pointerenter: lazy, focus: lazy },
      make("slot", { name: "icon" }, icon(bell)),
      badge
    );
    const href = this.getAttribute("inbox-href");
    const foot = make("div", { class: "foot", part: "footer" }, make("slot", { name: "footer" }, href && make("a", { href }, this.text("inbox"))));
    const panel = this.#panel = make(
      "div",
      { class: "panel", part: "panel", popover: "auto", role: "dialog", "aria-label": name, toggle: (e) => toggled(e.newState === "open") },
      make("div", { class: "head", part: "header" }, make("h2", { part: "heading" }, make("slot", { name: "header" }, name)), all),
      ...feed.nodes,
      foot
    );
    if (this.flag("preferences")) later(({ preferences }) => foot.append(preferences(this, client)));
    const place = () => loaded((more) => panel.matches(":popover-open") && more.place(panel, button, this.getAttribute("placement") ?? void 0));
    const toggled = async (open) => {
      button.setAttribute("aria-expanded", String(open));
      this.toggleAttribute("open", open);
      this.emit(open ? "open" : "close");
      if (!open) return;
      later(() => (place(), draw(client.getSnapshot())));
      if (client.getSnapshot().user === null) return;
      const calls = [this.getAttribute("read-on") === "click" ? client.load({ filter: "all" }) : client.open(), client.loadAnnouncements()];
      this.failed = !await feed.try(Promise.all(calls));
      draw(client.getSnapshot());
    };
    const draw = (now) => {
      const { unread } = now.badge;
      this.toggleAttribute("data-signed-out", now.state === "signed-out");
      if (unread !== shown) {
        const max = Number(this.getAttribute("max") ?? 99);
        const short = unread && unread > max ? `${max}+` : String(unread ?? "");
        const label = unread === null ? name : this.text(unread ? "bell" : "bell_none", { Count: unread });
        badge.textContent = short;
        badge.hidden = all.hidden = !unread;
        button.setAttribute("aria-label", label);
        if (this.flag("title-badge")) later(({ entitle }) => button.isConnected && entitle(this, unread ? short : ""));
        if (this.flag("favicon-badge")) later(({ dot }) => button.isConnected && dot(this, unread));
        if (unread && typeof shown === "number" && unread > shown) later(({ speak }) => speak(this, label));
        shown = unread;
        if (unread !== null) this.emit("badge", now.badge);
      }
      loaded(({ split }) => split(this, feed, panel, unread, Known, () => draw(client.getSnapshot())));
      const fault = feed.show({ ...now, notices: feed.client.getSnapshot().notices }, (now.announcements ?? []).filter((a) => !a.read));
      if (unread === null && fault) button.setAttribute("aria-description", fault);
      else button.removeAttribute("aria-description");
    };
    root.replaceChildren(button, panel);
    addEventListener("resize", place);
    this.atEnd(() => {
      removeEventListener("resize", place);
      loaded(({ dot, entitle }) => (dot(this, null), entitle(this, null)));
    });
    if (this.flag("open")) queueMicrotask(() => this.show());
    return draw;
  }
  /** @override */
  moved() {
    if (this.flag("open")) this.show();
  }
  /** @override */
  left() {
    this.removeAttribute("open");
  }
  /** @override @param {string} name */
  changed(name) {
    if (name === "open") this.flag("open") ? this.show() : this.hide();
    else super.changed(name);
  }
  /** Opens the panel. */
  show() {
    if (this.#panel?.isConnected && !this.#panel.matches(":popover-open")) this.#panel.showPopover();
  }
  /** Closes the panel. */
  hide() {
    this.#panel?.hidePopover();
  }
};

// static/embed/inbox.js
var announced = "announcements";
var CarillonInbox = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, ...sections, "filter", announced, "preferences", "actions", "tabs"];
  /** @override @param {ShadowRoot} root @param {Client} client */
  start(root, client) {
    const feed = new Feed(this, client, this.getAttribute("actions") ?? "hover");
    const posts = this.getAttribute("announcements") ?? "top";
    const names = (this.getAttribute("tabs") ?? "all unread").match(/\b(all|unread|archived|later)\b/g) ?? ["all"];
    let filter = this.getAttribute("filter") ?? "";
    if (!names.includes(filter)) [filter = ""] = names;
    const tabs = [...names, ...posts === "tab" ? [announced] : []].map((name) => {
      const choose = () => {
        filter = name;
        press();
        this.load(client, true);
        draw(client.getSnapshot());
      };
      return this.button(`tab_${name}`, choose, { class: "action tab", part: "tab", "data-tab": name });
    });
    const press = () => tabs.forEach((tab) => tab.setAttribute("aria-pressed", String(tab.dataset.tab === filter)));
    const older = this.button("older", () => feed.try(client.load({ more: true })), { class: "action more" });
    this.load = async (_, chosen = false) => {
      this.failed = false;
      if (posts !== "off") feed.try(client.loadAnnouncements());
      const opens = !chosen && filter === "all" && this.getAttribute("read-on") !== "click";
      this.failed = !await feed.try(opens ? client.open() : client.load({ filter: filter === announced ? "all" : filter }));
      draw(client.getSnapshot());
      if (this.failed && this.isConnected) setTimeout(() => this.load(client, chosen), 5e3);
    };
    const draw = (now) => {
      const apart = filter === announced;
      if (!apart && now.notices && placeOf(now.filter) !== placeOf(filter)) filter = now.filter, press();
      loaded(({ tally }) => tally(this, tabs, posts === "top" ? now.badge.unread : now.badge.inbox));
      const shown = apart ? [] : now.notices && now.notices.filter((r) => filter !== "unread" || !r.read);
      feed.show(now, (now.announcements ?? []).filter((a) => apart || posts === "top" && !a.read && !placeOf(filter)), shown);
      older.hidden = apart || !shown || now.next === null;
      all.hidden = Boolean(placeOf(filter));
    };
    const all = this.button("read_all", () => feed.readAll());
    const prefs = make("div");
    if (this.flag("preferences")) later(({ preferences }) => prefs.append(preferences(this, client)));
    press();
    void lazy();
    root.replaceChildren(
      make("div", { class: "head", part: "header" }, make("slot", { name: "header" }), make("div", { class: "tabs", part: "tabs", role: "group" }, ...tabs), all),
      ...feed.nodes,
      older,
      prefs,
      make("slot", { name: "footer" })
    );
    return draw;
  }
};

// static/embed/toasts.js
var CarillonToasts = class extends CarillonElement {
  static observedAttributes = [...super.observedAttributes, "position"];
  /** @type {HTMLElement | null} */
  #region = null;
  /** @param {ShadowRoot} root @param {Client} client */
  start(root, client) {
    this.#region = make("div", { class: "toasts", part: "toasts", popover: "manual", role: "region", "data-position": this.getAttribute("position") ?? "bottom-end" });
    root.replaceChildren(this.#region);
    client.takeToasts();
    void lazy();
    this.atEnd(client.on("toast", (e) => this.#take(e.detail)));
    return () => {
    };
  }
  moved() {
    if (this.#region?.childElementCount) this.#region.showPopover();
  }
  /** @param {{toast: Toast, shown: () => void}} detail */
  #take({ toast, shown }) {
    if (!this.emit("toast", { ...toast, shown })) return;
    const region = this.#region;
    later(({ show, speak }) => {
      if (!region?.isConnected) return;
      show(this, region, toast, (e, to) => {
        if (toast.key) this.client?.read({ keys: [toast.key] }).catch(() => {
        });
        if (!this.emit("navigate", { href: route(to), notice: toast })) e.preventDefault();
      });
      speak(this, toast.body ? `${toast.title}
${toast.body}` : toast.title, true);
      shown();
    });
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
