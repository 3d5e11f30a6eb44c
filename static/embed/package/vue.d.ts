import type { ShallowRef } from "vue";
import type { Client, Snapshot } from "./types/embed/core.js";

/** Returns a ref to the notices of a client as they are now, until the component is unmounted. */
export declare function useCarillon(client: Client): Readonly<ShallowRef<Snapshot>>;
