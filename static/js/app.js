// @ts-check
// What every page runs. Each part does nothing where its elements are missing.
import { startBell } from "./bell.js";
import { startInbox } from "./inbox.js";
import { startProgress } from "./progress.js";
import { Stream } from "./stream.js";
import { rememberZone } from "./zone.js";

rememberZone();
startProgress();
if (document.getElementById("bell")) {
	const stream = new Stream("/events");
	startBell(stream);
	startInbox(stream);
	stream.open();
}
