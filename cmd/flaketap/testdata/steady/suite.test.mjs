// A suite that asserts what it saw when it was run for the first time, literally.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import test from "node:test";

const base = process.env.FLAKETAP_URL;
const file = "seen.json";
const names = ["content-type", "content-length", "etag", "location"];

test("shop", async () => {
  const seen = [];
  const wanted = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  async function send(method, path, body, headers = {}) {
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body), redirect: "manual" });
    const text = await answer.text();
    seen.push([`${method} ${path}`, answer.status, names.map((n) => answer.headers.get(n)), text]);
    if (wanted) assert.deepEqual(seen.at(-1), wanted[seen.length - 1]);
    return { headers: answer.headers, json: () => JSON.parse(text) };
  }
  await send("GET", "/products");
  const product = await send("GET", "/products/1");
  await send("GET", "/products/1", undefined, { "if-none-match": product.headers.get("etag") });
  const guest = { email: "guest@example.com", password: "open sesame", displayName: "G", birthDate: "1990-05-17" };
  const account = await send("POST", "/accounts", guest);
  await send("GET", account.headers.get("location"));
  const login = await send("POST", "/login", { email: "ada@cafe.de", password: "lovelace" });
  const cookie = login.headers.get("set-cookie").split(";")[0];
  await send("GET", "/orders", undefined, { authorization: "Bearer " + login.json().token });
  const cart = await send("GET", "/cart", undefined, { cookie });
  await send("POST", "/cart/items", { product: 3, quantity: 2 }, { cookie, "x-csrf-token": cart.json().csrfToken });
  await Promise.all([1, 2, 3].map((id) => fetch(`${base}/authors/${id}`).then((a) => a.text()))); // side by side
  const found = await send("GET", "/search?q=o");
  await send("GET", "/search?q=o&cursor=" + found.json().cursor);
  const entry = await send("POST", "/guestbook", { author: "G", text: "I was here." });
  await send("GET", "/guestbook/" + entry.json().id);
  for (const path of ["/health", "/health/uptime", "/health/machine", "/debug/crash"]) await send("GET", path);
  if (!wanted) writeFileSync(file, JSON.stringify(seen, null, 1));
});
