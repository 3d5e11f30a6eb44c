// app/carillon/token/route.js
import { createHmac } from "node:crypto";
import { auth } from "@/auth"; // Auth.js, or another function that returns the signed-in user

export async function GET() {
  const user = (await auth())?.user;
  if (!user?.id) return new Response(null, { status: 401 });
  const key = process.env.CARILLON_TOKEN_KEY, now = Math.floor(Date.now() / 1000);
  const header = { alg: "HS256", kid: key.split(".")[0] };
  const claims = { sub: String(user.id), name: user.name, aud: "carillon", iat: now, exp: now + 900 };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = createHmac("sha256", key).update(signed).digest("base64url");
  return Response.json({ token: `${signed}.${signature}` }, { headers: { "Cache-Control": "no-store" } });
}
