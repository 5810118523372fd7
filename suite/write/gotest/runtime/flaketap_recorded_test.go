package apitest

// What the tests of this folder need of a recording: generated projects have their own.

const target = "http://127.0.0.1:1"

func (c *client) recorded(name string) string {
	return map[string]string{"orderId": "17", "item": "abcdef"}[name]
}

var formats = map[string]string{"uuid": `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`}

// usual returns the headers that go with each request.
func (c *client) usual() []header {
	return []header{{"X-Usual", "u"}, {"X-Other", "o"}}
}
