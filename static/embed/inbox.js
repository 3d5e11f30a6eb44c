// @ts-check
import { make } from "./dom.js";
import { CarillonElement, sections } from "./element.js";
import { Feed } from "./feed.js";
import { later, lazy, loaded } from "./lazy.js";
import { placeOf } from "./rows.js";

/** @typedef {import("./core.js").Client} Client */

const announced = "announcements"; // the tab, too

/** The whole inbox as part of a page. */
export class CarillonInbox extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, ...sections, "filter", announced, "preferences", "actions", "tabs"];

	/** @override @param {ShadowRoot} root @param {Client} client */
	start(root, client) {
		const feed = new Feed(this, client, this.getAttribute("actions") ?? "hover");
		const posts = this.getAttribute("announcements") ?? "top";
		/** @type {string[]} */ const names = (this.getAttribute("tabs") ?? "all unread").match(/\b(all|unread|archived|later)\b/g) ?? ["all"];
		let filter = this.getAttribute("filter") ?? "";
		if (!names.includes(filter)) [filter = ""] = names;
		const tabs = [...names, ...(posts === "tab" ? [announced] : [])].map((name) => {
			const choose = () => {
				filter = name;
				press();
				this.load(client, true);
				draw(client.getSnapshot());
			};
			return this.button(`tab_${name}`, choose, { class: "action tab", part: "tab", "data-tab": name });
		});
		const press = () => tabs.forEach((tab) => tab.setAttribute("aria-pressed", String(tab.dataset.tab === filter)));
		const older = this.button("older", () => feed.try(client.load({ more: true })), { class: "action more" });
		this.load = async (/** @type {Client} */ _, chosen = false) => {
			this.failed = false;
			if (posts !== "off") feed.try(client.loadAnnouncements());
			const opens = !chosen && filter === "all" && this.getAttribute("read-on") !== "click";
			this.failed = !(await feed.try(opens ? client.open() : client.load({ filter: filter === announced ? "all" : filter })));
			draw(client.getSnapshot());
			if (this.failed && this.isConnected) setTimeout(() => this.load(client, chosen), 5_000);
		};
		const draw = (/** @type {import("./core.js").Snapshot} */ now) => {
			const apart = filter === announced;
			// Elements that share a client share its rows, and another one may have loaded others.
			if (!apart && now.notices && placeOf(now.filter) !== placeOf(filter)) filter = now.filter, press();
			loaded(({ tally }) => tally(this, tabs, posts === "top" ? now.badge.unread : now.badge.inbox));
			const shown = apart ? [] : now.notices && now.notices.filter((r) => filter !== "unread" || !r.read);
			feed.show(now, (now.announcements ?? []).filter((a) => apart || (posts === "top" && !a.read && !placeOf(filter))), shown);
			older.hidden = apart || !shown || now.next === null;
			all.hidden = Boolean(placeOf(filter));
		};
		const all = this.button("read_all", () => feed.readAll());
		const prefs = make("div");
		if (this.flag("preferences")) later(({ preferences }) => prefs.append(preferences(this, client)));
		press();
		void lazy(); // its rows will need it
		root.replaceChildren(
			make("div", { class: "head", part: "header" }, make("slot", { name: "header" }), make("div", { class: "tabs", part: "tabs", role: "group" }, ...tabs), all),
			...feed.nodes, older, prefs, make("slot", { name: "footer" }),
		);
		return draw;
	}
}
