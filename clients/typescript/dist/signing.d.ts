import type { Answer } from "./types.js";
/** A message that Carillon did not sign, that was changed, or that is too old. */
export declare class InvalidWebhook extends Error {
}
/** A text that is no receipt of these keys. */
export declare class InvalidReceipt extends Error {
}
/** The body of a webhook's message. */
export interface Event {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
}
/** The public keys of receipts. */
export interface Keys {
    keys: JsonWebKey[];
}
/** What a receipt proves. */
export interface Receipt {
    id: number;
    state: "answered" | "expired";
    choices: string[];
    outcome: string | null;
    answers: Answer[];
    /** base64url of the SHA-256 of the RFC 8785 JSON of title, body and data. */
    content: string;
}
/**
 * Signs a token that says who is signed in to your application, for the elements of its pages.
 *
 * @param key the CARILLON_TOKEN_KEY of the app
 * @param user the user's id in your application
 * @param options what people call them, the lifetime in seconds (default: 900), and other claims
 */
export declare function userToken(key: string, user: string, options?: {
    name?: string;
    lifetime?: number;
    claims?: object;
}): Promise<string>;
/**
 * Returns the event of a webhook's message, or rejects with InvalidWebhook.
 *
 * @param secrets what `carillon hook add` printed; the old and the new one while they are rotated
 * @param headers of the request
 * @param body exactly as it was received
 * @param tolerance how old a message may be, in seconds
 */
export declare function verifyWebhook(secrets: string | string[], headers: Headers | Record<string, string | string[] | undefined>, body: string | Uint8Array, tolerance?: number): Promise<Event>;
/** Returns what a receipt proves, or rejects with InvalidReceipt. `keys` is what `Carillon.receiptKeys` returns. */
export declare function verifyReceipt(receipt: string, keys: Keys): Promise<Receipt>;
