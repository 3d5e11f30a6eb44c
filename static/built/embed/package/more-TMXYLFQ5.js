import {
  bodyOf,
  icon,
  make,
  titleOf,
  write
} from "./chunk-OHMHTUBW.js";
import {
  clock,
  isVisible
} from "./chunk-JDWM5IHJ.js";

// static/embed/more.css
var more_default = ".actions{grid-area:auto;position:absolute;z-index:2;inset-block-start:4px;inset-inline-end:8px;display:flex;padding:1px;border:1px solid var(--b);border-radius:8px;background:var(--s);opacity:0}li:is(:hover,:focus-within) .actions,.actions:has([aria-expanded=true]),.actions[data-actions=menu]{opacity:1}.do{display:grid;place-items:center;width:30px;height:30px;border-radius:6px;color:var(--m)}.do:hover,.do[aria-expanded=true],.item:is(:hover,:focus){background:color-mix(in srgb,var(--t) 8%,transparent);color:var(--t)}.do svg,.item svg{width:18px;height:18px}.dots svg{stroke-width:2.5}.actions[data-actions=menu]{border-color:transparent;background:none}.menu{min-width:13rem;max-width:calc(100vw - 16px);padding:4px}.item{display:flex;align-items:center;gap:10px;width:100%;min-height:36px;padding:0 10px;border-radius:6px;font-size:.875rem;text-align:start}.item svg,.item small{color:var(--m)}.item small{margin-inline-start:auto;padding-inline-start:12px;font-size:.75rem;white-space:nowrap}.item:focus{outline-offset:-2px}.said{position:sticky;font-size:.875rem;z-index:3;inset-block-end:0;height:0;padding:0}.said>div{position:absolute;inset:auto 12px 12px;display:flex;align-items:center;justify-content:space-between;gap:12px;width:fit-content;max-width:calc(100% - 24px);margin-inline:auto;padding:4px 8px 4px 14px;border-radius:8px;background:var(--t);color:var(--s);box-shadow:0 4px 12px #00000040}.said .action{color:inherit;font-weight:600;text-decoration:underline}.prefs{padding:4px 8px;border-block-start:1px solid var(--b)}.prefs summary{display:inline-flex;align-items:center;cursor:pointer;list-style:none}.types{padding:4px 8px 8px;font-size:.875rem}.types label{display:flex;align-items:center;gap:8px;min-height:32px}.types input{accent-color:var(--a)}.close{position:absolute;z-index:1;inset-block-start:0;inset-inline-end:0;min-width:44px;min-height:44px;color:var(--m)}.toasts{inset:auto 16px 16px auto;border:0;background:none;box-shadow:none;overflow:visible;width:min(22rem,calc(100vw - 32px))}.toasts[data-position^=top]{inset-block:16px auto}.toasts[data-position$=start]{inset-inline:16px auto}.toast{position:relative;display:grid;margin-block-start:8px;padding-block:12px;padding-inline:16px 44px;font-size:.875rem;background:var(--s);color:var(--t);border:1px solid var(--b);border-inline-start:3px solid var(--u);border-radius:var(--r);overflow:clip;box-shadow:0 8px 24px -8px #00000059}.question,.became{position:relative;z-index:1;width:fit-content}.became{font-weight:500}.question .button{cursor:pointer}.danger{border-color:currentColor;color:light-dark(#a4262c,#f1948a)}.remark summary{width:fit-content;padding-block:3px;color:var(--m);cursor:pointer}textarea{display:block;width:min(24rem,100%);padding:6px 8px;border:1px solid color-mix(in srgb,var(--t) 50%,var(--s));border-radius:6px;background:var(--s);color:inherit;font:inherit}.fault{color:light-dark(#a4262c,#f1948a)}.until{color:var(--m);font-size:.75rem}@media(forced-colors:active){.badge,.dot{forced-color-adjust:none;background:Highlight;color:HighlightText}}@media(pointer:coarse){.action,.types label,.item,.question .button{min-height:44px}.remark summary{padding-block:12px}}@media(hover:none){li:has(.actions){padding-inline-end:52px}.actions{inset:0 4px auto auto;border:0;background:none;opacity:1}.actions:dir(rtl){inset:0 auto auto 4px}.do:not(.dots){display:none}.dots{width:44px;height:44px}}@media(width<480px){.menu{inset:auto 0 0;width:auto;max-width:none;padding:8px 8px max(8px,env(safe-area-inset-bottom));border-radius:var(--r) var(--r) 0 0}}";

