import { beforeAll, describe, expect, it, test } from "vitest";
import got, { type Got } from "got";

interface Order {
  id: string;
  number: string;
  state: string;
  totalCents: number;
  createdAt: string;
}

const base: string = process.env.FLAKETAP_URL ?? "http://localhost:8080";
const shop: Got = got.extend({
  prefixUrl: base,
  throwHttpErrors: false,
  responseType: "json",
});

async function token(): Promise<string> {
  const { body } = await shop.post<{ token: string }>("login", {
    json: { email: "ada@cafe.de", password: "lovelace" },
  });
  return body.token;
}

describe("health", () => {
  it("says how it is", async () => {
    const { statusCode, body } = await shop.get<any>("health");
    expect(statusCode).toBe(200);
    expect(body.status).toBe("ok");
    expect(body.commit).toBe("44575cf5b28512d75644bf54a517dcef304ff809");
    expect(body.uptimeSeconds).toBe(1.029757039);
    expect(body.clock.compact).toBe("20261124102049");
    expect(body.sentence).toBe("Serving since 2026-11-24, for 1.03s now.");
  });

  it("tells the time in its headers", async () => {
    const { headers } = await shop("health");
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["x-served-at"]).toBe("Tue, 24 Nov 2026 10:20:49 GMT");
  });
});

describe("catalogue", () => {
  it("has pages", async () => {
    const page = await shop
      .get("products", { searchParams: { limit: 3, offset: 2 } })
      .json<any>();
    expect(page.items.map((item: { id: number }) => item.id)).toEqual([
      3, 4, 5,
    ]);
    expect(page.total).toBe(7);
    expect(page.offset).toEqual(2);
    expect(page.tags).toStrictEqual(["book", "game", "print", "record"]);
  });

  it("has a product", async () => {
    const product = await shop.get("products/1").json<any>();
    expect(product).toMatchObject({ id: 1, currency: "EUR", tag: "book" });
    expect(product.articleNumber).toBe(4006381333931);
    expect(product.viewsSinceReset).toBe(1);
    expect(product.stockCheckedAt).toBe("2026-11-24T10:20:49Z");
    expect(product.checksum).toHaveLength(64);
  });

  it.each([2, 3])("has product %i", async (id) => {
    const product = await shop.get(`products/${id}`).json<any>();
    expect(product.id).toBe(id);
    expect(product.currency).toBe("EUR");
  });

  it("lacks product 4711", async () => {
    const answer = await shop.get<any>("products/4711");
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toEqual({
      error: { code: "not_found", message: "There is no such resource." },
    });
  });

  it("finds", async () => {
    const { body: found } = await shop.get<any>("search?q=engine");
    expect(found.total).toBe(1);
    expect(found.hits[0].name).toBe("Notes on the Analytical Engine");
    expect(found.facets).toEqual([
      "currency",
      "tag",
      "author",
      "price",
      "released",
    ]);
    expect(found.tookNanoseconds).toBe(29544);
    expect(found.cursor).toBeNull();
  });

  it("is drawn", async () => {
    const { body } = await shop.get<any>("authors/1");
    expect({ name: body.name, born: body.birthDate }).toMatchInlineSnapshot(`
      {
        "born": "1815-12-10",
        "name": "Ada Lovelace",
      }
    `);
  });
});

describe("with an account", () => {
  let mine: Got;

  beforeAll(async () => {
    mine = shop.extend({
      headers: { authorization: `Bearer ${await token()}` },
    });
  });

  it("logs in", async () => {
    const { statusCode, body } = await shop.post<any>("login", {
      json: { email: "ada@cafe.de", password: "lovelace" },
    });
    expect(statusCode).toBe(200);
    expect(body).toHaveProperty("tokenType", "Bearer");
    expect(body.issuedAt).toBe(1795515649);
    expect(body.token).toBe("tk_9f3c1a");
  });

  it("refuses", async () => {
    const { statusCode } = await shop.post("login", {
      json: { email: "ada@cafe.de", password: "byron" },
    });
    expect(statusCode).toBe(401);
  });

  it("orders", async () => {
    const answer = await mine.post<Order>("orders", {
      json: { items: [{ product: 2, quantity: 1 }], note: "" },
    });
    expect(answer.statusCode).toBe(202);
    const { id, number, state, totalCents } = answer.body;
    expect(id).toBe("1f21fe5a-5fba-412f-95ec-12b5745db3f8");
    expect(number).toBe("A-1001");
    expect(state).toBe("pending");
    expect(totalCents).toBeGreaterThan(0);
    const again = await mine.get(`orders/${id}`).json<Order>();
    expect(again.createdAt).toBe(answer.body.createdAt);
    expect(again.id).toBe(id);
  });

  it("lists orders", async () => {
    const { statusCode } = await mine.get("orders");
    expect(statusCode).toBe(200);
  });
});

describe("guestbook", () => {
  it("counts", async () => {
    const before = await shop.get("guestbook").json<any>();
    expect(before.count).toBe(3);
    const { statusCode, body } = await shop.post<any>("guestbook", {
      json: { author: "Ada", text: "Hello." },
    });
    expect(statusCode).toBe(201);
    expect(body.author).toBe("Ada");
    expect(body.postedAt).toBe("2026-11-24T10:20:49.100262936Z");
    const after = await shop.get("guestbook").json<any>();
    expect(after.count).toBe(4);
  });
});

describe("oddities", () => {
  it("may be", async () => {
    const maybe = await shop.get("odd/maybe").json<any>();
    expect(maybe.name).toBe("Maybe");
    expect(maybe.delivery).toBe(3);
    expect(maybe.coupon).toBeUndefined();
  });

  test("crashes", async () => {
    const { statusCode, body } = await shop.get<any>("debug/crash");
    expect(statusCode).toBe(500);
    expect(body.error.code).toBe("crash");
    expect(body.error.message).toBe(
      "cannot render com.example.catalogue.Product@f5954acb",
    );
  });

  test("estimates", async () => {
    const { statusCode } = await shop.get("prices/estimate");
    expect([200, 400, 422]).toContain(statusCode);
  });
});
