// Tests that lean on each other: each reads what one before it has made.
const axios = require("axios");

const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";
const api = axios.create({ baseURL: BASE, validateStatus: () => true });

let shared;

describe("products", () => {
  test("creates", async () => {
    const res = await fetch(`${BASE}/products`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Pen", tag: "book", priceCents: 120 }),
    });
    expect(res.status).toBe(201);
    shared = (await res.json()).id;
  });

  test("reads", async () => {
    // by its number
    const res = await fetch(`${BASE}/products/8`);
    expect(res.status).toBe(200);
    const product = await res.json();
    expect(product.id).toBe(8);
    expect(product.name).toBe("Pen");

    const text = `several
  lines`;
    expect(text).toContain("lines");
  });

  test("reads by axios", async () => {
    const res = await api.get("/products/8");
    expect(res.status).toBe(200);
    expect(res.data.priceCents).toBe(120);
  });

  test("reviews", async () => {
    const res = await api.post("/products/8/reviews", {
      author: "Ada",
      stars: 5,
      text: "Writes well.",
    });
    expect(res.status).toBe(201);
  });

  test("is reviewed", async () => {
    const res = await fetch(BASE + "/products/8/reviews");
    expect(res.status).toBe(200);
    const { averageStars } = await res.json();
    expect(averageStars).toBe(5);
  });

  test("is shared", async () => {
    const res = await fetch(`${BASE}/products/${shared}`);
    expect(res.status).toBe(200);
  });

  test("deletes", async () => {
    const res = await api.delete("/products/8");
    expect(res.status).toBe(204);
  });
});
