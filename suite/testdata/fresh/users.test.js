const BASE = "http://localhost:1";

test("signs up", async () => {
  const res = await fetch(`${BASE}/users`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", name: "Ada" }),
  });
  expect(res.status).toBe(201);
  const body = await res.json();
  expect(body.email).toBe("ada@example.com");
  const found = await fetch(`${BASE}/users?email=ada@example.com`);
  const list = await found.json();
  expect(list[0].email).toBe("ada@example.com");
});
