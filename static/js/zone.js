// @ts-check
import { our } from "./mount.js";

/** Stores the time zone of this browser for the server, for the next page. */
export function rememberZone() {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
	if (zone && /^[A-Za-z0-9_+\-/]{1,64}$/.test(zone)) {
		document.cookie = `tz=${zone}; path=${our("/")}; max-age=31536000; samesite=lax`;
	}
}
