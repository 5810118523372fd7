// Where the recording was made, the values that its answers gave, and what tests share.

package apitest

// target is the API that was recorded; FLAKETAP_URL names another.
const target = "http://127.0.0.1:8080"

// usual returns the headers that go with each request.
func (c *client) usual() []header {
	return nil
}

// recorded returns a recorded value, which is used until an answer gives another.
func (c *client) recorded(name string) string {
	switch name {
	case "token": // POST /login /body/token
		return c.secret("ANN_TOKEN")
	case "orderId": // POST /orders /body/id
		return "17"
	case "etag": // POST /orders /header/etag
		return `"v1"`
	}
	return ""
}

// formats are the regular expressions of notations, by name.
var formats = map[string]string{
	"base64":    `[A-Za-z0-9+/_-]+={0,2}`,
	"base64url": `[A-Za-z0-9_-]+`,
	"bcrypt":    `\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}`,
	"date":      `\d{4}-\d\d-\d\d`,
	"datetime":  `\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?`,
	"digits":    `[0-9]+`,
	"duration":  `P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?`,
	"email":     `[^@\s]+@[^@\s]+\.[^@\s.]+`,
	"hex":       `[0-9a-fA-F]+`,
	"ipv4":      `\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`,
	"ipv6":      `[0-9A-Fa-f:]{2,39}(:\d{1,3}(\.\d{1,3}){3})?`,
	"jwt":       `[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`,
	"mac":       `[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}`,
	"rfc1123":   `[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})`,
	"rfc3339":   `\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`,
	"semver":    `(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?`,
	"time":      `\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?`,
	"ulid":      `[0-7][0-9A-HJKMNP-TV-Z]{25}`,
	"uri":       `[a-zA-Z][a-zA-Z0-9+.-]*://\S+`,
	"uuid":      `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
	"uuid1":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
	"uuid3":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
	"uuid4":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
	"uuid5":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
	"uuid6":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
	"uuid7":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
}

// setUpPostLogin is POST /login, sent once for all tests.
var setUpPostLogin = once{"setUpPostLogin", func(c *client) {
	// Set-up: POST /login
	res := c.send(request{
		method: "POST", target: "/login",
		headers: []header{
			{"Content-Type", "application/json"},
		},
		body: `{"password":"` + inJSON(c.secret("ANN_PASSWORD")) + `"}`,
	})
	c.take("token", res, "/body/token")
	res.status(200)
}}