// static/js/announcer.js
var quiet = 5e3;
var moment = 50;
function announcer(write3, time = clock) {
  let last = -Infinity;
  let waiting2 = null;
  return (phrase, wait = moment) => {
    const pending = waiting2 !== null;
    waiting2 = phrase;
    if (pending) return;
    time.after(Math.max(wait, last + quiet - time.now()), () => {
      last = time.now();
      if (waiting2 !== null) write3(typeof waiting2 === "string" ? waiting2 : waiting2());
      waiting2 = null;
    });
  };
}

// static/embed/voice.js
var places = /* @__PURE__ */ new Map();
var waiting = "";
var important = false;
var say = announcer(() => {
  const [place2] = places.values();
  if (place2) place2.textContent = waiting;
  important = false;
});
function voice(el) {
  if (places.get(el)?.isConnected || !el.shadowRoot?.firstChild) return;
  const place2 = make("p", { class: "sr", part: "status" });
  el.shadowRoot.append(place2);
  places.set(el, place2);
  elect();
  el.atEnd(() => {
    places.delete(el);
    elect();
  });
}
function elect() {
  const [first] = places.values();
  first?.setAttribute("role", "status");
}
function speak(el, phrase, toast = false) {
  voice(el);
  if (important && !toast) return;
  [waiting, important] = [phrase, toast];
  say(phrase);
}
function hush() {
  [waiting, important] = ["", false];
  for (const place2 of places.values()) place2.textContent = "";
}

// static/embed/said.js
var life = 1e4;
function say2(feed, text, undo) {
  const { el, said } = feed;
  const again2 = () => feed.try(undo?.()).then(() => box.remove());
  const box = make("div", {}, text, undo ? el.button("undo", again2) : "");
  const end = () => box.matches(":hover, :focus-within") ? setTimeout(end, 1e3) : box.remove();
  said.replaceChildren(box);
  setTimeout(end, life);
  speak(el, text);
}

// static/embed/asking.js
var typed = /* @__PURE__ */ new WeakMap();
function ask(feed, li, row) {
  const { ask: ask2 } = row;
  if (!ask2) return;
  const { el } = feed;
  const mine = ask2.choices.find(({ id }) => id === ask2.mine);
  if (ask2.state !== "open") li.append(status(became(el, ask2)));
  else if (mine) li.append(status(el.text("mine", { Choice: mine.label })));
  else li.append(question(feed, row, ask2));
}
var status = (text) => make("span", { class: "became", part: "status", dir: "auto" }, text);
function became(el, { state, outcome, choices, answers }) {
  const chosen = choices.find(({ id }) => id === outcome);
  if (!chosen) return { open: "", answered: el.text("answered"), expired: el.text("expired"), withdrawn: el.text("withdrawn") }[state];
  const at = new Intl.DateTimeFormat(el.language, { hour: "2-digit", minute: "2-digit" });
  return [chosen.label, ...answers.flatMap((is) => [`${is.name ?? is.user ?? el.text("somebody")}, ${at.format(new Date(is.at))}`, ...is.comment ? [`'${is.comment}'`] : []])].join(" · ");
}
async function answer(feed, id, choice, comment) {
  const { el, client } = feed;
  try {
    await client.answer(id, choice, comment);
    say2(feed, el.text("answer_done"));
  } catch (err) {
    if (/ask_ended|already_answered/.test(
      /** @type {any} */
      err.code
    )) say2(feed, el.text("too_late"));
    else feed.try(Promise.reject(err));
  }
}
function question(feed, row, ask2) {
  const { el } = feed;
  const drafts = typed.get(feed) ?? /* @__PURE__ */ new Map();
  typed.set(feed, drafts);
  const draft = drafts.get(ask2.id) ?? { text: "", open: false };
  drafts.set(ask2.id, draft);
  const fault = make("span", { class: "fault", role: "alert" });
  const field = (
    /** @type {HTMLTextAreaElement} */
    make("textarea", { rows: "2", maxlength: "500", dir: "auto", "aria-label": `${el.text("comment")}: ${row.title}`, input: () => draft.text = field.value })
  );
  field.value = draft.text;
  const remark = make("details", { class: "remark", open: draft.open, toggle: () => draft.open = /** @type {HTMLDetailsElement} */
  remark.open }, make("summary", {}, el.text("comment")), field, fault);
  const choose = (choice) => {
    if (choice.comment === "required" && !field.value.trim()) {
      remark.open = true;
      fault.textContent = el.text("needs_comment", { Choice: choice.label });
      field.focus();
      return;
    }
    drafts.delete(ask2.id);
    answer(feed, ask2.id, choice.id, choice.comment === "none" ? "" : field.value);
  };
  const old = (
    /** @type {ShadowRoot} */
    feed.list.getRootNode().activeElement
  );
  if (old instanceof HTMLTextAreaElement && /** @type {HTMLElement | null} */
  old.closest("li")?.dataset.key === row.key) queueMicrotask(() => field.focus());
  return make(
    "span",
    { class: "question", part: "question" },
    ask2.choices.some(({ comment }) => comment !== "none") && remark,
    make("span", { class: "buttons" }, ...ask2.choices.map((choice) => make("button", { class: `button ${choice.style}`, part: "button", dir: "auto", "aria-label": `${choice.label}: ${row.title}`, click: () => choose(choice) }, choice.label)))
  );
}

