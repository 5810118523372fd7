// Made by flaketap from a recording. Each test runs by itself: it creates what it needs.

package apitest

import "testing"

// POST /orders gives 201
// it's "quoted" \ and */ $ended
func TestPostOrdersGives201(t *testing.T) {
	c := begin(t, setUpPostLogin)
	// Clean-up: DELETE /orders/{id}
	c.after(func() request {
		return request{
			method: "DELETE", target: "/orders/" + inPath(c.bound("orderId")),
			headers: []header{
				{"Authorization", "Bearer " + c.bound("token")},
			},
		}
	}, "orderId")

	// POST /orders
	res := c.send(request{
		method: "POST", target: "/orders?by=" + inQuery(c.bound("token")),
		headers: []header{
			{"Authorization", "Bearer " + c.bound("token")},
			{"Content-Type", "application/json"},
			{"X-Odd", "a\tb é"},
		},
		body:    `{"ref": ` + asJSON(c.bound("orderId")) + `, "note": "<` + inJSON(c.bound("etag")) + ">\", \"$x\": \"`${y}` é\\n\"}",
		chunked: true,
	})
	c.take("orderId", res, "/body/id")
	c.take("etag", res, "/header/etag")
	res.status(201)
	res.header("content-type", "application/json")
	res.header("x-twice", "a", "b "+c.secret("ANN_TOKEN"))
	res.cookie("sid")
	// /header/location: State, moved in 9 of 10
	res.equal("/header/location", "http://"+res.host+"/orders/"+c.bound("orderId"))
	// /header/x-end: State, moved in 9 of 10
	res.ends("/header/x-end", "/"+c.bound("orderId"))
	res.json(`{
		"id": "<volatile>",
		"big": 9007199254740993,
		"price": 12.10,
		"a/b~": [
			true,
			null,
			"é"
		],
		"lines": [
			{
				"n": 1,
				"at": "<volatile>"
			}
		],
		"": {}
	}`, masks{"/id", "/lines/*/at"}, absent{"/hint"})
	// /body/id: State, moved in 9 of 10
	res.equal("/body/id", c.bound("orderId"))
	// /body/lines/*/at: Time, moved in 10 of 10
	res.holds("/body/lines/*/at", says{Type: `string`, Format: `rfc3339`, Within: 61, Optional: true})
	// /body/made: Time, moved in 10 of 10; this close to its answer in 17 of 17
	res.holds("/body/made", says{Type: `string`, Format: `rfc3339`, Within: 2})
	// /body/until: Time, moved in 10 of 10; this close to its answer in 17 of 17
	res.holds("/body/until", says{Type: `null|integer`, After: 300, Within: 10})
	// /body/hint: Rand, moved in 3 of 10
	res.holds("/body/hint", says{Type: `null|string`, Pattern: `a\d+\.b"`, Optional: true})
	res.related("sum", "/body/total", "/body/net", "/body/tax")
	// /body/version: in 17 of 17
	res.related("sum", "/body/version", "="+c.bound("orderId"), "=1")
	// /header/etag: in 17 of 17
	res.related("other", "/header/etag", "="+c.bound("etag"))
	// /header/etag: so in 17 of 17
	res.digestOf("/header/etag", "md5", "/body", 0)
	// /body/seal: so in 17 of 17
	res.digestOf("/body/seal", "sha256", "="+c.bound("orderId"), 32)
	// /body/lines: so in 17 of 17
	res.related("unique", "/body/lines", "/body/lines/*/n")
	res.related("ascending", "/body/lines", "/body/lines/*/n")
	// /body/lines: State, follows what was sent before
	res.items("/body/lines", `[{"n":1,"at":"<volatile>"},{"n":2,"at":"<volatile>"}]`, masks{"/*/at"}, nil, among)
	res.some("/body/lines/*/of", c.bound("orderId"))
}
