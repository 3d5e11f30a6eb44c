// @ts-check
import { Account } from "../../../static/embed/account.js";
import { refused } from "../../../static/embed/complain.js";
import { Known } from "../../../static/embed/snapshot.js";
import { Tokens } from "../../../static/embed/tokens.js";
import { equal, test } from "./check.js";

/**
 * Runs body while fetch is replaced. Returns what was written to the console, and the requested paths.
 * @param {(path: string, how?: RequestInit) => Promise<Response>} answer
 * @param {() => Promise<unknown>} body
 */
async function during(answer, body) {
	const { fetch } = self;
	const { error } = console;
	/** @type {string[]} */ const paths = [];
	/** @type {string[]} */ const written = [];
	self.fetch = (address, how) => {
		const { pathname } = new URL(String(address));
		paths.push(pathname);
		return answer(pathname, how);
	};
	console.error = (text) => void written.push(text);
	try {
		await body();
	} finally {
		self.fetch = fetch;
		console.error = error;
	}
	return { paths, written };
}

const lost = () => Promise.reject(new TypeError("Failed to fetch"));

test("an origin counts as refused only if the server gives out its scripts and answers no call", async () => {
	let found = true;
	const server = (/** @type {string} */ name) => `http://${name}.example/`;
	const probe = (/** @type {string} */ name) => async () => void (found = !!(await refused(server(name))));

	const restarted = await during(async () => new Response("{}", { status: 401 }), probe("restarted"));
	equal([found, restarted.written], [false, []]);

	const scripts = (/** @type {number} */ status) => (/** @type {string} */ path) => (path === "/embed/core.js" ? Promise.resolve(new Response("", { status })) : lost());
	const closed = await during(scripts(200), probe("closed"));
	equal([found, closed.written], [true, [`Carillon: ${server("closed")} refuses pages of ${self.origin}: carillon app set NAME --origin ${self.origin}`]]);

	for (const [name, answer] of /** @type {const} */ ([["down", lost], ["other", scripts(404)]])) {
		const { written } = await during(answer, probe(name));
		equal([found, written], [false, [`Carillon: no answer from ${server(name)}`]], name);
	}
});

test("a call that ends because the user leaves is no refusal", async () => {
	const held = (/** @type {string} */ _, /** @type {RequestInit} */ how = {}) =>
		how.signal ? new Promise((_, reject) => how.signal?.addEventListener("abort", () => reject(how.signal?.reason))) : Promise.resolve(new Response());
	const { paths, written } = await during(/** @type {any} */ (held), async () => {
		const account = new Account("http://other.example/", new Known(), (onUser, signal) => new Tokens(async () => `.${btoa('{"sub":"7","iat":0,"exp":9e9}')}.`, onUser, undefined, signal), {
			user() {}, gone() {}, fault() {},
		});
		const call = account.call("GET", "notices").catch((err) => err.name);
		await new Promise((resolve) => setTimeout(resolve));
		account.end();
		equal(await call, "AbortError");
	});
	equal([paths, written], [["/api/v1/me/notices"], []]);
});
