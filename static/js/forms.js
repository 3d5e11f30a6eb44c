// @ts-check
// Staff forms with typed text. A script sends them, so that the page and everything typed
// stay when no answer comes or the answer is an error.
import { say } from "./announcer.js";
import { clock } from "./clock.js";
import { draftOf, fieldsOf, fill, keepDraft, keyOf, restored, untouched } from "./drafts.js";
import { our } from "./mount.js";
import { text } from "./texts.js";
import { explain, reason } from "./unsent.js";

/**
 * The browser functions that a form needs. Tests pass in others.
 * @typedef {object} Way
 * @property {(form: HTMLFormElement, body: URLSearchParams, signal: AbortSignal) => Promise<Response>} ask
 * @property {(address: string) => void} go
 * @property {(page: Document) => void} show replaces this page with the answer
 * @property {AbortSignal} signal aborted when the form has left the page
 * @property {import("./clock.js").Clock} time
 */

const longest = 15_000; // ms to wait for an answer

/** @type {Pick<Way, "ask" | "go" | "time">} */
const browser = {
	// The answer names the next page instead of redirecting: fetch would follow a redirect,
	// and that page may be one that is shown only once.
	// Not form.action: a field named action would hide it.
	ask: (form, body, signal) => fetch(form.getAttribute("action") ?? "", { method: "POST", headers: { "Carillon-Form": "1" }, body, signal }),
	go: (address) => location.assign(address),
	time: clock,
};

/**
 * Keeps a form's input as a draft, and sends the form.
 * @param {HTMLFormElement} form
 * @param {Pick<Way, "show" | "signal"> & Partial<Way>} way
 * @param {boolean} [answered] the form holds the input that was just sent
 */
export function startForm(form, way, answered = false) {
	const all = { ...browser, ...way };
	const first = fieldsOf(form);
	let empty = answered ? "" : JSON.stringify(first);
	const keep = () => {
		const fields = fieldsOf(form);
		keepDraft(keyOf(form), JSON.stringify(fields) === empty ? null : fields);
	};
	const draft = answered ? undefined : draftOf(keyOf(form));
	if (draft) {
		fill(form, draft, untouched); // text typed before this script ran is newer than the draft
		const details = form.closest("details");
		if (details) details.open = true;
		form.prepend(restored(form, first, () => keepDraft(keyOf(form), null)));
	}
	form.addEventListener("input", keep);
	form.addEventListener("change", keep);
	form.addEventListener("carillon:saved", (e) => { // as a draft on the server
		empty = /** @type {CustomEvent} */ (e).detail;
		keep();
	});
	send(form, all, () => keepDraft(keyOf(form), null));
}

/**
 * Sends a form once, however often its button is pressed.
 * @param {HTMLFormElement} form
 * @param {Way} way
 * @param {() => void} sent called when no draft is left to keep
 */
function send(form, way, sent) {
	/** @type {(() => void) | undefined} */ let again;
	/** @param {string} to */
	const leave = (to) => {
		if (new URL(to, location.href).pathname !== our("/login")) sent();
		// After signing in the user comes back to this address, where the draft waits.
		else to = our(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
		form.dispatchEvent(new Event("carillon:leave"));
		way.go(to);
	};
	form.addEventListener("submit", async (e) => {
		e.preventDefault();
		if (again) return;
		const mine = (again = busy(form, e.submitter, () => (again = undefined)));
		explain(form, "");
		const end = new AbortController();
		const callOff = way.time.after(longest, () => end.abort());
		try {
			const answer = await way.ask(form, bodyOf(form, e.submitter), end.signal);
			const to = answer.status === 204 ? answer.headers.get("Location") : null;
			if (to) return leave(to); // the button stays busy until the next page comes
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			mine();
			if (!page.querySelector(`form[data-kept="${form.dataset.kept}"]`)) explain(form, reason(answer.status));
			// Another user has signed in: load the whole page as theirs.
			else if (page.body.dataset.user !== document.body.dataset.user) form.submit();
			else way.show(page);
		} catch {
			mine();
			explain(form, text(form.dataset.edits ? "unsaved_unreachable" : "unsent_unreachable"));
		} finally {
			callOff();
		}
	});
	// After Back the form is ready to be sent again.
	addEventListener("pageshow", () => again?.(), { signal: way.signal });
}

/**
 * Shows that the form is being sent, until the returned function is called.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 * @param {() => void} over
 */
function busy(form, button, over) {
	const label = button?.textContent ?? "";
	// Not `disabled`: it keeps the focus.
	button?.setAttribute("aria-disabled", "true");
	if (button && button.getAttribute("name") !== "preview") {
		button.style.minWidth = `${button.offsetWidth}px`; // keeps the buttons beside it in place
		const phrase = form.dataset.edits ? text("saving") : text("sending");
		button.textContent = phrase;
		say(phrase);
	}
	return () => {
		over();
		button?.removeAttribute("aria-disabled");
		if (button) button.textContent = label;
	};
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
function bodyOf(form, button) {
	const body = new URLSearchParams();
	for (const [name, value] of new FormData(form, button)) if (typeof value === "string") body.append(name, value);
	return body;
}
