// Calls the endpoint without and with a user.
import { pathToFileURL } from "node:url";

const { carillonToken } = await import(pathToFileURL(process.argv[2]));
const res = {
  sendStatus: (status) => console.log(status),
  set() { return this; },
  json: (body) => console.log(JSON.stringify(body)),
};
carillonToken({}, res);
carillonToken({ user: { id: 42, name: process.env.NAME } }, res);
