// PocketBase with posts and comments, as it answered when I tried it.
const axios = require("axios");

const BASE = process.env.FLAKETAP_URL || "http://127.0.0.1:8090";
const http = axios.create({ baseURL: BASE, validateStatus: null });

const users = "/api/collections/users";
const posts = "/api/collections/posts/records";

let token;
let me;

async function logIn() {
  const { data } = await http.post(`${users}/auth-with-password`, {
    identity: "grace@example.com",
    password: "hopper1906",
  });
  token = data.token;
  me = data.record;
  return data;
}

async function write(title, views = 7) {
  const res = await http.post(posts, { title, views, author: me.id }, { headers: { Authorization: token } });
  return res.data;
}

describe("health", () => {
  test("is good", async () => {
    const res = await fetch(`${BASE}/api/health`);
    expect(res.status).toBe(200);
    expect(await res.json()).toEqual({ message: "API is healthy.", code: 200, data: {} });
    expect(res.headers.get("date")).toBe("Sun, 22 Nov 2026 18:40:27 GMT");
  });

  test("of something else is not", async () => {
    const { status, data } = await http.get("/api/nothing");
    expect(status).toBe(404);
    expect(data).toMatchSnapshot();
  });
});

describe("people", () => {
  test("sign up", async () => {
    const { status, data } = await http.post(`${users}/records`, {
      name: "Grace",
      email: "grace@example.com",
      password: "hopper1906",
      passwordConfirm: "hopper1906",
    });
    expect(status).toBe(200);
    expect(data.id).toBe("h4j7q2c9kd0w1zs");
    expect(data.created).toBe("2026-11-22 18:40:27.903Z");
    expect(data).toMatchObject({ name: "Grace", verified: false, emailVisibility: false });
  });

  test("sign up in a snapshot", async () => {
    const { data } = await http.post(`${users}/records`, {
      name: "Joan",
      email: "joan@example.com",
      password: "clarke1917",
      passwordConfirm: "clarke1917",
    });
    expect(data).toMatchSnapshot();
  });

  test("need the same password twice", async () => {
    const { status, data } = await http.post(`${users}/records`, {
      email: "ida@example.com",
      password: "rhodes1900",
      passwordConfirm: "rhodes1901",
    });
    expect(status).toBe(400);
    expect(data.data.passwordConfirm.code).toBe("validation_values_mismatch");
    expect(data.message).toBe("Failed to create record.");
  });

  test("log in", async () => {
    const { token, record } = await logIn();
    expect(token).toMatch(/^eyJ/);
    expect(record.email).toBe("grace@example.com");
    expect(record.id).toBe("h4j7q2c9kd0w1zs");
    expect(record.updated).toEqual("2026-11-22 18:40:27.903Z");
  });

  test("are listed", async () => {
    const { data } = await http.get(`${users}/records?sort=name`);
    expect(data.totalItems).toBe(2);
    expect(data.items.map((u) => u.name)).toEqual(["Grace", "Joan"]);
    expect(data.items.map((u) => u.id)).toEqual(["h4j7q2c9kd0w1zs", "5t1m8x0pn3c6yva"]);
  });
});

describe("posts", () => {
  beforeEach(logIn);

  it("are written", async () => {
    const post = await write("On compilers");
    expect(post.id).toBe("2w9k4s7d1f6g8hj");
    expect(post.title).toBe("On compilers");
    expect(post.views).toBe(7);
    expect(post.author).toBe(me.id);
    expect(post.created).toBe("2026-11-22 18:40:28.551Z");
  });

  it("are written in a snapshot", async () => {
    const post = await write("On nanoseconds");
    expect(post).toMatchSnapshot();
  });

  it("are read", async () => {
    const post = await write("On bugs");
    const { status, data } = await http.get(`${posts}/${post.id}`);
    expect(status).toBe(200);
    expect(data).toEqual(post);
    expect(data.collectionName).toBe("posts");
  });

  it("are read with the author", async () => {
    const { id } = await write("On moths");
    const res = await fetch(`${BASE}${posts}/${id}?expand=author`);
    const body = await res.json();
    expect(body.expand.author.name).toBe("Grace");
    expect(body.expand.author.id).toBe("h4j7q2c9kd0w1zs");
  });

  it("need a title", async () => {
    const res = await http.post(posts, { title: "", author: me.id }, { headers: { Authorization: token } });
    expect(res.status).toBe(400);
    expect(res.data.data).toEqual({ title: { code: "validation_required", message: "Cannot be blank." } });
  });

  it("are not written by nobody", async () => {
    const res = await http.post(posts, { title: "On nothing", author: me.id });
    expect(res.status).toBe(400);
  });

  it("are changed", async () => {
    const { id } = await write("On clocks");
    const res = await http.patch(`${posts}/${id}`, { "views+": 2 }, { headers: { Authorization: token } });
    expect(res.status).toBe(200);
    expect(res.data.views).toBe(9);
    expect(res.data.id).toBe("v0b3n6m9q2w5e8r");
    expect(res.data.updated).toBe("2026-11-22 18:40:29.914Z");
  });

  it("are listed in pages", async () => {
    const { data: page } = await http.get(posts, { params: { perPage: 2, sort: "title" } });
    expect(page.page).toBe(1);
    expect(page.totalItems).toBe(5);
    expect(page.items).toHaveLength(2);
    expect(page.items[0].title).toBe("On bugs");
    expect(page.items[1].id).toBe("v0b3n6m9q2w5e8r");
  });

  it("are deleted", async () => {
    const { id } = await write("On leaving");
    const gone = await http.delete(`${posts}/${id}`, { headers: { Authorization: token } });
    expect(gone.status).toBe(204);
    expect((await http.get(`${posts}/${id}`)).status).toBe(404);
  });
});
