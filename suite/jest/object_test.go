package jest

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// Classes of the file or of another are clients and page objects: what their methods send and give is followed, with
// what this is.
func TestWrittenClasses(t *testing.T) {
	files := map[string]string{"client.ts": `import axios, { AxiosInstance } from "axios";
export abstract class Base<T extends object = {}> {
  protected http: AxiosInstance;
  static version = "v1";
  static path(name: string): string { return this.version + "/" + name; }
  constructor(protected readonly base: string, private key?: string) {
    this.http = axios.create({ baseURL: base, headers: { "X-Key": key } });
  }
  protected async fetchOne<T>(path: string): Promise<T> { return (await this.http.get(path)).data; }
  get root() { return "/" + Base.path(this.name); }
  abstract get name(): string;
}
export default class Orders extends Base implements Client<Order> {
  #limit = 2;
  private token?: string;
  made = { name: this.base };
  constructor(base: string) {
    super(base, "secret");
  }
  override get name() { return "orders"; }
  async login(name: string) {
    const { data } = await this.http.post("/login", { name });
    this.token = data.token;
    return this;
  }
  list = async (page = 1) => this.http.get(this.root, { params: { page, limit: this.#limit }, headers: { Authorization: ` + "`Bearer ${this.token}`" + ` } });
  one(id: number) { return super.fetchOne(` + "`${this.root}/${id}`" + `); }
}
`}
	text := `import Orders from "./client";
class Page {
  constructor(res) { this.res = res; this.body = res.data; }
  static of(res) { return new Page(res); }
  first() { expect(this.res.status).toBe(200); return this.body.items[0]; }
  total() { return this.body.total; }
}
const orders = new Orders("http://localhost:1/api");
const shop = { base: "/shop", get(path) { return fetch(this.base + path); }, async enter() { this.base = "/in"; } };
const local = () => ({ base: "/shop", get(path) { return fetch(this.base + path); } });

it("is so", async () => {
  await orders.login("ada");
  const page = Page.of(await orders.list(3));
  expect(page.total()).toBe(7);
  expect(page.first().name).toBe("Coffee");
  const one = await orders.one(4);
  expect(one.state).toBe("new");
  expect(orders.made.name).toBe(one.base);
  const before = await shop.get("/a");
  await local().get("/b");
  await shop.enter();
  const after = await shop.get("/a");
  expect(after.status).toBe(200);
});

it("changes", async () => {
  const api = new (class { wants = 200; get(p) { return fetch("/c" + p); } })();
  if (Math.random() > 0.5) api.wants = 404;
  const res = await api.get("/x");
  expect(res.status).toBe(api.wants);
  expect(res.status).toBe(api.never);
});
`
	want := `is so
  POST /api/login {"name":"ada"}
  GET /api/v1/orders?page=3&limit=2
  GET /api/v1/orders/4
  GET /a
  GET /shop/b
  GET /in/a
  15 of 1 equal /body/total 7: expect(page.total()).toBe(7); true
  16 of 1 equal /body/items/0/name "Coffee": expect(page.first().name).toBe("Coffee"); true
  5 not: it stands in a function that tests share
  18 of 2 equal /body/state "new": expect(one.state).toBe("new"); true
  19 of 0   : expect(one.base).toBe("http://localhost:1/api"); true
  24 of 5 equal /status 200: expect(after.status).toBe(200); true
changes
  GET /c/x
  31 not: what is assigned under a condition is not known
  32 not: the member never is not known`
	if got := onecall.Understood(wroteAmong(t, "a.test.js", text, files)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What a class does not say, and what takes no end, is not known.
func TestWrittenClassesAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"class A { constructor() { this.b = new A(); } }":                               "an object is not known",
		"class A extends A { constructor() { super(); this.x = 1; } }":                  "a value that changes is not known",
		"class A extends B { constructor() { super(); } }\nclass B extends A { b = 1 }": "a value that changes is not known",
		"class A { get b() { return this.b; } }":                                        "functions that call each other is not known",
		"class A { b = this; constructor(k) { this[k] = 1; } }":                         "a value that changes is not known",
		"class A { b() { return 1; } }":                                                 "what is called is not known",
		"class A { set b(x) { this.c = x; } }":                                          "the member b is not known",
		"class A { constructor; b() {} }":                                               "what is called is not known",
		"class A { static b = 1; }":                                                     "the member b is not known",
		"function A() { this.b = 1; }":                                                  "what a function returns is not known",
		"class A { constructor() { setTimeout(function () { this.b = 1; }); } }":        "the member b is not known",
		"class A { constructor() { const f = function () { this.b = 1; }; f(); } }":     "the member b is not known",
		"class A extends P { constructor() { super(); } }":                              "an object is not known",
	} {
		s := wrote(t, "a.test.js", text+`
it("is so", async () => { const a = new A("k"); const r = await fetch("/a"); expect(r.status).toBe(a.b); });
`)
		if got := s.Tests[0].Assertions[0].Reason; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
