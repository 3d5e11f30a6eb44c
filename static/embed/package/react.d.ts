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

declare module "react" {
	namespace JSX {
		interface IntrinsicElements {
			"carillon-bell": Tag<{ max?: number; placement?: string; "inbox-href"?: string; "title-badge"?: boolean; open?: boolean }>;
			"carillon-inbox": Tag<{ filter?: "all" | "unread" | "archived" | "later"; tabs?: string; announcements?: "top" | "tab" | "off"; preferences?: boolean }>;
			"carillon-toasts": Tag<{ position?: string; max?: number }>;
		}
	}
}
