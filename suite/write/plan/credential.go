package plan

import "github.com/flaketap/flaketap/exchange"

// Credential is a credential that the client had before the recording: no request of the suite can get another, so
// whoever runs it gives one, in an environment variable ([Variable]), where the recorded one is no longer valid.
type Credential struct {
	Name     string         // of the value in [Plan.Secrets]: "API_KEY"
	Place    exchange.Place // where requests bear it: /header/authorization, /cookie/sid, /query/api_key
	Requests int            // how many recorded requests bear it
	First    string         // the first of them, for people: "GET /orders/{id}"
}

// Variable is the name of the environment variable that goes before the stored value of a secret:
// "FLAKETAP_API_KEY" for "API_KEY". Others than flaketap's own have it for something else.
func Variable(name string) string { return "FLAKETAP_" + name }

// Where says in words where requests bear a credential: "the header authorization".
func (c Credential) Where() string {
	words := map[string]string{"header": "the header ", "cookie": "the cookie ", "query": "the parameter "}
	segments := c.Place.Segments()
	name := ""
	for _, s := range segments[1:] {
		name += s
	}
	return words[segments[0]] + name
}
