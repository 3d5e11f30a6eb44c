export type Row = {
    readonly key: string;
    readonly id: number;
    readonly at: number;
    readonly type: string;
    readonly scope: string;
    readonly title: string;
    readonly body: string;
    readonly link: string;
    readonly app?: {
        readonly name: string;
        readonly title: string;
        readonly icon?: string;
    } | null;
    readonly read: boolean;
    readonly new: boolean;
    readonly created_at: string;
    readonly expires_at?: string;
    readonly until?: string;
    readonly actors?: readonly {
        id?: string;
        name: string;
        image?: string;
    }[];
    readonly others?: number;
    readonly times?: number;
    readonly image?: {
        url: string;
        alt: string;
    };
    readonly actions?: readonly {
        label: string;
        link: string;
        style: string;
    }[];
    readonly data?: object;
    readonly ask?: Ask | null;
    readonly take?: Take | null;
};
export type Take = {
    readonly by?: string | null;
    readonly name?: string;
    readonly at?: string | null;
    readonly done_at?: string | null;
    readonly done: "required" | "none";
    readonly late?: boolean;
    readonly of?: number;
};
export type Ask = {
    readonly id: number;
    readonly state: "open" | "answered" | "expired" | "withdrawn";
    readonly outcome: string | null;
    readonly expires_at: string;
    readonly mine?: string | null;
    readonly choices: readonly {
        id: string;
        label: string;
        style: string;
        comment: "none" | "optional" | "required";
    }[];
    readonly answers: readonly {
        user: string | null;
        name?: string;
        choice: string;
        comment: string;
        at: string;
    }[];
};
/**
 * @typedef {{readonly key: string, readonly id: number, readonly at: number, readonly type: string, readonly scope: string,
 *   readonly title: string, readonly body: string, readonly link: string, readonly app?: {readonly name: string, readonly title: string, readonly icon?: string} | null, readonly read: boolean, readonly new: boolean, readonly created_at: string, readonly expires_at?: string, readonly until?: string,
 *   readonly actors?: readonly {id?: string, name: string, image?: string}[], readonly others?: number, readonly times?: number,
 *   readonly image?: {url: string, alt: string}, readonly actions?: readonly {label: string, link: string, style: string}[], readonly data?: object, readonly ask?: Ask | null, readonly take?: Take | null}} Row
 * @typedef {{readonly by?: string | null, readonly name?: string, readonly at?: string | null, readonly done_at?: string | null, readonly done: "required" | "none", readonly late?: boolean, readonly of?: number}} Take
 * @typedef {{readonly id: number, readonly state: "open" | "answered" | "expired" | "withdrawn", readonly outcome: string | null, readonly expires_at: string, readonly mine?: string | null,
 *   readonly choices: readonly {id: string, label: string, style: string, comment: "none" | "optional" | "required"}[],
 *   readonly answers: readonly {user: string | null, name?: string, choice: string, comment: string, at: string}[]}} Ask
 */
/** Returns where the rows of a filter are, unless they are in the inbox. @param {string} filter */
export declare const placeOf: (filter: string) => string | undefined;
/**
 * Inserts a row that arrived, unless it is there already, and removes an older row with its key.
 * @param {readonly Row[]} rows
 * @param {any} row
 * @param {string} filter
 */
export declare function put(rows: readonly Row[], row: any, filter: string): readonly Row[];
/**
 * Shows the current text of a notice.
 * @param {readonly Row[]} rows
 * @param {any} row
 */
export declare function changed(rows: readonly Row[], row: any): Row[];
/**
 * Marks rows as read or unread. Rows of a subject stay: only the server can determine which of them the token covers.
 * @param {readonly Row[]} rows
 * @param {{keys?: string[], key?: string, upto?: string | number, subject?: string}} what
 * @param {boolean} read
 */
export declare function marked(rows: readonly Row[], what: {
    keys?: string[];
    key?: string;
    upto?: string | number;
    subject?: string;
}, read: boolean): Row[];
/**
 * @param {readonly Row[]} rows
 * @param {string[]} keys
 */
export declare function dropped(rows: readonly Row[], keys: string[]): Row[];
