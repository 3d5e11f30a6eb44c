// CARILLON_TOKEN_KEY=tk_… node token.mjs 42 'Ann Archer'
import { createHmac } from "node:crypto";

const key = process.env.CARILLON_TOKEN_KEY, now = Math.floor(Date.now() / 1000);
const header = { alg: "HS256", kid: key.split(".")[0] };
const claims = { sub: process.argv[2], name: process.argv[3], aud: "carillon", iat: now, exp: now + 900 };
const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
console.log(`${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`);
