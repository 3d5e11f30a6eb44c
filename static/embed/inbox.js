// @ts-check
import { make } from "./dom.js";
import { CarillonElement } from "./element.js";
import { Feed } from "./feed.js";
import { preferences } from "./preferences.js";
import { voice } from "./voice.js";

/** @typedef {import("./core.js").Client} Client */

const announced = "announcements"; // the tab, too

/** The whole inbox as part of a page. */
export class CarillonInbox extends CarillonElement {
	static observedAttributes = [...super.observedAttributes, "filter", announced, "preferences"];

	/** @override @param {ShadowRoot} root @param {Client} client */
	start(root, client) {
		const feed = new Feed(this, client, true);
		const posts = this.getAttribute("announcements") ?? "top";
		let filter = this.getAttribute("filter") === "unread" ? "unread" : "all";
		const tabs = ["all", "unread", ...(posts === "tab" ? [announced] : [])].map((name) => {
			const choose = () => {
				filter = name;
				press();
				feed.try(name === announced ? client.loadAnnouncements() : client.load({ filter }));
				draw(client.getSnapshot());
			};
			return this.button(`tab_${name}`, choose, { class: "action tab", part: "tab", "data-tab": name });
		});
		const press = () => tabs.forEach((tab) => tab.setAttribute("aria-pressed", String(tab.dataset.tab === filter)));
		const older = this.button("older", () => feed.try(client.load({ more: true })), { class: "action more" });
		this.load = async () => {
			this.failed = false;
			if (posts !== "off") feed.try(client.loadAnnouncements());
			const opens = filter === "all" && this.getAttribute("read-on") !== "click";
			this.failed = !(await feed.try(opens ? client.open() : client.load({ filter: filter === "unread" ? filter : "all" })));
			draw(client.getSnapshot());
			if (this.failed && this.isConnected) setTimeout(() => this.load(client), 5_000);
		};
		const draw = (/** @type {import("./core.js").Snapshot} */ now) => {
			const apart = filter === announced;
			const shown = apart ? [] : (now.notices ?? []).filter((r) => filter === "all" || !r.read);
			feed.show(now, (now.announcements ?? []).filter((a) => apart || (posts === "top" && !a.read)), shown);
			older.hidden = apart || now.next === null;
		};
		press();
		root.replaceChildren(
			make("div", { class: "head", part: "header" }, make("slot", { name: "header" }), make("div", { class: "tabs", part: "tabs", role: "group" }, ...tabs), this.button("read_all", () => feed.readAll())),
			...feed.nodes, older, this.flag("preferences") ? preferences(this, client) : "", make("slot", { name: "footer" }),
			voice(this),
		);
		return draw;
	}
}
