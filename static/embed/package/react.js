// @ts-check
import { useCallback, useSyncExternalStore } from "react";

/**
 * Returns the current notices of a client, and renders again when they change.
 * @param {import("../core.js").Client} client
 * @returns {import("../core.js").Snapshot}
 */
export function useCarillon(client) {
	const subscribe = useCallback((/** @type {() => void} */ fn) => client.subscribe(fn), [client]);
	return useSyncExternalStore(subscribe, client.getSnapshot, client.getSnapshot);
}
