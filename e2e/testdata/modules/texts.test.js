// @ts-check
import { startConnection } from "../../../static/js/connection.js";
import { text } from "../../../static/js/texts.js";
import { byId, equal, tell, test } from "./check.js";
import { Time } from "./fakes.js";

/** @type {Record<string, any>} */
const want = {
	en: {
		arrivals: ["0 new", "1 new", "2 new", "1,234 new"],
		offline: "Offline. Last updated 12:04",
		signedOut: "You are signed out. Sign in",
		newest: "3 unread, newest: {Unread} & $1",
	},
	ja: {
		arrivals: ["新着通知0件を表示", "新着通知1件を表示", "新着通知2件を表示", "新着通知1,234件を表示"],
		offline: "オフライン（最終更新 12:04）",
		signedOut: "サインアウトされました。 サインイン",
		newest: "未読3件、最新：{Unread} & $1",
	},
	"zh-Hans": {
		arrivals: ["0 条新通知", "1 条新通知", "2 条新通知", "1,234 条新通知"],
		offline: "已离线，最后更新于 12:04",
		signedOut: "你已退出登录。 登录",
		newest: "3 条未读，最新一条：{Unread} & $1",
	},
	"zh-Hant": {
		arrivals: ["0 則新通知", "1 則新通知", "2 則新通知", "1,234 則新通知"],
		offline: "已離線。上次更新：12:04",
		signedOut: "你已登出。 登入",
		newest: "3 則未讀，最新一則：{Unread} & $1",
	},
}[document.documentElement.lang] ?? {};

test("numbers choose the plural form, and values are inserted unchanged", () => {
	equal([0, 1, 2, 1234].map((n) => text("arrivals", { Count: n })), want.arrivals);
	equal(text("newest", { Unread: text("unread", { Count: 3 }), Title: "{Unread} & $1" }), want.newest);
	equal(text("no such text"), "");
});

test("an offline page says until when it was up to date", () => {
	const [stream, time] = [new EventTarget(), new Time()];
	startConnection(stream, time);
	tell(stream, "state", "live");
	tell(stream, "state", "offline");
	time.pass(120_000);
	tell(stream, "state", "offline");
	equal(byId("connection").textContent, want.offline);
});

test("a signed-out page says so, with a link to sign in", () => {
	const stream = new EventTarget();
	startConnection(stream, new Time());
	tell(stream, "state", "signed-out");
	equal([byId("connection").hidden, byId("connection").textContent], [false, want.signedOut]);
	equal(byId("connection").querySelector("a")?.getAttribute("href"), `/login?next=${encodeURIComponent(location.pathname + location.search)}`);
});
