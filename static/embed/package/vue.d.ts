import type { ShallowRef } from "vue";
import type { Client, Snapshot } from "./types/embed/core.js";

/** Returns a ref to the current notices of a client, until the component is unmounted. */
export declare function useCarillon(client: Client): Readonly<ShallowRef<Snapshot>>;
