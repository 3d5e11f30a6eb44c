// Signs user tokens with ES256: only this server has the private key, and Carillon has the public one.
import { createPrivateKey, sign as signWith } from "node:crypto";
import { readFileSync } from "node:fs";

const key = createPrivateKey(readFileSync(process.env.SHOP_KEY ?? "../../shop.key"));

export async function sign(claims) {
	const now = Math.floor(Date.now() / 1000);
	const header = { alg: "ES256", kid: process.env.CARILLON_TOKEN_KEY };
	const text = [header, { ...claims, aud: "carillon", iat: now, exp: now + 900 }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
	return text + "." + signWith("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
}
