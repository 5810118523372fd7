const axios = require("axios");
const request = require("supertest");

const BASE = process.env.API_URL || "http://localhost:8080";
const api = axios.create({ baseURL: `${BASE}/v1`, validateStatus: () => true });

const url = (path) => `${BASE}${path}`;

async function getJSON(path, options = {}) {
  const res = await fetch(url(path), options);
  expect(res.status).toBe(200);
  return res.json();
}

function login(email = "ada@cafe.de") {
  return api.post("/login", { email, password: "lovelace" }).then((res) => res.data.token);
}

describe("shop", () => {
  let token;

  beforeAll(async () => {
    token = await login();
  });

  it("lists", async () => {
    const res = await fetch(url("/products?limit=2"));
    expect(res.status).toBe(200);
    expect(res.headers.get("X-Request-Id")).toEqual("abc");
    const { products, total } = await res.json();
    expect(products).toHaveLength(2);
    const [first] = products;
    expect(first.name).toBe("Coffee");
    expect(total).toBe(7);
  });

  it("shows one", async () => {
    const product = await getJSON("/products/1");
    expect(product).toEqual({ id: 1, name: "Coffee", stock: expect.any(Number) });
    expect(product.tags).toContain("hot");
    for (const tag of product.tags) expect(tag).toBeTruthy();
  });

  test("orders", async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const { status, data: order } = await api.post("/orders", { items: [{ product: 1 }] }, { headers });
    expect(status).toBe(202);
    const got = await api.get(`/orders/${order.id}`, { headers, params: { full: true } });
    expect(got.data.id).toBe(order.id);
    expect(got.data).toMatchObject({ state: "pending", total: 12 });
    expect((await api.get("/health")).status).toBe(200);
  });

  it("greets", () =>
    request(BASE)
      .get("/hello")
      .set("Accept", "text/plain")
      .expect(200)
      .expect("Content-Type", /json/)
      .expect({ hello: "world" }));

  it.each([1, 2])("numbers %i", async (id) => {
    const res = await fetch(url(`/products/${id}`));
    expect(res.status).toBe(200);
    expect((await res.json()).id).toBe(id);
  });
});
