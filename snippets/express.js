// Behind the middleware that sets req.user: app.get("/carillon/token", carillonToken)
import { createHmac } from "node:crypto";

export function carillonToken(req, res) {
  if (!req.user) return res.sendStatus(401);
  const key = process.env.CARILLON_TOKEN_KEY, now = Math.floor(Date.now() / 1000);
  const header = { alg: "HS256", kid: key.split(".")[0] };
  const claims = { sub: String(req.user.id), name: req.user.name, aud: "carillon", iat: now, exp: now + 900 };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = createHmac("sha256", key).update(signed).digest("base64url");
  res.set("Cache-Control", "no-store").json({ token: `${signed}.${signature}` });
}
