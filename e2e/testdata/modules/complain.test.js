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

test("an origin is refused if the server gives a script and no answer, which differs from a lost connection and a lost server", async () => {
	let found = true;
	const server = (/** @type {string} */ name) => `http://${name}.example/`;
	const probe = (/** @type {string} */ name) => async () => void (found = await refused(server(name)));

	const restarted = await during(async () => new Response("{}", { status: 401 }), probe("restarted"));
	equal([found, restarted.written], [false, []]);

	const closed = await during((path) => (path === "/embed/core.js" ? Promise.resolve(new Response()) : lost()), probe("closed"));
	equal([found, closed.written], [true, [`Carillon: ${server("closed")} refuses pages of ${self.origin}: carillon app set NAME --origin ${self.origin}`]]);

	const down = await during(lost, probe("down"));
	equal([found, down.written], [false, [`Carillon: no answer from ${server("down")}`]]);
});

test("a call that ends because the user leaves is no refusal", async () => {
	const held = (/** @type {string} */ path, /** @type {RequestInit} */ how = {}) =>
		path === "/embed/core.js" ? Promise.resolve(new Response()) : new Promise((_, reject) => how.signal?.addEventListener("abort", () => reject(how.signal?.reason)));
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
