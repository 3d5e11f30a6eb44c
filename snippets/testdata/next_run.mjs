// Calls the endpoint without and with a user. The module @/auth is auth.mjs.
import { pathToFileURL } from "node:url";
import { sign } from "@/auth";

const { GET } = await import(pathToFileURL(process.argv[2]));
console.log((await GET()).status);
sign({ id: 42, name: process.env.NAME });
console.log(await (await GET()).text());
