// Made by flaketap from a recording. The tests run in the order in which they stand.

const { find, fromBase64, secret, send } = require("./flaketap/flaketap");

// POST /files gives 204
test("post_files_gives_204", async () => {
  // POST /files
  let res = await send({
    method: "POST",
    target: "/files",
    headers: [["Content-Type", "application/octet-stream"]],
    body: fromBase64("//4ACiI="),
  });
  expect(res.status).toBe(204);
  expect(res.size).toBe(0);

  // POST /files
  res = await send({
    method: "POST",
    target: "/files",
    body: fromBase64(secret("secret:aaaaaaaaaaaa")),
  });
  expect(res.size).toBe(3);
  expect(res.sha256).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );

  // GET /files/{name} is left out: it was not recorded in full.

  // GET /text
  res = await send({ method: "GET", target: "/text" });
  expect(res.status).toBe(200);
  find("orderId", res, "/body/items/0/id");
  expect(res.text).toBe(`it's "plain"\n${secret("secret:0123456789ab")}`);
});
