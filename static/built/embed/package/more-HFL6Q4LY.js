import {
  bodyOf,
  icon,
  link,
  make,
  titleOf,
  write
} from "./chunk-OHMHTUBW.js";
import {
  clock,
  complain,
  dropped,
  isVisible,
  marked,
  placeOf
} from "./chunk-JAZKCFTZ.js";

// static/embed/more.css
var more_default = ".avatar,.corner{--h: 0;--i: .04;position:relative;display:grid;place-items:center;width:24px;height:24px;border-radius:50%;font-size:.75rem;font-weight:600;background:light-dark(oklch(.93 var(--i) var(--h)),oklch(.35 var(--i) var(--h)));color:light-dark(oklch(.42 calc(var(--i) * 2) var(--h)),oklch(.87 calc(var(--i) * 2) var(--h)))}.avatar{grid-area:1 / 1 / span 4}.avatar svg{width:60%;height:60%}img{object-fit:cover}.face{position:absolute;width:100%;height:100%;border-radius:50%}.corner{position:absolute;inset:auto -5px -5px auto;width:14px;height:14px;box-shadow:0 0 0 2px var(--s)}.image{width:160px;height:90px;margin-block-start:8px;border:1px solid var(--b);border-radius:6px}.buttons{display:flex;flex-wrap:wrap;gap:4px}.button{display:inline-flex;align-items:center;justify-content:center;margin-block:4px;padding:4px 8px;border:1px solid var(--b);border-radius:6px;color:inherit;font-weight:500;text-decoration:none}.primary{background:var(--a);color:var(--oa)}.button{position:relative;z-index:1}.line{-webkit-line-clamp:1;white-space:normal}li>.dismiss{grid-area:1 / 3;z-index:1;place-self:start end;width:30px;height:30px;margin-block:-5px;margin-inline-end:-8px;border-radius:6px;color:var(--m)}.dismiss:hover{background:color-mix(in srgb,var(--t) 8%,transparent);color:var(--t)}li:has(>.dismiss)>time{grid-area:1 / 3;padding-inline-end:28px}.actions{grid-area:auto;position:absolute;z-index:2;inset-block-start:4px;inset-inline-end:8px;display:flex;padding:1px;border:1px solid var(--b);border-radius:8px;background:var(--s);opacity:0}li:is(:hover,:focus-within) .actions,.actions:has([aria-expanded=true]),.actions[data-actions=menu]{opacity:1}.do{display:grid;place-items:center;width:30px;height:30px;border-radius:6px;color:var(--m)}.do:hover,.do[aria-expanded=true],.item:is(:hover,:focus){background:color-mix(in srgb,var(--t) 8%,transparent);color:var(--t)}.do svg,.item svg{width:18px;height:18px}.dots svg{stroke-width:2.5}.actions[data-actions=menu]{border-color:transparent;background:none}.menu{min-width:13rem;max-width:calc(100vw - 16px);padding:4px}.item{display:flex;align-items:center;gap:10px;width:100%;min-height:36px;padding:0 10px;border-radius:6px;font-size:.875rem;text-align:start}.item svg,.item small{color:var(--m)}.item small{margin-inline-start:auto;padding-inline-start:12px;font-size:.75rem;white-space:nowrap}.pick{display:flex;flex-wrap:wrap;gap:8px;padding:8px}.pick input{min-height:36px;padding:0 8px;border:1px solid color-mix(in srgb,var(--t) 50%,var(--s));border-radius:6px;background:var(--s);color:inherit;font:inherit;font-size:.875rem}.pick .button{margin:0;font-size:.875rem;cursor:pointer}.item:focus{outline-offset:-2px}.said{position:sticky;font-size:.875rem;z-index:3;inset-block-end:0;height:0;padding:0}.said>div{position:absolute;inset:auto 12px 12px;display:flex;align-items:center;justify-content:space-between;gap:12px;width:fit-content;max-width:calc(100% - 24px);margin-inline:auto;padding:4px 8px 4px 14px;border-radius:8px;background:var(--t);color:var(--s);box-shadow:0 4px 12px #00000040}.said .action{color:inherit;font-weight:600;text-decoration:underline}.prefs{padding:4px 8px;border-block-start:1px solid var(--b)}.foot .prefs{border:0;padding:0;text-align:start}.foot .types{max-height:12rem;overflow-y:auto}.prefs summary{display:inline-flex;align-items:center;cursor:pointer;list-style:none}.types{padding:4px 8px 8px;font-size:.875rem}.types label{display:flex;align-items:center;gap:8px;min-height:32px}.types input{accent-color:var(--a)}.close{position:absolute;z-index:1;inset-block-start:0;inset-inline-end:0;min-width:44px;min-height:44px;color:var(--m)}.toasts{inset:auto 16px 16px auto;border:0;background:none;box-shadow:none;overflow:visible;width:min(22rem,calc(100vw - 32px))}.toasts[data-position^=top]{inset-block:16px auto}.toasts[data-position$=start]{inset-inline:16px auto}.toast>.avatar{grid-area:1 / 1 / span 3;margin-inline-end:12px}.toast>:not(.avatar,.close){grid-column:2}.toast{position:relative;display:grid;grid-template-columns:auto 1fr;align-items:start;margin-block-start:8px;padding-block:12px;padding-inline:16px 44px;font-size:.875rem;background:var(--s);color:var(--t);border:1px solid var(--b);border-inline-start:3px solid var(--u);border-radius:var(--r);overflow:clip;box-shadow:0 8px 24px -8px #00000059}.question,.became{position:relative;z-index:1;width:fit-content}.became{font-weight:500}.question .button{cursor:pointer}.danger{border-color:currentColor;color:light-dark(#a4262c,#f1948a)}.remark summary{width:fit-content;padding-block:3px;color:var(--m);cursor:pointer}textarea{display:block;margin-block-end:4px;width:min(24rem,100%);padding:6px 8px;border:1px solid color-mix(in srgb,var(--t) 50%,var(--s));border-radius:6px;background:var(--s);color:inherit;font:inherit}.fault{color:light-dark(#a4262c,#f1948a)}.until{color:var(--m);font-size:.75rem}@media(forced-colors:active){.badge,.dot{forced-color-adjust:none;background:Highlight;color:HighlightText}}@media(pointer:coarse){.types label,.item,.pick input{min-height:44px}.remark summary{padding-block:13px}}@media(hover:none){li:has(.actions){padding-inline-end:52px}.actions{inset:0 4px auto auto;border:0;background:none;opacity:1}.actions:dir(rtl){inset:0 auto auto 4px}.do:not(.dots){display:none}.dots{width:44px;height:44px}li:has(>.dismiss)>time{padding-inline-end:36px}li>.dismiss{width:44px;height:44px;margin-block:-10px;margin-inline-end:-14px}}@media(width<480px){.menu{inset:auto 0 0;width:auto;max-width:none;padding:8px 8px max(8px,env(safe-area-inset-bottom));border-radius:var(--r) var(--r) 0 0}}.panel .tabs{margin-inline-start:-8px}.tab{white-space:nowrap}.tally{padding:1px 6px;border-radius:99px;background:color-mix(in srgb,var(--u) 14%,var(--s));font-size:.75rem;font-weight:600;font-variant-numeric:tabular-nums}.tab[aria-pressed=true] .tally{background:var(--s)}.foot{padding-block:4px}.foot a{display:inline-flex;align-items:center;min-height:28px}@media(pointer:coarse){.button,.foot a{min-width:44px;min-height:44px}}.question:has([open]){width:100%}@media(hover:hover){li:has(>[data-actions=menu])>time{padding-inline-end:28px}}.close:focus-visible{outline-offset:-2px}";

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
  const { ask: ask3 } = row;
  if (!ask3) return;
  const { el } = feed;
  const mine = ask3.choices.find(({ id }) => id === ask3.mine);
  if (ask3.state !== "open") li.append(status(became(el, ask3)));
  else if (mine) li.append(status(el.text("mine", { Choice: mine.label })));
  else li.append(question(feed, row, ask3));
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
function question(feed, row, ask3) {
  const { el } = feed;
  const drafts = typed.get(feed) ?? /* @__PURE__ */ new Map();
  typed.set(feed, drafts);
  const draft = drafts.get(ask3.id) ?? { text: "", open: false, fault: "" };
  drafts.set(ask3.id, draft);
  const fault = make("span", { class: "fault", role: "alert" }, draft.fault);
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
      fault.textContent = draft.fault = el.text("needs_comment", { Choice: choice.label });
      field.focus();
      return;
    }
    drafts.delete(ask3.id);
    answer(feed, ask3.id, choice.id, choice.comment === "none" ? "" : field.value);
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
    ask3.choices.some(({ comment }) => comment !== "none") && remark,
    make("span", { class: "buttons" }, ...ask3.choices.map((choice) => make("button", { class: `button ${choice.style}`, part: "button", dir: "auto", "aria-label": `${choice.label}: ${row.title}`, click: () => choose(choice) }, choice.label)))
  );
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

