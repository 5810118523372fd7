package listing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A list is an array, or the one array of objects among the members of an object; its elements are known by what tells
// them apart.
func TestOf(t *testing.T) {
	for _, c := range []struct{ target, header, body, want string }{
		{"/users", "", `[{"id":1,"name":"Ada"},{"id":2,"name":"Ada"}]`, "1 2, whole, /body"},
		{"/users", "", `["a","b"]`, "a b, whole, /body"},
		{"/users", "", `[{"name":"Ada","age":3}]`, "Ada, whole, /body"},
		{"/users", "", `[{"name":"zoe","code":"b","login":"c","key":"a"}]`, "a, whole, /body"},
		{"/users", "", `[{"user_id":7,"name":"Ada"}]`, "7, whole, /body"},
		{"/users?page=2", "", `[{"id":1}]`, "1, a part, /body"},
		{"/users", "Link: <x>; rel=next\r\n", `[{"id":1}]`, "1, a part, /body"},
		{"/users", "", `{"total":1,"items":[{"id":1}]}`, "1, a part, /body/items"},
		{"/users", "", `{"items":[]}`, ", a part, /body/items"},
		{"/users", "", `[[1],{}]`, " , whole, /body"},
		{"/users", "", `{"a":[{"id":1}],"b":[{"id":2}]}`, "none"},
		{"/users", "", `{"id":1,"orders":[{"id":2}]}`, "none"},
		{"/users", "", `null`, "none"},
		{"/users", "", ``, "none"},
	} {
		e := asked(c.target, c.header, c.body)
		got := "none"
		if l, ok := Of(e); ok {
			part := map[bool]string{true: "whole", false: "a part"}[l.Whole]
			got = fmt.Sprintf("%s, %s, %s", strings.Join(l.Keys, " "), part, l.Place)
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.target, c.body, got, c.want)
		}
	}
}

// Of a list that is longer than anybody looks, what is seen is a part.
func TestLongest(t *testing.T) {
	body := "[" + strings.Repeat("1,", maxElements) + "1]"
	if l, ok := Of(asked("/numbers", "", body)); !ok || l.Whole || len(l.Keys) != maxElements {
		t.Errorf("%d elements, whole: %t", len(l.Keys), l.Whole)
	}
}

// asked is a GET with its answer.
func asked(target, header, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET %s HTTP/1.1\r\n\r\n", target)}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n" + header + "\r\n"),
			Body: []byte(body), Plain: true}),
	}
}
