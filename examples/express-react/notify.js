// Notifies a user of an order: node notify.js USER TITLE LINK
import { Carillon } from "@carillon/client";

const [user, title, link] = process.argv.slice(2);
const carillon = new Carillon({ url: process.env.CARILLON_URL, key: process.env.CARILLON_API_KEY });
const { id } = await carillon.send({ target: { users: [user] }, type: "order", title, link });
console.log(`notice ${id}`);