// static/embed/place.js
var gap = 4;
var edge = 8;
function place(box, button2, placement = "bottom-end") {
  const at = button2.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const [side, end] = placement.split("-");
  const x = end === "end" === (getComputedStyle(button2).direction === "ltr") ? at.right - width : at.left;
  const room = innerHeight - at.bottom;
  const most = Math.min(height, 320);
  const below = side === "top" ? at.top < most && room > at.top : room > most || at.top < innerHeight / 2;
  box.style.setProperty("--x", `${Math.min(Math.max(edge, x), innerWidth - width - edge)}px`);
  box.style.setProperty("--y", `${below ? at.bottom + gap : Math.max(edge, at.top - height - gap)}px`);
}

// static/embed/menu.js
function menu(feed, clicked, deeds) {
  const root = (
    /** @type {ShadowRoot} */
    feed.list.getRootNode()
  );
  const { key = "" } = (
    /** @type {HTMLElement} */
    clicked.closest("li").dataset
  );
  const current = () => {
    const li = [...feed.list.children].find((li2) => (
      /** @type {HTMLElement} */
      li2.dataset.key === key
    ));
    return (
      /** @type {HTMLElement | undefined} */
      [...li?.querySelectorAll(".do") ?? []].find((b) => (
        /** @type {HTMLElement} */
        b.title === clicked.title
      ))
    );
  };
  const button2 = current();
  if (!button2) return;
  let held = false;
  const items = deeds.map((deed) => {
    const choose = () => {
      box.hidePopover();
      deed.click(current() ?? button2);
    };
    return make("button", { class: "item", part: "action", role: "menuitem", tabindex: "-1", click: choose }, deed.icon && icon(deed.icon), make("span", { dir: "auto" }, deed.text), deed.note && make("small", {}, deed.note));
  });
  const closing = (e) => {
    if (e.newState === "closed") held = box.contains(root.activeElement);
  };
  const toggled = (e) => {
    button2.setAttribute("aria-expanded", String(e.newState === "open"));
    if (e.newState === "open") return;
    box.remove();
    if (held && !root.querySelector(".menu")) current()?.focus();
  };
  const step = (e) => {
    const at = items.indexOf(
      /** @type {HTMLElement} */
      root.activeElement
    );
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];
    if (e.key === "Tab") box.hidePopover();
    if (to === void 0) return;
    e.preventDefault();
    items.at(to % items.length)?.focus();
  };
  const box = make("div", { class: "menu", part: "menu", popover: "auto", role: "menu", "aria-label": button2.getAttribute("aria-label"), beforetoggle: closing, toggle: toggled, keydown: step }, ...items);
  feed.list.parentNode?.append(box);
  box.showPopover();
  place(box, button2);
  items[0]?.focus();
}

