// Made by flaketap from a recording. Each test runs by itself: it creates what it needs.

package apitest

import "testing"

// POST /files gives 204
func TestPostFilesGives204(t *testing.T) {
	c := begin(t)
	// Clean-up: DELETE /orders/{id}
	c.after(func() request {
		return request{
			method: "DELETE", target: "/orders/" + inPath(c.bound("orderId")),
		}
	}, "orderId")

	// POST /files
	res := c.send(request{
		method: "POST", target: "/files",
		headers: []header{
			{"Content-Type", "application/octet-stream"},
		},
		body: "\xff\xfe\x00\n\"",
	})
	res.status(204)
	res.empty()

	// POST /files
	res = c.send(request{
		method: "POST", target: "/files",
		body: fromBase64(c.secret("POST_FILES_BODY")),
	})
	res.digest(3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

	// GET /files/{name} is left out: it was not recorded in full.

	// GET /text
	res = c.send(request{
		method: "GET", target: "/text",
	})
	c.find("orderId", res, "/body/items/0/id")
	res.status(200)
	res.text("it's \"plain\"\n" + c.secret("ANN_TOKEN"))

	// DELETE /orders/{id}
	res = c.send(request{
		method: "DELETE", target: "/orders/" + inPath(c.bound("orderId")),
	})
	c.gone("orderId", res)
	res.status(204)
}
