// @ts-check
// The dialog of pages to go to, which Ctrl K or ⌘ K opens. Typing narrows the list, and the last line searches the inbox.

/** @type {HTMLDialogElement | undefined} */
let dialog;

/**
 * Opens the dialog.
 * @param {string} address of its content
 */
export async function open(address) {
	if (!dialog) {
		const res = await fetch(address, { headers: { "HX-Request": "true" } });
		const page = new DOMParser().parseFromString(await res.text(), "text/html");
		const content = page.querySelector("body > div");
		if (!res.ok || !content || dialog) return;
		dialog = document.body.appendChild(document.createElement("dialog"));
		dialog.id = "commands";
		dialog.append(content);
		begin(dialog);
	}
	if (dialog.open) return;
	dialog.querySelector("form")?.reset();
	narrow(dialog, "");
	offer(dialog);
	dialog.showModal();
}

/** Adds what can be done on this page now. @param {HTMLDialogElement} box */
function offer(box) {
	for (const old of box.querySelectorAll("[data-deed]")) old.remove();
	const last = box.querySelector("li:last-child"); // Enter on nothing typed must not do anything
	for (const own of document.querySelectorAll("#inbox .menu-items button")) {
		if (!(own instanceof HTMLElement) || own.closest("[hidden]")) continue;
		const line = document.createElement("li");
		const button = line.appendChild(document.createElement("button"));
		line.dataset.deed = "";
		[button.type, button.className, button.textContent] = ["button", "tab", own.textContent?.trim() ?? ""];
		button.addEventListener("click", () => {
			box.close();
			own.click();
		});
		last?.before(line);
	}
}

/** @param {HTMLDialogElement} box */
function begin(box) {
	const field = box.querySelector("input");
	const shown = () => /** @type {HTMLElement[]} */ ([...box.querySelectorAll("li:not([hidden]) > .tab")]);
	box.setAttribute("aria-label", field?.placeholder ?? "");
	field?.addEventListener("input", () => narrow(box, field.value));
	box.addEventListener("click", ({ target }) => target === box && box.close()); // beside it
	// Enter in the field presses the first line, which may be the search.
	box.querySelector("form")?.addEventListener("submit", (e) => {
		const first = shown()[0];
		if (document.activeElement !== field || first === e.submitter) return;
		e.preventDefault();
		first?.click();
	});
	box.addEventListener("keydown", (e) => {
		const all = shown();
		const at = all.findIndex((one) => one === document.activeElement);
		if (e.isComposing) return;
		if (e.key === "ArrowDown" || e.key === "ArrowUp") {
			e.preventDefault();
			const to = at + (e.key === "ArrowDown" ? 1 : -1);
			(to < 0 ? field : all[Math.min(to, all.length - 1)])?.focus();
		} else if (e.key.length === 1 && !e.ctrlKey && !e.metaKey && e.key !== " ") {
			field?.focus(); // what is typed goes on
		}
	});
}

/** Shows the places whose names contain what was typed, and the search. @param {HTMLElement} box @param {string} typed */
function narrow(box, typed) {
	const words = typed.toLowerCase().split(/\s+/);
	const all = [...box.querySelectorAll("li")];
	for (const line of all) {
		const name = line.textContent?.toLowerCase() ?? "";
		line.hidden = line !== all.at(-1) && !words.every((word) => name.includes(word));
	}
}
