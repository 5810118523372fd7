"use strict";

const { expect } = require("chai");
const request = require("superagent");

const base = process.env.FLAKETAP_URL || "http://localhost:8080";

/** An answer of the shop, whatever its status. */
const get = (path) => request.get(base + path).ok(() => true);

function expectError(res, status, code) {
  expect(res.status).to.equal(status);
  expect(res.body.error.code).to.equal(code);
}

describe("products", function () {
  const products = [
    { id: 1, name: "Notes on the Analytical Engine", cents: 1800 },
    { id: 2, name: "A Field Guide to Clocks", cents: 2450 },
    { id: 3, name: "Go: the Board", cents: 3995 },
  ];

  for (const { id, name, cents } of products) {
    it(`has ${name}`, async function () {
      const { body: product } = await get(`/products/${id}`);
      expect(product.name).to.equal(name);
      expect(product.priceCents).to.equal(cents);
      expect(product.stockCheckedAt).to.equal("2026-11-24T10:20:49Z");
    });

    it(`estimates ${name}`, async function () {
      const res = await get(`/prices/estimate?product=${id}`);
      expect(res.status).to.equal(200);
      expect(res.body.currency).to.equal("EUR");
      expect(res.body.jitter).to.equal(1313);
    });
  }

  ["/products/4711", "/authors/99"].forEach((path) => {
    it(`lacks ${path}`, async function () {
      const res = await get(path);
      expectError(res, 404, "not_found");
    });
  });
});

describe("authors", function () {
  [
    ["/authors/1", "Ada Lovelace", "1815-12-10"],
    ["/authors/2", "Bob Facade", "1972-01-01"],
  ].forEach(([path, name, born]) => {
    describe(name, function () {
      it("was born", async function () {
        const { body } = await get(path);
        expect(body.name).to.equal(name);
        expect(body.birthDate).to.equal(born);
      });

      it("is served", async function () {
        const { headers } = await get(path);
        expect(headers["content-type"]).to.equal("application/json");
        expect(headers.date).to.equal("Tue, 24 Nov 2026 10:20:49 GMT");
      });
    });
  });
});

describe("health", function () {
  it("is asked twice", async function () {
    for (const asked of ["first", "second"]) {
      const { body } = await get(`/health?asked=${asked}`);
      expect(body.status).to.equal("ok");
      expect(body.clock.epochSeconds).to.equal(1795515649);
    }
  });

  it("has been up", async function () {
    const { text } = await get("/health/uptime");
    expect(text).to.include("up ");
  });

  it("shows orders to nobody", async function () {
    expectError(await get("/orders"), 401, "unauthorized");
  });
});
