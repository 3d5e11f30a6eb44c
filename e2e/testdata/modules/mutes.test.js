// @ts-check
import { startMutes } from "../../../static/js/mutes.js";
import { equal, tell, test } from "./check.js";

startMutes();

/** @param {string} type @param {string} title */
const row = (type, title) => `<div class="row"><h3><a dir="auto" href="/">${title}</a></h3><form action="/settings/mute"><input name="muted" value="1"><input name="type" value="${type}">
	<button title="Mute “Like”" aria-label="Mute “Like”: ${title}"><svg><use href="/icons.svg#bell-off"></use></svg></button></form></div>`;

const offered = () => [...document.querySelectorAll(".row")].map((r) =>
	[r.querySelector("input")?.value, r.querySelector("button")?.title, r.querySelector("button")?.getAttribute("aria-label"), r.querySelector("use")?.getAttribute("href")]);

test("all rows of a muted type offer to unmute it, and vice versa", () => {
	const main = document.querySelector("main");
	if (main) main.innerHTML = row("like", "One") + row("late", "Two") + row("like", "Three");
	const before = offered();
	tell(document, "carillon:muted", { type: "like", name: "Like", muted: true });
	const turned = (/** @type {string} */ title) => ["0", "Unmute “Like”", `Unmute “Like”: ${title}`, "/icons.svg#bell"];
	equal(offered(), [turned("One"), before[1], turned("Three")]);
	tell(document, "carillon:muted", { type: "like", name: "Like", muted: false });
	equal(offered(), before);
});