// static/embed/acts.js
var icons = {
  read: "M20 6 9 17l-5-5",
  unread: "M4 5h16v14H4zm0 2 8 6 8-6",
  archive: "M3 4h18v4H3zm2 4v12h14V8m-9 4h4",
  unarchive: "M3 4h18v4H3zm2 4v12h14V8m-7 9v-5m-3 3 3-3 3 3",
  later: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18m0 4v5l3 2",
  mute: "M10.3 21a2 2 0 0 0 3.4 0M3 3l18 18M6.3 6.3A6 6 0 0 0 6 8c0 7-3 9-3 9h14M8.7 3A6 6 0 0 1 18 8c0 2 .3 4 .8 5.4",
  delete: "M4 6h16M9 6V4h6v2M6 6l1 14h10l1-14",
  more: "M5 12h.01M12 12h.01M19 12h.01"
};
function act(feed, li, row) {
  ask(feed, li, row);
  if (feed.acts === "none") return;
  const { filter } = feed.client.getSnapshot();
  const deeds = (ofFilter[filter] ?? deedsOf)(feed, row);
  const all = async (at) => menu(feed, at, [...deeds, ...ofFilter[filter] ? [] : await muting(feed, row), ...row.until ? [] : [removal(feed, row)]]);
  if (row.until) li.append(make("span", { class: "until", part: "meta" }, feed.el.text("back", { Time: moment2(feed.el.language, new Date(row.until)) })));
  li.append(make(
    "span",
    { class: "actions", part: "actions", "data-actions": feed.acts },
    ...(feed.acts === "menu" ? [] : deeds).map((deed) => button(deed, row)),
    button({ text: feed.el.text("more"), icon: icons.more, click: all, opens: true }, row, "do dots")
  ));
}
async function did(feed, id, call, undo, values) {
  if (await feed.try(call)) say2(feed, feed.el.text(id, values), undo);
}
function button({ text, icon: d = "", click, opens }, { title }, name = "do") {
  const menu2 = opens ? { "aria-haspopup": "menu", "aria-expanded": "false" } : {};
  return make("button", { class: name, part: "action", title: text, "aria-label": `${text}: ${title}`, click: (e) => click(e.currentTarget), ...menu2 }, icon(d));
}
function deedsOf(feed, row) {
  const { el, client } = feed;
  const keys = [row.key];
  return [
    !row.read || row.new ? { text: el.text("mark_read"), icon: icons.read, click: () => feed.try(client.read({ keys })) } : { text: el.text("mark_unread"), icon: icons.unread, click: () => feed.try(client.unread(keys)) },
    { text: el.text("later"), icon: icons.later, opens: true, click: (at) => menu(feed, at, presets(feed, row)) },
    { text: el.text("archive"), icon: icons.archive, click: () => did(feed, "archived", client.archive(keys), () => client.restore(keys)) }
  ];
}
function removal(feed, { key }) {
  const { el, client } = feed;
  return { text: el.text("delete"), icon: icons.delete, click: () => did(feed, "deleted", client.delete([key]), () => client.restore([key])) };
}
var ofFilter = {
  archived: (feed, { key }) => {
    const { el, client } = feed;
    return [{ text: el.text("unarchive"), icon: icons.unarchive, click: () => did(feed, "unarchived", client.unarchive([key]), () => again(client, client.archive([key]))) }];
  },
  later: (feed, { key, until = "" }) => {
    const { el, client } = feed;
    return [{ text: el.text("wake"), icon: icons.unarchive, click: () => did(feed, "woken", client.wake(key), () => again(client, client.snooze(key, until))) }];
  }
};
var again = (client, change) => change.then(() => client.load());
var moment2 = (lang, at) => new Intl.DateTimeFormat(lang, { weekday: "short", hour: "numeric", minute: "2-digit" }).format(at);
function presets(feed, { key }) {
  const { el, client } = feed;
  const morning = (days) => {
    const at = /* @__PURE__ */ new Date();
    at.setDate(at.getDate() + days);
    at.setHours(9, 0, 0, 0);
    return at;
  };
  const monday = (8 - (/* @__PURE__ */ new Date()).getDay()) % 7 || 7;
  return (
    /** @type {[string, Date][]} */
    [["in_3h", new Date(Date.now() + 3 * 36e5)], ["tomorrow", morning(1)], ...monday > 1 ? [["monday", morning(monday)]] : []].map(([id, until]) => ({
      text: el.text(id),
      icon: icons.later,
      note: moment2(el.language, until),
      click: () => did(feed, "put_away", client.snooze(key, until.toISOString()), () => client.restore([key]))
    }))
  );
}
var patience = 2e3;
async function muting(feed, { type }) {
  const { el, client } = feed;
  const types = await Promise.race([client.me().then((me) => me.types, () => []), new Promise((done) => setTimeout(done, patience))]);
  const of = types?.find((t) => t.type === type && t.mutable && !t.muted);
  if (!of) return [];
  const values = { Name: of.name };
  const mute = async (muted) => {
    await client.mute(type, muted);
    of.muted = muted;
  };
  return [{ text: el.text("mute", values), icon: icons.mute, click: () => did(feed, "muted", mute(true), () => mute(false), values) }];
}

