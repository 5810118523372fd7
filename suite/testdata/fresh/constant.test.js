const axios = require("axios");

const BASE = "http://localhost:1";
const email = "ada@example.com";

test("sign up", async () => {
  const res = await axios.post(`${BASE}/users`, { email, name: "Ada" });
  expect(res.status).toBe(201);
  expect(res.data.email).toBe(email);
  const found = await axios.get(`${BASE}/users?email=${email}`);
  expect(found.data[0].email).toBe(email);
});