// static/embed/avatar.js
var hues = { amber: 75, blue: 245, green: 150, red: 15, purple: 295, teal: 205, pink: 345 };
var derived = 6;
function avatar({ type, actors: [actor] = [] }, asked) {
  const all = actor ? disc("avatar", hueOf(actor.id || actor.name), initials(actor.name), actor.image && picture("face", actor.image, "")) : disc("avatar", 0, initials(type));
  asked?.then((look) => {
    const sign = look?.icon && icon(look.icon);
    const hue = look && hues[look.color];
    if (actor) sign && all.append(disc("corner", hue, sign));
    else all.replaceWith(disc("avatar", hue, sign || initials(type)));
  });
  return all;
}
function disc(name, hue, ...children) {
  const el = make("span", { class: name, part: name, "aria-hidden": "true" }, ...children);
  el.style.setProperty(hue ? "--h" : "--i", `${hue ?? 0}`);
  return el;
}
function picture(name, src, alt) {
  const img = make("img", { class: name, part: name, alt, loading: "lazy", referrerpolicy: "no-referrer", error: () => img.remove(), src });
  return img;
}
function initials(name) {
  const words = name.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [""];
  return (words.length > 1 ? [words[0], words.at(-1)] : words).map(([c] = "") => c).join("").toUpperCase();
}
function hueOf(text) {
  let sum = 2166136261;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 16777619);
  return Object.values(hues)[(sum >>> 0) % derived];
}

