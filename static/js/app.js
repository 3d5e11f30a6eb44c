// @ts-check
// What every page runs. Each part does nothing where its elements are missing.
import { startActions } from "./actions.js";
import { startBell } from "./bell.js";
import { startConnection } from "./connection.js";
import { startFolds } from "./folds.js";
import { startFollow } from "./follow.js";
import { startInbox } from "./inbox.js";
import { startKeys } from "./keys.js";
import { live } from "./live.js";
import { startMenu } from "./menu.js";
import { startPanel } from "./panel.js";
import { post } from "./post.js";
import { startPosts } from "./postwatch.js";
import { startRestored } from "./restored.js";
import { startSeek } from "./seek.js";
import { startStale } from "./stale.js";
import { startTimes } from "./times.js";
import { startToasts } from "./toasts.js";
import { rememberZone } from "./zone.js";

rememberZone();
startMenu();
startTimes();
startFolds();
startFollow();
const { user } = document.body.dataset;
if (user) {
	startRestored(user);
	const { events, showing, start } = live(user);
	startConnection(events);
	startBell(events);
	startInbox(events);
	startPosts(events);
	startStale(events);
	startPanel(events);
	startToasts(events, showing, (ids) => post("/toasts/ack", { id: ids.join(",") }));
	startActions();
	startKeys();
	startSeek();
	start();
}
const form = document.getElementById("send");
if (form instanceof HTMLFormElement) import("./send.js").then(({ startSend }) => startSend(form));
const once = document.querySelector("form[data-once]");
if (once instanceof HTMLFormElement) import("./send.js").then(({ sendOnce }) => sendOnce(once));
for (const field of document.querySelectorAll("input[data-names]")) {
	if (field instanceof HTMLInputElement) import("./send.js").then(({ startName }) => startName(field));
}
