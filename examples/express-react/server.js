// A shop that signs in anyone who clicks. The tokens of /carillon/token identify its users to Carillon.
import { randomBytes } from "node:crypto";
import express from "express";
import { sign } from "./token.js";

const port = process.env.PORT ?? 8000;
const carillon = process.env.CARILLON_AT ?? "http://127.0.0.1:8080";
const users = new Map([["1", "Ann Archer"], ["2", "Ben Brook"]]);
const sessions = new Map(); // cookie → id of the user

// The strictest policy under which React and the elements work.
const policy = `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self' ${carillon}/; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const app = express();
app.disable("x-powered-by");
app.use((req, res, next) => {
	const id = /(?:^|; )shop=([0-9a-f]+)/.exec(req.headers.cookie ?? "")?.[1];
	req.user = sessions.get(id);
	res.set("Content-Security-Policy", policy);
	next();
});

app.post("/login", express.urlencoded({ extended: false }), (req, res) => {
	if (!users.has(req.body.user)) return res.sendStatus(422);
	const id = randomBytes(16).toString("hex");
	sessions.set(id, req.body.user);
	res.cookie("shop", id, { httpOnly: true, sameSite: "lax" }).redirect(303, "/");
});

app.post("/logout", (req, res) => {
	res.clearCookie("shop").redirect(303, "/");
});

app.get("/me", (req, res) => {
	res.set("Cache-Control", "no-store").json({ id: req.user ?? null, name: users.get(req.user) ?? null, users: [...users] });
});

app.get("/carillon/token", async (req, res) => {
	if (!req.user) return res.sendStatus(401);
	res.set("Cache-Control", "no-store").json({ token: await sign({ sub: req.user, name: users.get(req.user) }) });
});

app.use(express.static("public"));
app.get("/{*path}", (req, res) => res.sendFile("index.html", { root: "public" })); // the routes of the application

app.listen(port, "127.0.0.1", () => console.log(`The shop is at http://127.0.0.1:${port}`));
