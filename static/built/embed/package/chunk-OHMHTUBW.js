// static/embed/dom.js
function make(name, attributes = {}, ...children) {
  const el = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") el.addEventListener(key, value);
    else if (value === true) el.setAttribute(key, "");
    else if (value || value === "") el.setAttribute(key, value);
  }
  el.append(...children.map((c) => c || ""));
  return el;
}
function link(text, link2, attributes, click) {
  return link2 ? make("a", { ...attributes, dir: "auto", href: new URL(link2, document.baseURI).href, click }, text) : make("span", { ...attributes, dir: "auto" }, text);
}
var titleOf = (of, click) => link(of.title, of.link, { class: "title", part: "title" }, click);
var bodyOf = ({ body }) => body && link(body, "", { class: "body", part: "body" });
function route(link2) {
  const { origin, href } = new URL(link2, document.baseURI);
  return origin === location.origin ? href.slice(origin.length) : link2;
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

// static/embed/time.js
function time(at, lang) {
  const el = make("time", { part: "meta time", datetime: at });
  write(el, lang);
  return el;
}
function write(el, lang) {
  const at = new Date(
    /** @type {HTMLTimeElement} */
    el.dateTime
  );
  el.textContent = ago(Date.now() - +at, lang) ?? at.toLocaleDateString(lang);
}

export {
  make,
  link,
  titleOf,
  bodyOf,
  route,
  icon,
  time,
  write
};
