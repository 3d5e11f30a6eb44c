/** A message that Carillon did not sign, that was changed, or that is too old. */
export class InvalidWebhook extends Error {
}
/** A text that is no receipt of these keys. */
export class InvalidReceipt extends Error {
}
const utf8 = new TextEncoder();
/**
 * Signs a token that says who is signed in to your application, for the elements of its pages.
 *
 * @param key the CARILLON_TOKEN_KEY of the app
 * @param user the user's id in your application
 * @param options what people call them, the lifetime in seconds (default: 900), and other claims
 */
export async function userToken(key, user, options = {}) {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: "HS256", kid: key.split(".")[0] };
    const claims = { sub: user, name: options.name, aud: "carillon", iat: now, exp: now + (options.lifetime ?? 900), ...options.claims };
    const signed = [header, claims].map((part) => encode(utf8.encode(JSON.stringify(part)))).join(".");
    return `${signed}.${encode(new Uint8Array(await crypto.subtle.sign("HMAC", await hmac(utf8.encode(key)), utf8.encode(signed))))}`;
}
/**
 * Returns the event of a webhook's message, or rejects with InvalidWebhook.
 *
 * @param secrets what `carillon hook add` printed; the old and the new one while they are rotated
 * @param headers of the request
 * @param body exactly as it was received
 * @param tolerance how old a message may be, in seconds
 */
export async function verifyWebhook(secrets, headers, body, tolerance = 300) {
    const given = headers instanceof Headers ? headers : new Headers(Object.entries(headers).map(([name, value]) => [name, String(value ?? "")]));
    const [id, sent, signatures] = ["id", "timestamp", "signature"].map((name) => given.get(`webhook-${name}`) ?? "");
    if (id === "" || !/^\d+$/.test(sent))
        throw new InvalidWebhook("the headers webhook-id and webhook-timestamp are missing");
    if (Math.abs(Date.now() / 1000 - Number(sent)) > tolerance) {
        throw new InvalidWebhook(`the message is more than ${tolerance} seconds old, or the clock is wrong`);
    }
    const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    const signed = utf8.encode(`${id}.${sent}.${text}`);
    for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
        const key = await hmac(decode(secret.replace(/^whsec_/, "")));
        for (const one of signatures.split(" ")) {
            if (!/^v1,[A-Za-z0-9+/]+=*$/.test(one))
                continue;
            if (await crypto.subtle.verify("HMAC", key, decode(one.slice(3)), signed))
                return JSON.parse(text);
        }
    }
    throw new InvalidWebhook("no signature is valid");
}
/** Returns what a receipt proves, or rejects with InvalidReceipt. `keys` is what `Carillon.receiptKeys` returns. */
export async function verifyReceipt(receipt, keys) {
    const [head = "", payload = "", signature = "", ...more] = receipt.trim().split(".");
    if (more.length > 0)
        throw new InvalidReceipt("the receipt has too many parts");
    try {
        const header = JSON.parse(new TextDecoder().decode(decode(head)));
        if (header.alg !== "EdDSA")
            throw new InvalidReceipt("the receipt is not signed with Ed25519");
        const found = keys.keys.find((k) => k.kid === header.kid && k.kty === "OKP" && k.crv === "Ed25519");
        if (found === undefined)
            throw new InvalidReceipt("the receipt was signed with an unknown key");
        const key = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x: found.x ?? "" }, "Ed25519", false, ["verify"]);
        if (!(await crypto.subtle.verify("Ed25519", key, decode(signature), utf8.encode(`${head}.${payload}`)))) {
            throw new InvalidReceipt("the signature is not valid");
        }
        return JSON.parse(new TextDecoder().decode(decode(payload)));
    }
    catch (e) {
        if (e instanceof InvalidReceipt)
            throw e;
        throw new InvalidReceipt("the receipt is not valid", { cause: e });
    }
}
function hmac(key) {
    return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
function encode(data) {
    let text = "";
    for (const byte of data)
        text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function decode(text) {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
