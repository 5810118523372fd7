const { checkQuote } = require("./helper");

const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";

async function get(path) {
  const res = await fetch(BASE + path);
  return { status: res.status, body: await res.json() };
}

expect.extend({
  toBeQuote(quote, id) {
    return { pass: quote.quoteId === id, message: () => `${quote.quoteId} is not the quote ${id}` };
  },
});

function checkPrice(body) {
  expect(body.currency).toBe("EUR");
  expect(body.jitter).toBe(1313);
}

test("estimate", async () => {
  const { status, body } = await get("/prices/estimate?product=1");
  expect(status).toBe(200);
  expect(body.total).toBe(1813);
  [body].forEach(checkPrice);
});

test("product", async () => {
  const { body } = await get("/products/1");
  const want = { currency: "EUR", stockCheckedAt: "2026-01-01T00:00:00Z", tag: "book" };
  for (const key of Object.keys(want)) {
    expect(body[key]).toBe(want[key]);
  }
});

test("health", async () => {
  const { body } = await get("/health");
  if (body.version) {
    expect(body.version).toBe("1.4.2");
    expect(body.clock.epochSeconds).toBe(1767225600);
  }
});

test("quote", async () => {
  const { body } = await get("/prices/estimate?product=6");
  expect(body).toBeQuote("fd8ab8e83859a82e78c8acef");
  checkQuote(body);
});
