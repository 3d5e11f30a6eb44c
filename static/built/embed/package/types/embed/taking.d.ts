/**
 * Decides for each toast whether this tab shows it: among the visible tabs of a browser, the
 * first to acquire the lock with the toast's name.
 */
export declare class Taking {
    #private;
    /** @param {string} name of the user's notices */
    constructor(name: string);
    /**
     * @param {string} id
     * @param {() => void} show
     * @param {() => void} again the toast was shown here before: its acknowledgement was lost
     */
    take(id: string, show: () => void, again: () => void): Promise<void>;
}
