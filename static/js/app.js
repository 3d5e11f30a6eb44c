// @ts-check
// What every page runs. Each part does nothing where its elements are missing.
import { startBell } from "./bell.js";
import { startConnection } from "./connection.js";
import { startInbox } from "./inbox.js";
import { live } from "./live.js";
import { startProgress } from "./progress.js";
import { rememberZone } from "./zone.js";

rememberZone();
startProgress();
const { user } = document.body.dataset;
if (user) {
	const { events, start } = live(user);
	startConnection(events);
	startBell(events);
	startInbox(events);
	start();
}
