// @ts-check
// The entry module of every page. Each part does nothing on pages without its elements.
import { startActions } from "./actions.js";
import { followBadge } from "./badge.js";
import { startBell } from "./bell.js";
import { startBookmark } from "./bookmark.js";
import { startClicked } from "./clicked.js";
import { startConnection } from "./connection.js";
import { startDrafts } from "./drafts.js";
import { startFaces } from "./faces.js";
import { startFolds } from "./folds.js";
import { startFollow } from "./follow.js";
import { startInbox } from "./inbox.js";
import { press, startKeys } from "./keys.js";
import { startLater } from "./later.js";
import { live } from "./live.js";
import { startMenu } from "./menu.js";
import { our } from "./mount.js";
import { startMutes } from "./mutes.js";
import { startPanel } from "./panel.js";
import { post } from "./post.js";
import { startPosts } from "./postwatch.js";
import { startReading } from "./reading.js";
import { startRestored } from "./restored.js";
import { startRows } from "./rows.js";
import { inSelection, select, selecting, startSelect } from "./select.js";
import { startStale } from "./stale.js";
import { startTimes } from "./times.js";
import { startToasts } from "./toasts.js";
import { rememberZone } from "./zone.js";

rememberZone();
startDrafts();
startMenu();
startTimes();
startFolds();
startFaces();
startFollow();
startClicked();
const { user, push } = document.body.dataset;
if (user) {
	startRestored(user);
	const { events, showing, start } = live(user);
	startConnection(events);
	startBell(events);
	startInbox(events);
	startPosts(events);
	startStale(events);
	startPanel(events);
	startToasts(events, showing, (ids) => post(our("/toasts/ack"), { id: ids.join(",") }));
	startActions();
	startReading();
	startMutes();
	startLater();
	startKeys();
	startRows();
	startSelect();
	startBookmark();
	if (matchMedia("(any-pointer: coarse)").matches) import("./touch.js").then(({ startTouch }) => startTouch({ press, select, selecting, inSelection }));
	// Only browsers that show pushes need it.
	const allowed = push && window.Notification?.permission === "granted";
	if (allowed) import("./pushed.js").then(({ startPushed }) => startPushed(events, followBadge, our("/"))).finally(start);
	else start();
	if (allowed) import("./subscription.js").then(({ comeBack }) => comeBack(push)).catch(() => {}); // the next page tries again
}
// Text is selected by pointing at it. Until the module is there, the link of a row lies over its text.
const pointing = () => import("./press.js").then(({ startPress }) => startPress());
addEventListener("pointerover", pointing, { capture: true, once: true });
if (document.querySelector("form[data-kept], input[data-names], [data-copy], [data-saves]")) import("./staff.js").then(({ startStaff }) => startStaff());
