// Tests of the shop with several values, and with assertions that they share.
const axios = require("axios");

const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";
const api = axios.create({ baseURL: BASE, validateStatus: () => true });

function expectError(res, status, code) {
  expect(res.status).toBe(status);
  expect(res.data.error.code).toBe(code);
}

function expectHealth(health, status, epoch) {
  expect(health.status).toBe(status);
  expect(health.clock.epochText).toBe(epoch);
  expect(health.checks[0].name).toBe("store");
}

it.each([
  [1, "Notes on the Analytical Engine", "2026-11-23T13:49:13Z", 1800],
  [2, "A Field Guide to Clocks", "2026-11-23T13:49:14Z", 2450],
  [3, "Go: the Board", "2026-11-23T13:49:15Z", 3995],
])("product %i", async (id, name, checked, cents) => {
  const res = await api.get(`/products/${id}`);
  expect(res.status).toBe(200);
  expect(res.data.name).toBe(name);
  expect(res.data.stockCheckedAt).toBe(checked);
  expect(res.data.priceCents).toBe(cents);
});

it.each`
  path           | name              | born
  ${"authors/1"} | ${"Ada Lovelace"} | ${"1815-12-10"}
  ${"authors/2"} | ${"Bob Facade"}   | ${"1972-01-01"}
`("author $path", async ({ path, name, born }) => {
  const { data: author } = await api.get(path);
  expect(author.name).toBe(name);
  expect(author.birthDate).toBe(born);
  expect(author.objectName).toContain("@");
});

describe.each([
  { id: 1, currency: "EUR", tag: "book" },
  { id: 2, currency: "EUR", tag: "book" },
])("product $id", ({ id, currency, tag }) => {
  it("is what it is", async () => {
    const { data: product } = await api.get(`/products/${id}`);
    expect(product.currency).toBe(currency);
    expect(product.tag).toBe(tag);
    expect(product.stockCheckedAt).toBe("2026-11-23T13:49:13Z");
  });

  it("has an estimate", async () => {
    const { data: estimate } = await api.get("/prices/estimate", {
      params: { product: id },
    });
    expect(estimate.currency).toBe(currency);
    expect(estimate.jitter).toBe(1313);
  });

  it.each(["/products/4711", "/authors/99"])("is not %s", async (path) => {
    const res = await api.get(path);
    expectError(res, 404, "not_found");
  });
});

describe("health", () => {
  it("is asked twice", async () => {
    for (const asked of ["first", "second"]) {
      const { data } = await api.get(`/health?asked=${asked}`);
      expect(data.status).toBe("ok");
      expect(data.uptimeSeconds).toBe(0.993802948);
    }
  });

  it("is up", async () => {
    const { data } = await api.get("/health");
    expectHealth(data, "ok", "1795441753");
  });

  it("says for how long", async () => {
    const { data } = await api.get("/health/uptime");
    expect(data).toContain("up ");
    expect(data).toContain("up 0.9938");
  });

  it("shows orders to nobody", async () => {
    const res = await api.get("/orders");
    expectError(res, 401, "unauthorized");
  });
});
