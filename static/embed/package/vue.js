// @ts-check
import { onScopeDispose, shallowRef } from "vue";

/**
 * Returns a ref to the current notices of a client, until the component is unmounted.
 * @param {import("../core.js").Client} client
 * @returns {{readonly value: import("../core.js").Snapshot}}
 */
export function useCarillon(client) {
	const now = shallowRef(client.getSnapshot());
	onScopeDispose(client.subscribe((snapshot) => void (now.value = snapshot)));
	return now;
}
