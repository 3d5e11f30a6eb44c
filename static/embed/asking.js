// @ts-check
import { make } from "./dom.js";
import { say } from "./said.js";

/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./rows.js").Ask} Ask */

/** What the user has typed for the questions of an element, which may be drawn again meanwhile. @type {WeakMap<Feed, Map<number, {text: string, open: boolean, fault: string}>>} */
const typed = new WeakMap();

/**
 * Adds to a row its question: the choices as buttons and a field for a comment, or what became of it.
 * @param {Feed} feed @param {HTMLElement} li @param {Row} row
 */
export function ask(feed, li, row) {
	const { ask } = row;
	if (!ask) return;
	const { el } = feed;
	const mine = ask.choices.find(({ id }) => id === ask.mine);
	if (ask.state !== "open") li.append(status(became(el, ask)));
	else if (mine) li.append(status(el.text("mine", { Choice: mine.label })));
	else li.append(question(feed, row, ask));
}

/** @param {string} text */
const status = (text) => make("span", { class: "became", part: "status", dir: "auto" }, text);

/** Returns what became of a question: who chose what, and when, or its state. @param {import("./element.js").CarillonElement} el @param {Ask} ask */
function became(el, { state, outcome, choices, answers }) {
	const chosen = choices.find(({ id }) => id === outcome);
	if (!chosen) return { open: "", answered: el.text("answered"), expired: el.text("expired"), withdrawn: el.text("withdrawn") }[state];
	const at = new Intl.DateTimeFormat(el.language, { hour: "2-digit", minute: "2-digit" });
	return [chosen.label, ...answers.flatMap((is) => [`${is.name ?? is.user ?? el.text("somebody")}, ${at.format(new Date(is.at))}`, ...(is.comment ? [`'${is.comment}'`] : [])])].join(" · ");
}

/** @param {Feed} feed @param {number} id @param {string} choice @param {string} comment */
async function answer(feed, id, choice, comment) {
	const { el, client } = feed;
	try {
		await client.answer(id, choice, comment);
		say(feed, el.text("answer_done"));
	} catch (err) {
		if (/ask_ended|already_answered/.test(/** @type {any} */ (err).code)) say(feed, el.text("too_late")); // the row says what became of it
		else feed.try(Promise.reject(err));
	}
}

/** @param {Feed} feed @param {Row} row @param {Ask} ask */
function question(feed, row, ask) {
	const { el } = feed;
	const drafts = typed.get(feed) ?? new Map();
	typed.set(feed, drafts);
	const draft = drafts.get(ask.id) ?? { text: "", open: false, fault: "" };
	drafts.set(ask.id, draft);
	const fault = make("span", { class: "fault", role: "alert" }, draft.fault);
	const field = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "2", maxlength: "500", dir: "auto", "aria-label": `${el.text("comment")}: ${row.title}`, input: () => (draft.text = field.value) }));
	field.value = draft.text;
	const remark = make("details", { class: "remark", open: draft.open, toggle: () => (draft.open = /** @type {HTMLDetailsElement} */ (remark).open) }, make("summary", {}, el.text("comment")), field, fault);
	const choose = (/** @type {Ask["choices"][number]} */ choice) => {
		if (choice.comment === "required" && !field.value.trim()) {
			/** @type {HTMLDetailsElement} */ (remark).open = true;
			fault.textContent = draft.fault = el.text("needs_comment", { Choice: choice.label });
			field.focus();
			return;
		}
		drafts.delete(ask.id);
		answer(feed, ask.id, choice.id, choice.comment === "none" ? "" : field.value);
	};
	const old = /** @type {ShadowRoot} */ (feed.list.getRootNode()).activeElement;
	if (old instanceof HTMLTextAreaElement && /** @type {HTMLElement | null} */ (old.closest("li"))?.dataset.key === row.key) queueMicrotask(() => field.focus());
	return make(
		"span", { class: "question", part: "question" },
		ask.choices.some(({ comment }) => comment !== "none") && remark,
		make("span", { class: "buttons" }, ...ask.choices.map((choice) => make("button", { class: `button ${choice.style}`, part: "button", dir: "auto", "aria-label": `${choice.label}: ${row.title}`, click: () => choose(choice) }, choice.label))),
	);
}
