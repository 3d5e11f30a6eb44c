export { Carillon, CarillonError } from "./client.js";
export { InvalidReceipt, InvalidWebhook, userToken, verifyReceipt, verifyWebhook } from "./signing.js";
