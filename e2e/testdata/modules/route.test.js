// @ts-check
import { route } from "../../../static/embed/dom.js";
import { equal, test } from "./check.js";

test("a link on the origin of the page is a path for its router, and any other stays an address", () => {
	const here = location.origin;
	for (const [link, want] of /** @type {[string, string][]} */ ([
		[`${here}/orders/7?a=b#c`, "/orders/7?a=b#c"],
		[here, "/"],
		["/orders/7", "/orders/7"],
		[`https://evil.example/${here}`, `https://evil.example/${here}`],
		["https://shop.example.com/orders/7", "https://shop.example.com/orders/7"],
	])) equal(route(link), want, link);
});
