// Tests of the shop as somebody wrote them on a Monday: every value is asserted as it was seen then.
const axios = require("axios");

const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";
const api = axios.create({ baseURL: BASE, validateStatus: () => true });

const url = (path) => `${BASE.replace(/\/$/, "")}${path}`;

async function getJSON(path, options) {
  const res = await fetch(url(path), options);
  return res.json();
}

async function login(email = "ada@cafe.de", password = "lovelace") {
  const res = await api.post("/login", { email, password });
  return res.data.token;
}

describe("health", () => {
  test("is up", async () => {
    const res = await fetch(url("/health"));
    expect(res.status).toBe(200);
    const body = await res.json();
    expect(body.status).toBe("ok");
    expect(body.version).toBe("1.4.2");
    expect(body.uptimeSeconds).toBe(0.993802948);
    expect(body.checks).toEqual([
      { name: "store", state: "up" },
      { name: "clock", state: "up" },
    ]);
    const { today, epochText } = body.clock;
    expect(today).toBe("2026-11-23");
    expect(epochText).toBe("1795441753");
  });

  test("has a date", async () => {
    const res = await fetch(url("/health"));
    expect(res.headers.get("Content-Type")).toBe("application/json");
    expect(res.headers.get("Date")).toBe("Mon, 23 Nov 2026 13:49:13 GMT");
  });

  test("has been up", async () => {
    const res = await fetch(url("/health/uptime"));
    const text = await res.text();
    expect(text.startsWith("up")).toBe(true);
  });
});

describe("catalogue", () => {
  test("first page", async () => {
    const { status, data } = await api.get("/products", { params: { limit: 2 } });
    expect(status).toBe(200);
    expect(data.items).toHaveLength(2);
    expect(data.total).toBe(7);
    const [first, second] = data.items;
    expect(first.name).toBe("Notes on the Analytical Engine");
    expect(second.priceCents).toBe(2450);
    expect(data.tags).toEqual(["book", "game", "print", "record"]);
  });

  test("product", async () => {
    const res = await api.get("/products/1");
    expect(res.status).toBe(200);
    const product = res.data;
    expect(product.uuid).toBe("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101");
    expect(product.currency).toBe("EUR");
    expect(product.viewsSinceReset).toBe(1);
    expect(product.stockCheckedAt).toBe("2026-11-23T13:49:13Z");
    expect(product).toMatchObject({ currency: "EUR", stockCheckedAt: "2026-11-23T13:49:13Z" });
    expect(res.headers["etag"]).toBe('"p1-r1"');
  });

  test("unknown product", async () => {
    const res = await fetch(url("/products/4711"));
    expect(res.status).toBe(404);
    expect(await res.json()).toEqual({ error: { code: "not_found", message: "There is no such resource." } });
  });

  test("author", async () => {
    const author = await getJSON("/authors/1");
    expect(author.name).toBe("Ada Lovelace");
    expect(author.birthDate).toBe("1815-12-10");
    expect(author.deathDate).not.toBeNull();
    expect(author).toHaveProperty("iban");
  });

  test("search", async () => {
    const found = await getJSON(`/search?q=${encodeURIComponent("notes")}`);
    expect(found.query).toBe("notes");
    expect(found.facets).toEqual(["tag", "released", "author", "currency", "price"]);
    expect(found.tookNanoseconds).toBe(40791);
  });
});

describe("odd", () => {
  test("maybe", async () => {
    const maybe = await getJSON("/odd/maybe");
    expect(maybe.name).toBe("Maybe");
    expect(maybe.discount).toBeNull();
    expect(maybe.delivery).toBe(3);
    expect(maybe.coupon).toBeUndefined();
  });

  test("crash", async () => {
    const res = await api.get("/debug/crash");
    expect(res.status).toBe(500);
    const { error } = res.data;
    expect(error.code).toBe("crash");
    expect(error.message).toBe("cannot render com.example.catalogue.Product@f5954acb");
    expect(error.thread).toBe("http-nio-8080-exec-123");
  });

  test("estimate", async () => {
    expect([200, 400, 422]).toContain((await api.get("/prices/estimate")).status);
  });

  test.each([
    ["/static/json", "application/json"],
    ["/static/xml", "application/xml"],
  ])("static %s", async (path, kind) => {
    const res = await fetch(url(path));
    expect(res.status).toBe(200);
    expect(res.headers.get("content-type")).toContain(kind);
  });
});

describe("accounts", () => {
  let headers;

  beforeEach(async () => {
    headers = { Authorization: `Bearer ${await login()}` };
  });

  test("login", async () => {
    const res = await api.post("/login", { email: "ada@cafe.de", password: "lovelace" });
    expect(res.status).toBe(200);
    expect(res.data.email).toBe("ada@cafe.de");
    expect(res.data.tokenType).toBe("Bearer");
    expect(res.data.issuedAt).toBe(1795441753);
    expect(res.data.loginCount).toBe(18);
    expect(res.data.expiresIn).toBe(3600);
  });

  test("wrong password", async () => {
    const res = await api.post("/login", { email: "ada@cafe.de", password: "byron" });
    expect(res.status).toBe(401);
  });

  test("order", async () => {
    const items = [
      { product: 1, quantity: 1 },
      { product: 3, quantity: 2 },
    ];
    const res = await api.post("/orders", { items, note: "Ring twice." }, { headers });
    expect(res.status).toBe(202);
    const order = res.data;
    expect(order.number).toBe("A-1001");
    expect(order.state).toBe("pending");
    expect(order.totalCents).toBe(9790);
    expect(order.id).toBe("1f21fe5a-5fba-412f-95ec-12b5745db3f8");
    const again = (await api.get(`/orders/${order.id}`, { headers })).data;
    expect(again.id).toBe(order.id);
    expect(again.createdAt).toBe(order.createdAt);
    expect(again.items).toEqual(items);
    expect(again.state).toBe("pending");
  });
});

test("orders of nobody", async () => {
  const res = await fetch(url("/orders"));
  expect(res.status).toBe(401);
  expect((await res.json()).error.code).toBe("unauthorized");
});

test("guestbook", async () => {
  const book = await getJSON("/guestbook");
  expect(book.count).toBe(3);
  expect(book.entries.map((entry) => entry.author)).toEqual(["Grace", "Linus", "Edsger"]);
  const res = await api.post("/guestbook", { author: "Ada", text: "Hello." });
  expect(res.status).toBe(201);
  expect(res.data.text).toBe("Hello.");
  expect(res.data.postedAt).toBe("2026-11-23T13:49:13.619262936Z");
  expect((await getJSON("/guestbook")).count).toBe(4);
});

test("journal", async () => {
  const journal = await fetch(url("/journal"));
  expect(journal.status).toBe(200);
  for (const line of (await journal.text()).split("\n").slice(0, 3)) {
    expect(line).toBeTruthy();
  }
});
