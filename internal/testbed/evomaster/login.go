package evomaster

import (
	"encoding/json"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// minToken is the length from which on a text that a login answers is taken for a token.
const minToken = 16

// tokenOf returns the member of a login's answer that is a token, and the token; "" where there is none.
func tokenOf(login *exchange.Exchange) (name, token string) {
	if login.Response == nil {
		return "", ""
	}
	body, err := login.Response.Payload()
	var members map[string]any
	if err != nil || json.Unmarshal(body, &members) != nil {
		return "", ""
	}
	for _, name := range []string{"token", "ticket"} {
		if text, ok := members[name].(string); ok && len(text) >= minToken {
			return name, text
		}
	}
	return "", ""
}

// Missed lists the places that the generator asserts of a recorded answer and that another one contradicts: "status",
// "/name". now is what a text is to be held against, where what it names has another name by then. Each is listed once.
func Missed(recorded, other *exchange.Response, now func(string) string) []string {
	var out []string
	if other == nil {
		return []string{"status"}
	}
	have := claims(other)
	for _, c := range claims(recorded) {
		same := func(x claim) bool {
			if x.kind != c.kind || x.n != c.n || !slices.Equal(x.path, c.path) {
				return false
			}
			return x.raw == c.raw && x.text == c.text || c.text != "" && x.text == now(c.text) ||
				c.text == "" && x.raw == now(c.raw)
		}
		if slices.ContainsFunc(have, same) {
			continue
		}
		at := "status"
		if c.kind != aStatus {
			at = place(c)
		}
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// place names what a claim looks at.
func place(c claim) string {
	raw, _ := json.Marshal(c.path)
	return string(rune('a'+int(c.kind))) + string(raw)
}
