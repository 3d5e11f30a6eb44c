// @ts-check

// Changes to a list of rows. None of them modifies its arguments.

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
export const placeOf = (filter) => filter.match(/archived|later/)?.[0];

/** Returns the row of an event, which has the stored content. @param {any} row @returns {Row} */
const rowOf = (row) => ({ scope: "", body: "", link: "", read: false, new: false, actors: row.actor && [row.actor], ...row });

/**
 * Inserts a row that arrived, unless it is there already, and removes an older row with its key.
 * @param {readonly Row[]} rows
 * @param {any} row
 * @param {string} filter
 */
export function put(rows, row, filter) {
	if (rows.some((r) => r.key === row.key && r.at >= row.at)) return rows; // which may have been read since
	const rest = dropped(rows, [row.key]);
	if (filter === "unread" && row.read) return rest;
	const place = rest.findIndex((r) => r.at < row.at);
	return rest.toSpliced(place < 0 ? rest.length : place, 0, rowOf(row));
}

/**
 * Shows the current text of a notice.
 * @param {readonly Row[]} rows
 * @param {any} row
 */
export function changed(rows, row) {
	return rows.map((r) => (r.id === row.id ? { expires_at: r.expires_at, ...rowOf(row), read: r.read, new: r.new, at: r.at } : r));
}

/**
 * Marks rows as read or unread. Rows of a subject stay: only the server can determine which of them the token covers.
 * @param {readonly Row[]} rows
 * @param {{keys?: string[], key?: string, upto?: string | number, subject?: string}} what
 * @param {boolean} read
 */
export function marked(rows, what, read) {
	const keys = what.keys ?? [what.key];
	return rows.map((r) => (r.read !== read && (keys.includes(r.key) || r.at <= Number(what.upto)) ? { ...r, read, new: read && r.new } : r));
}

/**
 * @param {readonly Row[]} rows
 * @param {string[]} keys
 */
export function dropped(rows, keys) {
	return rows.filter((r) => !keys.includes(r.key));
}
