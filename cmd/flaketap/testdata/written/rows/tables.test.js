const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";

describe.each([
  ["window", 4],
  ["door", 2],
])("the table at the %s", (name, seats) => {
  test("is there", async () => {
    const res = await fetch(`${BASE}/tables/${name}`);
    expect(res.status).toBe(200);
    const table = await res.json();
    expect(table.seats).toBe(seats);
    expect(table.name).toBe(name);
  });

  test("has a menu", async () => {
    const res = await fetch(`${BASE}/tables/${name}/menu`);
    expect(res.status).toBe(200);
    expect((await res.json()).soup).toBe("leek");
  });
});

test.each([
  ["/tables/window", 200],
  ["/tables/roof", 404],
])("GET %s", async (path, status) => {
  const res = await fetch(BASE + path);
  expect(res.status).toBe(status);
});
