package mend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
)

// signingUp is a request that names somebody.
func signingUp(path string) exchange.Request {
	const body = `{"email":"ada@example.com"}`
	return exchange.ParseRequest(exchange.Message{Body: []byte(body), Head: fmt.Appendf(nil,
		"POST %s HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, len(body))})
}

// Without trials, what a person can do is said where some execution was accepted and others were refused.
func TestUntried(t *testing.T) {
	for _, c := range []struct {
		seen []int
		want string
	}{
		{[]int{201, 409}, `POST /users was refused in 1 of 2, as if what it names were there already: have it send another "ada@example.com" in each run`},
		{[]int{409, 409}, ""},
		{[]int{201, 404}, ""},
	} {
		w := setup.Wanted{Request: signingUp("/users"), Claims: []exchange.Claim{{Place: exchange.PlaceStatus, Relation: exchange.Equal, Value: "201"}}}
		for _, status := range c.seen {
			w.Seen = append(w.Seen, answer(status, "{}"))
		}
		if got := untried([]setup.Wanted{w}); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: %q", c.seen, got)
		}
	}
}

// A test leans on another where it sends what that one made, and has not made it itself.
func TestLeans(t *testing.T) {
	users, login := signingUp("/users"), signingUp("/login")
	ran := func(test, expected string, r exchange.Request) setup.Ran {
		return setup.Ran{File: "a", Test: test, Expected: expected, Exchange: &exchange.Exchange{Request: r}}
	}
	for _, c := range []struct {
		name string
		ran  []setup.Ran
		want string
	}{
		{"itself", []setup.Ran{ran("own", "201", users), ran("own", "200", login)}, ""},
		{"makes it too", []setup.Ran{ran("own", "201", users), ran("other", "201", users), ran("other", "200", login)}, ""},
		{"logs in", []setup.Ran{ran("own", "201", users), ran("other", "200", login)}, "other"},
		{"expects a refusal", []setup.Ran{ran("own", "201", users), ran("other", "409", users)}, "other"},
	} {
		if got := leans(c.ran, suite.Dependency{File: "a", Test: "own"}, &users, "ada@example.com"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
