import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Client, Snapshot } from "./types/embed/core.js";

/** Returns the current notices of a client, and renders again when they change. */
export declare function useCarillon(client: Client): Snapshot;

type Tag<Own> = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & Own & {
	"token-url"?: string;
	token?: string;
	server?: string;
	theme?: "auto" | "light" | "dark";
	"read-on"?: "open" | "click";
	actions?: "hover" | "menu" | "none";
};

/** Selects the notices of an element: types separated by blanks, a scope, an app. */
type Part = { types?: string; scope?: string; app?: string };

declare module "react" {
	namespace JSX {
		interface IntrinsicElements {
			"carillon-bell": Tag<Part & { max?: number; placement?: string; "inbox-href"?: string; "title-badge"?: boolean; "favicon-badge"?: boolean; preferences?: boolean; open?: boolean }>;
			"carillon-inbox": Tag<Part & { filter?: "all" | "unread" | "archived" | "later"; tabs?: string; announcements?: "top" | "tab" | "off"; preferences?: boolean }>;
			"carillon-toasts": Tag<{ position?: string; max?: number }>;
		}
	}
}
