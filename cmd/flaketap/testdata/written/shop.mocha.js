"use strict";

const { assert, expect } = require("chai");
const request = require("superagent");

const base = process.env.FLAKETAP_URL || "http://localhost:8080";

/** An answer of the shop, whatever its status. */
const get = (path) => request.get(base + path).ok(() => true);
const post = (path, body) =>
  request
    .post(base + path)
    .ok(() => true)
    .send(body);

describe("the shop", function () {
  this.timeout(10000);

  describe("health", function () {
    it("is up", async function () {
      const res = await get("/health");
      expect(res.status).to.equal(200);
      expect(res.body.status).to.equal("ok");
      expect(res.body.version).to.equal("1.4.2");
      expect(res.body.buildMillis).to.equal(1769663709000);
      expect(res.body.clock.epochSeconds).to.equal(1795515649);
      expect(res.body.checks).to.have.lengthOf(2);
      expect(res.body.checks[0]).to.deep.equal({ name: "store", state: "up" });
    });

    it("has headers", async function () {
      const { headers } = await get("/health");
      expect(headers["content-type"]).to.equal("application/json");
      expect(headers.date).to.equal("Tue, 24 Nov 2026 10:20:49 GMT");
    });

    it("has been up", async function () {
      const { text } = await get("/health/uptime");
      expect(text).to.match(/^up/);
    });
  });

  describe("catalogue", function () {
    it("lists", function () {
      return get("/products?limit=2").then((res) => {
        assert.equal(res.status, 200);
        assert.lengthOf(res.body.items, 2);
        assert.strictEqual(res.body.total, 7);
        assert.deepEqual(res.body.tags, ["book", "game", "print", "record"]);
        assert.equal(
          res.body.items[0].uuid,
          "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101",
        );
      });
    });

    it("shows one", async function () {
      const { body: product, headers } = await get("/products/1");
      expect(product).to.include({ id: 1, currency: "EUR", tag: "book" });
      expect(product.viewsSinceReset).to.equal(1);
      expect(product.stockCheckedAt).to.equal("2026-11-24T10:20:49Z");
      expect(product.links).to.have.property("self");
      expect(headers.etag).to.equal('"p1-r1"');
    });

    it("lacks what is not there", async function () {
      const res = await get("/products/4711");
      expect(res).to.have.property("status", 404);
      expect(res.body.error.code).to.equal("not_found");
    });

    it("searches", async function () {
      const { body } = await get("/search?q=engine");
      expect(body.total).to.equal(1);
      expect(body.hits.map((hit) => hit.id)).to.eql([1]);
      expect(body.facets).to.deep.equal([
        "currency",
        "tag",
        "author",
        "price",
        "released",
      ]);
      expect(body.suggestions).to.be.an("array");
      expect(body.tookNanoseconds).to.equal(29544);
    });

    it("knows its authors", async function () {
      const author = (await get("/authors/1")).body;
      expect(author.name).to.equal("Ada Lovelace");
      expect(author.birthDate).to.equal("1815-12-10");
      expect(author.deathDate).to.not.be.null;
    });

    for (const kind of ["json", "xml"]) {
      it(`serves ${kind}`, async function () {
        const res = await get(`/static/${kind}`);
        expect(res.status).to.equal(200);
      });
    }
  });

  describe("accounts", function () {
    let token;

    before(async function () {
      const res = await post("/login", {
        email: "ada@cafe.de",
        password: "lovelace",
      });
      token = res.body.token;
    });

    it("log in", async function () {
      const res = await post("/login", {
        email: "ada@cafe.de",
        password: "lovelace",
      });
      expect(res.status).to.equal(200);
      expect(res.body.email).to.equal("ada@cafe.de");
      expect(res.body.expiresIn).to.equal(3600);
      expect(res.body.issuedAt).to.equal(1795515649);
      expect(res.body.loginCount).to.equal(18);
    });

    it("are refused", async function () {
      const res = await post("/login", {
        email: "ada@cafe.de",
        password: "byron",
      });
      expect(res.status).to.equal(401);
    });

    it("order", async function () {
      const res = await post("/orders", {
        items: [{ product: 1, quantity: 1 }],
        note: "",
      }).set("Authorization", `Bearer ${token}`);
      expect(res.status).to.equal(202);
      expect(res.body.number).to.equal("A-1001");
      expect(res.body.state).to.equal("pending");
      expect(res.body.id).to.equal("1f21fe5a-5fba-412f-95ec-12b5745db3f8");
      const again = await get(`/orders/${res.body.id}`).set(
        "Authorization",
        `Bearer ${token}`,
      );
      expect(again.body.id).to.equal(res.body.id);
      expect(again.body.createdAt).to.equal(res.body.createdAt);
    });
  });

  it("has a guestbook", async function () {
    const first = await get("/guestbook");
    expect(first.body.count).to.equal(3);
    const res = await post("/guestbook", { author: "Ada", text: "Hello." });
    expect(res.status).to.equal(201);
    expect(res.body.postedAt).to.equal("2026-11-24T10:20:49.100262936Z");
    const last = await get("/guestbook");
    expect(last.body.count).to.be.above(first.body.count);
  });

  it("crashes", async function () {
    const res = await get("/debug/crash");
    expect(res.status).to.equal(500);
    expect(res.body.error).to.have.all.keys("code", "message", "thread");
    expect(res.body.error.message).to.equal(
      "cannot render com.example.catalogue.Product@f5954acb",
    );
  });

  it("estimates", async function () {
    const res = await get("/prices/estimate");
    expect(res.status).to.be.oneOf([200, 400, 422]);
  });
});