// static/embed/looks.js
var most = 100;
var known = /* @__PURE__ */ new WeakMap();
var next;
function lookOf(client, type) {
  const looks = known.get(client) ?? /* @__PURE__ */ new Map();
  known.set(client, looks);
  if (!looks.has(type)) looks.set(type, ask2(client, type).then((looks2) => looks2[type]));
  return (
    /** @type {Promise<Look | undefined>} */
    looks.get(type)
  );
}
function ask2(client, type) {
  if (next?.client !== client || next.types.length === most) {
    const types = [];
    const looks = Promise.resolve().then(() => {
      if (next?.types === types) next = void 0;
      return client.call("GET", `looks?type=${types}`).then(({ looks: looks2 }) => looks2, () => ({}));
    });
    next = { client, types, looks };
  }
  next.types.push(type);
  return next.looks;
}

// static/embed/filling.js
function fill(feed, li, of) {
  const { image, actions } = of;
  li.append(avatar(of, lookOf(feed.client, of.type)));
  if (image) li.append(picture("image", image.url, image.alt));
  if (actions) li.append(make("span", { class: "buttons" }, ...actions.map((is) => link(is.label, is.link, { class: `button ${is.style}`, part: "button" }, feed.follow(of, is.link)))));
}
function post(feed, li, post2) {
  const { el, client } = feed;
  const text = textOf(post2.body).trim();
  if (text) li.append(make("span", { class: "body line", part: "body", dir: "auto" }, text));
  fill(feed, li, post2);
  if (post2.read) return;
  const dismiss = () => feed.try(client.readAnnouncements({ ids: [post2.id] }));
  li.append(make("button", { class: "dismiss", part: "action", title: el.text("dismiss"), "aria-label": `${el.text("dismiss")}: ${post2.title}`, click: dismiss }, "✕"));
}
var inline = /^(a|em|strong|code|del)$/;
var textOf = (nodes) => nodes.map(({ type, text, children }) => text ?? textOf(children ?? []) + (inline.test(type) ? "" : " ")).join("").replace(/\s+/g, " ");

// static/embed/place.js
var gap = 4;
var edge = 8;
function place(box, button2, placement = "bottom-end") {
  const at = button2.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const [side, end] = placement.split("-");
  const x = end === "end" === (getComputedStyle(button2).direction === "ltr") ? at.right - width : at.left;
  const room = innerHeight - at.bottom;
  const most4 = Math.min(height, 320);
  const below = side === "top" ? at.top < most4 && room > at.top : room > most4 || at.top < innerHeight / 2;
  box.style.setProperty("--x", `${Math.min(Math.max(edge, x), innerWidth - width - edge)}px`);
  box.style.setProperty("--y", `${below ? at.bottom + gap : Math.max(edge, at.top - height - gap)}px`);
}

