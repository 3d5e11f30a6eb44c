// Makes the calls that it reads from standard input, one JSON object a line, for the test of all clients.
import { createInterface } from "node:readline";

import { Carillon, CarillonError, InvalidReceipt, InvalidWebhook, userToken, verifyReceipt, verifyWebhook } from "./dist/index.js";

const others = { verifyReceipt, verifyWebhook, userToken: (key, user, name) => userToken(key, user, { name }) };
const client = new Carillon({ url: process.env.CARILLON_URL, key: process.env.CARILLON_API_KEY });

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  const name = call.call.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  let answer;
  try {
    answer = { result: (await (others[name] ? others[name](...call.args) : client[name](...call.args))) ?? null };
  } catch (e) {
    if (e instanceof CarillonError) answer = { status: e.status, code: e.code, fields: e.errors.map((field) => field.location) };
    else if (e instanceof InvalidReceipt || e instanceof InvalidWebhook) answer = { invalid: true };
    else throw e;
  }
  console.log(JSON.stringify(answer));
}