// static/embed/begin.js
var lists = /* @__PURE__ */ new Map();
var timer;
function begin({ el, list }) {
  if (!list.isConnected) return;
  voice(el);
  timer ??= setInterval(() => {
    for (const [list2, lang] of lists) for (const time of list2.querySelectorAll("time")) write(time, lang);
  }, 6e4);
  if (!lists.has(list)) el.atEnd(() => void lists.delete(list));
  lists.set(list, el.language);
}

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

// static/embed/title.js
var remembered = 50;
var numbers = /* @__PURE__ */ new Map();
var plains = /* @__PURE__ */ new Set();
var [plain, written] = ["", ""];
var watch = globalThis.MutationObserver && new MutationObserver(() => document.title !== written && write2());
function entitle(element, number) {
  const before = numbers.size;
  if (number === null) numbers.delete(element);
  else numbers.set(element, number);
  if (before + numbers.size === 0) return;
  if (before === 0) {
    plain = written = document.title;
    plain = plainOf(written);
  }
  write2();
  watch.disconnect();
  if (numbers.size > 0) watch.observe(document.head, { childList: true, subtree: true, characterData: true });
}
function write2() {
  if (document.title !== written) plain = plainOf(document.title);
  const [number = ""] = numbers.values();
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

// static/embed/subject.js
var glance = 1e3;
var watches = /* @__PURE__ */ new Map();
function watchSubject(el, client) {
  const watch2 = watches.get(client) ?? { elements: /* @__PURE__ */ new Set(), stop: watched(client) };
  watches.set(client, watch2);
  watch2.elements.add(el);
  el.atEnd(() => {
    if (!watch2.elements.delete(el) || watch2.elements.size > 0) return;
    watches.delete(client);
    watch2.stop();
  });
}
function watched(client) {
  let due;
  let [aim, seen, user, state] = [
    "",
    "",
    /** @type {string | null} */
    null,
    ""
  ];
  const look = () => {
    const subject = (
      /** @type {HTMLMetaElement | null} */
      document.querySelector("meta[name=carillon-subject]")?.content ?? ""
    );
    const next = user !== null && (isVisible() || subject === seen) ? subject : "";
    if (next !== aim) turn(next);
  };
  const turn = (next) => {
    aim = next;
    clearTimeout(due);
    if (seen) void client.seen(seen = "");
    if (aim) due = setTimeout(() => client.seen(seen = aim).catch(() => aim = seen = ""), glance);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.head, { childList: true, subtree: true, attributes: true });
  document.addEventListener("visibilitychange", look);
  const unsubscribe = client.subscribe((now) => {
    if (now.user !== user) turn("");
    if (now.user !== user || now.state !== state) [user, state] = [now.user, now.state], look();
  });
  return () => {
    turn("");
    unsubscribe();
    observer.disconnect();
    document.removeEventListener("visibilitychange", look);
  };
}

// static/embed/toast.js
var life2 = 8e3;
function show(el, region, toast, follow) {
  const drop = () => {
    box.remove();
    if (region.childElementCount === 0 && region.matches(":popover-open")) region.hidePopover();
  };
  const box = make(
    "div",
    { class: "toast", part: "toast" },
    titleOf(toast, (e) => (follow(e), drop())),
    bodyOf(toast),
    make("button", { class: "close", part: "action", "aria-label": el.text("close_named", { Title: toast.title }), click: drop }, "✕")
  );
  region.setAttribute("aria-label", el.text("toasts"));
  region.append(box);
  const most = Number(el.getAttribute("max") ?? 3);
  while (region.childElementCount > most) region.firstElementChild?.remove();
  if (!region.matches(":popover-open")) region.showPopover();
  const end = () => box.matches(":hover, :focus-within") ? setTimeout(end, 1e3) : drop();
  setTimeout(end, life2);
}

// static/embed/more.js
var texts = __CARILLON_MORE_TEXTS__;
export {
  act,
  begin,
  more_default as css,
  entitle,
  hush,
  place,
  preferences,
  say2 as say,
  show,
  speak,
  texts,
  watchSubject
};
