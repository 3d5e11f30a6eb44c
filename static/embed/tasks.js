// @ts-check
import { make } from "./dom.js";
import { say } from "./said.js";

/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./rows.js").Row} Row */

/** The texts of deeds. @type {Record<string, string>} */ const texts = { take: "task_take_do", done: "task_done_do", "give-back": "task_give" };

/**
 * Adds to a row its task: who has it, and buttons to take it, to report it as done and to give it back.
 * @param {Feed} feed @param {HTMLElement} li @param {Row} row
 */
export function take(feed, li, row) {
	const { take: task } = row;
	if (!task) return;
	const { el, client } = feed;
	const mine = task.by === client.getSnapshot().user;
	const at = (/** @type {string} */ at) => new Intl.DateTimeFormat(el.language, { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
	const name = task.name || task.by || el.text("somebody");
	/** @type {string} */ let says = "";
	if (task.done_at) says = el.text("task_done", { Name: name, Time: at(task.done_at) });
	else if (task.at) says = el.text(mine ? "task_mine" : "task_taken", { Name: name, Time: at(task.at) });
	else if (task.late || task.of) says = el.text("task_late");
	if (says) li.append(make("span", { class: "became", part: "status", dir: "auto" }, says));
	const deeds = task.done_at ? [] : !task.at ? ["take"] : mine ? [...(task.done === "required" ? ["done"] : []), "give-back"] : [];
	if (deeds[0]) li.append(make("span", { class: "question", part: "question" }, make("span", { class: "buttons" }, ...deeds.map((deed, nth) => {
		const text = el.text(texts[deed] ?? "");
		return make("button", { class: nth ? "button" : "button primary", part: "button", "aria-label": `${text}: ${row.title}`, click: () => does(feed, row.id, deed) }, text);
	}))));
}

/** @param {Feed} feed @param {number} id @param {string} deed */
async function does(feed, id, deed) {
	const { el, client } = feed;
	try {
		await client.call("POST", deed, { id });
	} catch (err) {
		if (!/^task_/.test(/** @type {any} */ (err).code)) return void feed.try(Promise.reject(err));
		say(feed, el.text("too_slow")); // the row says who was faster
	}
	void feed.try(client.load());
}
