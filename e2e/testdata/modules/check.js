// @ts-check
// Helpers that the tests of the modules share. A test is a named function that
// throws when a promise is broken.

/** @type {{name: string, body: () => void | Promise<void>}[]} */
const tests = [];

/**
 * @param {string} name
 * @param {() => void | Promise<void>} body
 */
export function test(name, body) {
	tests.push({ name, body });
}

/** Runs all tests of the page, one after the other. */
export async function run() {
	const results = [];
	for (const { name, body } of tests) {
		document.body.innerHTML = blank;
		let fault = "";
		try {
			await body();
		} catch (e) {
			fault = e instanceof Error ? `${e.message}\n${e.stack}` : String(e);
		}
		results.push({ name, fault });
	}
	return results;
}

// The elements of a page that the modules need.
const blank = `
	<p id="connection" hidden></p>
	<a id="bell" href="/inbox" data-inbox="2" data-announcements="1" data-ver="10" data-aver="10"><span id="badge">3</span></a>
	<main></main>
	<p id="announcer" role="status"></p>`;

/**
 * @param {any} got
 * @param {any} want
 * @param {string} [what]
 */
export function equal(got, want, what = "got") {
	const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
	if (a !== b) throw new Error(`${what} ${a}, want ${b}`);
}

/**
 * Waits until a condition holds, for results that come through the browser.
 * @param {string} what
 * @param {() => boolean} so
 */
export async function until(what, so) {
	const deadline = performance.now() + 20_000;
	while (!so()) {
		if (performance.now() > deadline) throw new Error(`it never came that ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** @param {string} id */
export function byId(id) {
	const found = document.getElementById(id);
	if (!found) throw new Error(`the page has no ${id}`);
	return found;
}

/** Returns a list that collects the events of a target as [name, detail]. @param {EventTarget} target @param {string[]} names */
export function heard(target, ...names) {
	/** @type {[string, any][]} */ const all = [];
	for (const name of names) target.addEventListener(name, (e) => all.push([name, /** @type {CustomEvent} */ (e).detail]));
	return all;
}

/** @param {EventTarget} target @param {string} name @param {any} detail */
export function tell(target, name, detail) {
	target.dispatchEvent(new CustomEvent(name, { detail }));
}
