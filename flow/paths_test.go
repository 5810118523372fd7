package flow

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestPaths(t *testing.T) {
	p := NewPaths([]string{"/orders/{orderId}", "/orders/latest", "/files/{name}", "/files/{name}.json", "/a b/{x}/", "no slash", "/{any}/{thing}/{more}", "/v1/{t}/x"})
	for target, want := range map[string]string{
		"/orders/17":         "/orders/{orderId}",
		"/orders/17?x=1":     "/orders/{orderId}",
		"/orders/latest":     "/orders/latest",
		"/orders/":           "", // a parameter is not empty
		"/orders":            "",
		"/files/a":           "/files/{name}",
		"/files/a.json":      "/files/{name}.json",
		"/files/.json":       "/files/{name}", // nothing is left for the name
		"/a%20b/1/":          "/a b/{x}/",
		"/v1/2/x":            "/v1/{t}/x",
		"/v1/2/y":            "/{any}/{thing}/{more}",
		"/x/%zz/y":           "/{any}/{thing}/{more}",
		"*":                  "",
		"http://h/orders/17": "/orders/{orderId}",
	} {
		got, ok := p.Template(&exchange.Request{Method: "GET", Target: target})
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if _, ok := (*Paths)(nil).Template(&exchange.Request{Method: "GET", Target: "/orders/17"}); ok {
		t.Error("no paths match nothing")
	}
}

// TestRulesOperations: what is written down counts, what is not is inferred.
func TestRulesOperations(t *testing.T) {
	var all []*exchange.Exchange
	for i, target := range []string{"/pets/rex", "/pets/tom", "/pets/ada", "/owners/1", "/owners/2"} {
		all = append(all, &exchange.Exchange{Seq: uint64(i + 1), Request: exchange.Request{Method: "GET", Target: target}, Response: &exchange.Response{Status: 200}})
	}
	got := Rules{Paths: NewPaths([]string{"/pets/{petName}"})}.Operations(all, nil)
	for seq, want := range map[uint64]string{1: "/pets/{petName}", 3: "/pets/{petName}", 4: "/owners/{id}"} {
		if got[seq].Template != want {
			t.Errorf("%d: %q, want %q", seq, got[seq].Template, want)
		}
	}
}
