// @ts-check
import { addressOf, baseOf, home } from "../../../static/embed/base.js";
import { equal, test } from "./check.js";

test("a base URL ends with a slash, and its host is the one that is meant", () => {
	const here = location.origin;
	for (const [text, want] of /** @type {[string | null, string][]} */ ([
		["https://notices.example.com", "https://notices.example.com/"],
		["https://notices.example.com/", "https://notices.example.com/"],
		["https://notices.example.com/inner", "https://notices.example.com/inner/"],
		["https://notices.example.com/inner//?a=b#c", "https://notices.example.com/inner/"],
		["https://notices.example.com?x=/evil", "https://notices.example.com/"],
		["  HTTPS://Notices.Example.com:443 \n", "https://notices.example.com/"],
		["http://[::1]:8080", "http://[::1]:8080/"],
		["//notices.example.com", `${location.protocol}//notices.example.com/`],
		["/notifications", `${here}/notifications/`],
		["./n", new URL("./n/", document.baseURI).href],
		["/", `${here}/`],
		["", home], ["  ", home], [null, home],
	])) equal(baseOf(text), want, String(text));
});

test("what could mean another host is refused, and the attribute is named", () => {
	for (const text of ["notices.example.com", "notices.example.com:8080", "localhost:8080", "\\\\evil.example.com", "/\\evil.example.com", "///evil.example.com", "https:evil.example.com",
		"https://a:b@evil.example.com", "https://", "//", "javascript:alert(1)", "ftp://evil.example.com", "https://a b", "https://a\nb/", "?x", "#x"]) {
		let fault = "";
		try {
			baseOf(text);
		} catch (err) {
			fault = String(err);
		}
		equal(fault.startsWith("TypeError: server="), true, JSON.stringify(text));
	}
	equal(addressOf("token-url", "carillon/token", "/t").href, new URL("carillon/token", document.baseURI).href);
});
