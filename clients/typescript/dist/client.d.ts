import type { Keys } from "./signing.js";
import type { Accepted, Ask, Badge, FieldError, Notice, NoticeState, Problem, Question, Rehearsal, Result, User, UserChange, Why } from "./types.js";
/** A call that failed. */
export declare class CarillonError extends Error {
    /** The HTTP status, or 0 if there was no response. */
    readonly status: number;
    /** Identifies the error for programs. */
    readonly code: string;
    /** The invalid fields. */
    readonly errors: FieldError[];
    /** In seconds, if the server named a time. */
    readonly retryAfter: number | undefined;
    constructor(message: string, status?: number, problem?: Partial<Problem>, retryAfter?: number, cause?: unknown);
}
export interface Options {
    /** The server, with the path under which it is mounted. */
    url: string;
    /** An API key. Never use one in a browser: it sends to everybody. */
    key: string;
    /** How long to wait for a response, in ms. Default: 30,000. */
    timeout?: number;
    /** How often a call is repeated after a failure that may pass. Default: 4. */
    retries?: number;
    /** Another fetch, for example one with a proxy. */
    fetch?: typeof fetch;
}
/** A client of one server, for Node, Deno, Bun and workers. */
export declare class Carillon {
    #private;
    constructor(options: Options);
    /**
     * Sends a notice. Once it is accepted, the notice is stored and will be delivered. Repetitions by the client send nothing twice;
     * give an idempotency key of your own, such as the id of a job, if your program may repeat the call as well.
     */
    send(notice: Notice, idempotencyKey?: string): Promise<Accepted>;
    /** Returns who would get a notice if it were sent now, and sends nothing. */
    dryRun(notice: Notice): Promise<Rehearsal>;
    /** Sends up to 1,000 notices. The results are in the same order; a refused notice has an error. */
    sendAll(notices: Notice[], idempotencyKey?: string): Promise<Result[]>;
    /** Returns a notice, and how far its delivery and reading are. */
    notice(id: number): Promise<NoticeState>;
    /** Returns why a user got a notice, or did not. */
    why(id: number, user: string): Promise<Why>;
    /** Removes a notice from all inboxes. */
    retract(id: number): Promise<void>;
    /** Asks people. `wait` returns what they chose. */
    ask(question: Question, idempotencyKey?: string): Promise<Accepted>;
    /** Waits until a question has ended, or rejects when the signal aborts. */
    wait(id: number, signal?: AbortSignal): Promise<Ask>;
    /** Returns a question as it is now. */
    question(id: number): Promise<Ask>;
    /** Ends an open question without an outcome. */
    withdraw(id: number): Promise<void>;
    /** Creates a user, or changes what `change` names. */
    putUser(name: string, change?: UserChange): Promise<User>;
    /** Returns a user. */
    user(name: string): Promise<User>;
    /** Deletes a user and what was sent to them alone. It is no error if there is no such user. */
    deleteUser(name: string): Promise<void>;
    /** Returns the numbers of a user's bell. */
    badge(name: string): Promise<Badge>;
    /** Returns the keys for `verifyReceipt`. Keep them for some hours; they change seldom. */
    receiptKeys(): Promise<Keys>;
}