// static/embed/menu.js
function menu(feed, clicked, deeds) {
  sheet(feed, clicked, "menu", (close) => deeds.map((deed) => make("button", { class: "item", part: "action", role: "menuitem", tabindex: "-1", click: () => deed.click(close()) }, deed.icon && icon(deed.icon), make("span", { dir: "auto" }, deed.text), deed.note && make("small", {}, deed.note))));
}
function sheet(feed, clicked, role, fill2) {
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
  const items = fill2(() => {
    box.hidePopover();
    return current() ?? button2;
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
    if (e.key === "Tab" && role === "menu") box.hidePopover();
    if (to === void 0 || role !== "menu") return;
    e.preventDefault();
    items.at(to % items.length)?.focus();
  };
  const box = make("div", { class: "menu", part: "menu", popover: "auto", role, "aria-label": button2.getAttribute("aria-label"), beforetoggle: closing, toggle: toggled, keydown: step }, ...items);
  feed.list.parentNode?.append(box);
  box.showPopover();
  place(box, button2);
  items[0]?.focus();
}

// static/embed/pick.js
var most2 = 90;
function pick(feed, clicked, first, chosen) {
  const { el } = feed;
  sheet(feed, clicked, "dialog", (close) => {
    const bounds = { min: local(/* @__PURE__ */ new Date()), max: local(new Date(Date.now() + most2 * 864e5)) };
    const field = (
      /** @type {HTMLInputElement} */
      make("input", { type: "datetime-local", part: "time", required: true, "aria-label": el.text("own_time"), ...bounds })
    );
    field.value = local(first);
    const form = make("form", { class: "pick", submit: (e) => {
      e.preventDefault();
      const at = new Date(field.value);
      close();
      chosen(at);
    } }, field, make("button", { class: "button primary", part: "button" }, el.text("put_away_then")));
    queueMicrotask(() => field.focus());
    return [form];
  });
}
var local = (at) => new Date(+at - at.getTimezoneOffset() * 6e4).toISOString().slice(0, 16);

// static/embed/tasks.js
var texts = { take: "task_take_do", done: "task_done_do", "give-back": "task_give" };
function take(feed, li, row) {
  const { take: task } = row;
  if (!task) return;
  const { el, client } = feed;
  const mine = task.by === client.getSnapshot().user;
  const at = (at2) => new Intl.DateTimeFormat(el.language, { hour: "2-digit", minute: "2-digit" }).format(new Date(at2));
  const name = task.name || task.by || el.text("somebody");
  let says = "";
  if (task.done_at) says = el.text("task_done", { Name: name, Time: at(task.done_at) });
  else if (task.at) says = el.text(mine ? "task_mine" : "task_taken", { Name: name, Time: at(task.at) });
  else if (task.late || task.of) says = el.text("task_late");
  if (says) li.append(make("span", { class: "became", part: "status", dir: "auto" }, says));
  const deeds = task.done_at ? [] : !task.at ? ["take"] : mine ? [...task.done === "required" ? ["done"] : [], "give-back"] : [];
  if (deeds[0]) li.append(make("span", { class: "question", part: "question" }, make("span", { class: "buttons" }, ...deeds.map((deed, nth) => {
    const text = el.text(texts[deed] ?? "");
    return make("button", { class: nth ? "button" : "button primary", part: "button", "aria-label": `${text}: ${row.title}`, click: () => does(feed, row.id, deed) }, text);
  }))));
}
async function does(feed, id, deed) {
  const { el, client } = feed;
  try {
    await client.call("POST", deed, { id });
  } catch (err) {
    if (!/^task_/.test(
      /** @type {any} */
      err.code
    )) return void feed.try(Promise.reject(err));
    say2(feed, el.text("too_slow"));
  }
  void feed.try(client.load());
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
function act(feed, li, of) {
  begin(feed);
  if (!of.key) return post(feed, li, of);
  const row = of;
  if (!feed.el.renderRow) fill(feed, li, row);
  ask(feed, li, row);
  take(feed, li, row);
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
  const snooze = (until) => did(feed, "put_away", client.snooze(key, until.toISOString()), () => client.restore([key]));
  const morning = (days) => {
    const at = /* @__PURE__ */ new Date();
    at.setDate(at.getDate() + days);
    at.setHours(9, 0, 0, 0);
    return at;
  };
  const monday = (8 - (/* @__PURE__ */ new Date()).getDay()) % 7 || 7;
  const times = (
    /** @type {[string, Date][]} */
    [["in_3h", new Date(Date.now() + 3 * 36e5)], ["tomorrow", morning(1)], ...monday > 1 ? [["monday", morning(monday)]] : []]
  );
  return [
    ...times.map(([id, until]) => ({ text: el.text(id), icon: icons.later, note: moment2(el.language, until), click: () => snooze(until) })),
    { text: el.text("own_time"), icon: icons.later, click: (at) => pick(feed, at, morning(1), snooze) }
  ];
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

// static/embed/favicon.js
var size = 32;
var counts = /* @__PURE__ */ new Map();
var shown;
var run = 0;
function dot(element, count) {
  if (count === null && !counts.has(element)) return;
  if (count === null) counts.delete(element);
  else counts.set(element, count);
  const most4 = Math.max(0, ...counts.values());
  navigator.setAppBadge?.(most4)?.catch(() => {
  });
  run++;
  if (most4 === 0) restore();
  else if (!shown || shown.link.getAttribute("href") !== shown.dotted) void draw(run);
}
function restore() {
  if (!shown) return;
  const { link: link2, own, dotted } = shown;
  shown = void 0;
  if (own === null) link2.remove();
  else if (link2.getAttribute("href") === dotted) link2.setAttribute("href", own);
}
async function draw(mine) {
  const there = (
    /** @type {HTMLLinkElement | null} */
    document.querySelector("link[rel~=icon]")
  );
  const own = there?.getAttribute("href") ?? null;
  try {
    const image = new Image(size, size);
    image.crossOrigin = "anonymous";
    image.src = there?.href || new URL("/favicon.ico", document.baseURI).href;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const pen = (
      /** @type {CanvasRenderingContext2D} */
      canvas.getContext("2d")
    );
    pen.drawImage(image, 0, 0, size, size);
    pen.fillStyle = "#d92d20";
    pen.strokeStyle = "#fff";
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(size * 0.74, size * 0.26, size * 0.22, 0, 7);
    pen.fill();
    pen.stroke();
    const dotted = canvas.toDataURL();
    if (mine !== run) return;
    const link2 = there ?? Object.assign(document.createElement("link"), { rel: "icon" });
    link2.setAttribute("href", dotted);
    if (!there) document.head.append(link2);
    shown = { link: link2, own, dotted };
  } catch {
    complain("favicon-badge needs an icon that the page may read, and img-src data: in its policy");
  }
}

// static/embed/section.js
var soon = 200;
var calm = 1e3;
var [least, most3] = [30, 200];
var Section = class extends EventTarget {
  #known;
  #filter = "all";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #due;
  #last = 0;
  // ms: when it was read again
  /** @type {Promise<void> | undefined} */
  #opening;
  #of;
  #what;
  #stops;
  /** @param {Client} of @param {Record<string, string>} what the parameters type, scope and app of a call @param {import("./snapshot.js").Known} known where it is kept */
  constructor(of, what, known3) {
    super();
    this.#known = known3;
    this.#of = of;
    this.#what = what;
    let had = [];
    this.#stops = [
      of.subscribe(({ user, state, badge, notices }) => {
        if (user !== this.#known.now.user) this.#begin(state, user);
        else if (state !== this.#known.now.state) this.#known.set({ state });
        else if (badge !== had[0] || notices !== had[1]) this.#hear();
        had = [badge, notices];
      }),
      of.on("change", () => this.#hear()),
      ...["error", "toast"].map((name) => of.on(name, ({ detail }) => this.#emit(name, detail))),
      of.on("notice", ({ detail }) => this.#has(detail) && this.#emit("notice", detail))
    ];
  }
  /** Ends it. The page's client goes on. */
  close() {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#due);
    this.#known.close();
  }
  /** @param {(now: import("./core.js").Snapshot) => void} fn */
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
  /** @param {{filter?: string, more?: boolean}} [which] */
  async load({ filter = this.#filter, more } = {}) {
    const { next: next2, notices } = this.#known.now;
    const before = more && next2;
    this.#show(filter);
    await this.#known.page(this.#page(before ? { before: String(before) } : {}), before && notices || []);
  }
  /** Marks everything of the section as read, and nothing else, but for what the user has marked as unread; what was unread is `new`. */
  async open() {
    this.#show("all");
    this.#opening = this.#known.page(this.#call("POST", "open").then(async (page) => ({ ...page, badge: await this.#call("GET", "badge") })));
    await this.#opening;
  }
  /** @returns {Promise<Row[]>} */
  async unreads() {
    return (await this.#call("GET", "notices", { filter: "unread", limit: String(most3) })).notices;
  }
  /** Changes the rows at once, and reads them again after the call. @param {Promise<any>} call @param {Change} change @param {any[]} about */
  async change(call, change, ...about) {
    this.#known.rows(change, ...about);
    if (this.#filter === "unread") this.#known.rows((rows) => rows.filter(({ read }) => !read));
    try {
      return await call;
    } finally {
      this.#hear();
    }
  }
  /** @param {import("./snapshot.js").State} state @param {string | null} user */
  #begin(state, user) {
    clearTimeout(this.#due);
    this.#due = void 0;
    this.#last = 0;
    this.#known.become(state, user);
    if (user !== null) void this.#quietly(this.#again());
  }
  #hear() {
    if (this.#known.now.user !== null) this.#due ??= setTimeout(() => {
      this.#due = void 0;
      void this.#quietly(this.#again());
    }, Math.max(soon, this.#last + calm - Date.now()));
  }
  /** Reads again what is on display. */
  async #again() {
    await this.#opening?.catch(() => {
    });
    this.#last = Date.now();
    const { notices } = this.#known.now;
    if (!notices) return this.#known.count(await this.#call("GET", "badge"));
    const limit = Math.min(most3, Math.max(least, notices.length));
    await this.#known.page(this.#page({ limit: String(limit) }).then((page) => ({ ...page, notices: page.notices.map((row) => this.#same(row)) })));
  }
  /** Returns the row on display if it is the same, so that it stays as it is, or the new one. What was opened stays new. @param {Row} row @returns {Row} */
  #same(row) {
    const old = this.#known.now.notices?.find(({ key, at }) => key === row.key && at === row.at);
    const now = old?.new && row.read ? { ...row, new: true } : row;
    return JSON.stringify(old) === JSON.stringify(now) ? (
      /** @type {Row} */
      old
    ) : now;
  }
  /** @param {Record<string, string>} which */
  async #page(which) {
    const [page, badge] = await Promise.all([this.#call("GET", "notices", { filter: this.#filter, ...which }), this.#call("GET", "badge")]);
    return { ...page, badge };
  }
  /** Makes a call for the section. @param {string} method @param {string} path @param {Record<string, string>} [which] @returns {Promise<any>} */
  #call(method, path, which) {
    return this.#of.call(method, `${path}?${new URLSearchParams({ ...this.#what, ...which })}`);
  }
  /** Rows are on display from now on: those of another place disappear at once. @param {string} filter */
  #show(filter) {
    if (placeOf(filter) !== placeOf(this.#filter)) this.#known.set({ notices: null, next: null });
    this.#known.set({ filter: this.#filter = filter });
  }
  /** @param {any} row of an event */
  #has({ type, scope = "", app }) {
    const of = this.#what;
    return (!of.type || of.type.split(",").includes(type)) && (of.scope ?? scope) === scope && (of.app === void 0 || of.app === (app?.name ?? app ?? ""));
  }
  /** @param {Promise<unknown>} work */
  #quietly(work) {
    return work.catch((err) => {
      if (err.code === "invalid") complain(`${new URLSearchParams(this.#what)}: ${err.message}`);
      this.#emit("error", { code: err.code ?? "failed", detail: err.message });
    });
  }
  /** @param {string} name @param {any} detail */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
};

// static/embed/narrow.js
function narrow(el, client, known3) {
  const what = {};
  const type = el.getAttribute("types")?.match(/\S+/g)?.join();
  if (type) what.type = type;
  const [scope, app] = [el.getAttribute("scope"), el.getAttribute("app")];
  if (scope !== null) what.scope = scope;
  if (app !== null) what.app = app;
  const section = new Section(client, what, known3);
  el.atEnd(() => section.close());
  const own = changes(client, section, what);
  if (Object.keys(what).length > 0) Object.assign(own, { loadAnnouncements: nothing, readAnnouncements: nothing });
  return new Proxy(client, {
    get(of, name) {
      const from = (
        /** @type {any} */
        [own, section, of].find((one) => name in one)
      );
      return typeof from[name] === "function" ? from[name].bind(from) : from[name];
    }
  });
}
var nothing = async () => {
};
function changes(of, section, { type, scope, app }) {
  const readUpto = async (upto) => {
    if (app === void 0 && !type) return of.call("POST", "read", { scope, upto });
    if (app === void 0 && scope === void 0) return Promise.all((type ?? "").split(",").map((type2) => of.call("POST", "read", { type: type2, upto })));
    return readRows((await section.unreads()).filter(({ at }) => at <= upto));
  };
  const readRows = (rows) => rows[0] && of.read({ keys: rows.map(({ key }) => key) });
  const drops = (name) => (keys) => section.change(of[name](keys), dropped, keys);
  return {
    /** @param {any} about as in a client; upto is about the section alone */
    read: (about) => section.change("upto" in about ? readUpto(Number(about.upto)) : of.read(about), marked, about, true),
    /** @param {string[]} keys */
    unread: (keys) => section.change(of.unread(keys), marked, { keys }, false),
    delete: drops("delete"),
    archive: drops("archive"),
    unarchive: drops("unarchive"),
    /** @param {string} key @param {string} until */
    snooze: (key, until) => section.change(of.snooze(key, until), dropped, [key]),
    /** @param {string} key */
    wake: (key) => section.change(of.wake(key), dropped, [key])
  };
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

// static/embed/split.js
var known2 = /* @__PURE__ */ new WeakMap();
function split(el, feed, panel, unread, Known, draw2) {
  const of = known2.get(feed) ?? { tabs: [], chosen: "all" };
  if (!known2.has(feed)) {
    known2.set(feed, of);
    const whole = feed.client;
    const choose = (name) => {
      if (feed.client !== whole) feed.client.close();
      feed.client = whole;
      of.chosen = name;
      if (name === "unread" && el.client) {
        feed.client = narrow(el, el.client, new Known());
        el.atEnd(feed.client.subscribe(draw2));
        void feed.try(feed.client.load({ filter: name })).then((done) => {
          el.failed = !done;
          draw2();
        });
      }
      draw2();
    };
    of.tabs = ["all", "unread"].map((name) => el.button(`tab_${name}`, () => choose(name), { class: "action tab", part: "tab", "data-tab": name }));
    panel.querySelector(".head > .action")?.before(make("div", { class: "tabs", part: "tabs", role: "group" }, ...of.tabs));
    panel.addEventListener("toggle", () => of.chosen === "all" || panel.matches(":popover-open") || choose("all"));
  }
  tally(el, of.tabs, unread);
  for (const tab of of.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.tab === of.chosen));
}
function tally(el, tabs, unread) {
  const tab = tabs.find((tab2) => tab2.dataset.tab === "unread");
  tab?.replaceChildren(el.text("tab_unread"), ...unread ? [" ", make("span", { class: "tally" }, unread.toLocaleString(el.language))] : []);
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
    const next2 = user !== null && (isVisible() || subject === seen) ? subject : "";
    if (next2 !== aim) turn(next2);
  };
  const turn = (next2) => {
    aim = next2;
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
  const leads = (to) => (e) => (follow(e, to), drop());
  const { type, actions = [], key } = toast;
  const box = make(
    "div",
    { class: "toast", part: "toast" },
    type && avatar({ ...toast, type }, el.client ? lookOf(el.client, type) : void 0),
    titleOf(toast, leads(toast.link)),
    bodyOf(toast),
    key && actions.length > 0 && make("span", { class: "buttons" }, ...actions.map((of) => link(of.label, of.link, { class: `button ${of.style}`, part: "button" }, leads(of.link)))),
    make("button", { class: "close", part: "action", "aria-label": el.text("close_named", { Title: toast.title }), click: drop }, "✕")
  );
  region.setAttribute("aria-label", el.text("toasts"));
  region.append(box);
  const most4 = Number(el.getAttribute("max") ?? 3);
  while (region.childElementCount > most4) region.firstElementChild?.remove();
  if (!region.matches(":popover-open")) region.showPopover();
  const end = () => box.matches(":hover, :focus-within") ? setTimeout(end, 1e3) : drop();
  setTimeout(end, life2);
}

// static/embed/more.js
var texts2 = __CARILLON_MORE_TEXTS__;
export {
  act,
  more_default as css,
  dot,
  entitle,
  hush,
  narrow,
  place,
  preferences,
  say2 as say,
  show,
  speak,
  split,
  tally,
  texts2 as texts,
  watchSubject
};
