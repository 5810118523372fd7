package library

import (
	"errors"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/superagent"
	"github.com/flaketap/flaketap/suite/js"
)

// Library is what a test sends its requests with: libraries differ in how they are called and in how they show answers.
type Library uint8

// The libraries that are told apart.
const (
	Other Library = iota // a client of the file's own, or one that is imported from elsewhere: called like axios
	Fetch                // fetch, of Node, node-fetch or undici
	Axios
	Got
	SuperAgent // superagent, supertest
	Undici     // undici's request
)

// ByModule are the modules that are known, by name.
func ByModule() map[string]Library {
	return map[string]Library{"axios": Axios, "got": Got, "superagent": SuperAgent, "supertest": SuperAgent,
		"node-fetch": Fetch, "cross-fetch": Fetch, "isomorphic-fetch": Fetch, "undici": Undici}
}

// Parts are the members of an answer, as a test reads them as often as it likes. The body of fetch is none: it can be
// read once.
func (l Library) Parts() map[expr.Part]string {
	switch l {
	case Fetch:
		return map[expr.Part]string{expr.Status: ".status"}
	case Undici:
		return map[expr.Part]string{expr.Status: ".statusCode"}
	case Got:
		return map[expr.Part]string{expr.Status: ".statusCode", expr.Text: ".body"}
	case SuperAgent:
		return map[expr.Part]string{expr.Status: ".status", expr.JSON: ".body", expr.Text: ".text"}
	}
	return map[expr.Part]string{expr.Status: ".status", expr.JSON: ".data"}
}

// Header is how a header of an answer is read.
func (l Library) Header(key string) string {
	if l == Fetch {
		return ".headers.get(" + literal.JavaScript(key) + ")"
	}
	return ".headers[" + literal.JavaScript(key) + "]"
}

// Follows reports whether requests are sent again to where an answer redirects them, unless a test says otherwise.
func (l Library) Follows() bool { return l == Fetch || l == Axios || l == Got }

// Shows is how the library shows an answer.
func (l Library) Shows() *expr.Client {
	switch l {
	case SuperAgent:
		return superagent.Client()
	case Axios, Other:
		return &expr.Client{Text: expr.UTF8, JSON: axiosData}
	}
	return &expr.Client{Text: expr.UTF8, JSON: js.ParseJSON}
}

// axiosData is the data of an answer in axios: the text where that is no JSON.
func axiosData(r *exchange.Response) (any, error) {
	if x, err := js.ParseJSON(r); err == nil || errors.Is(err, expr.ErrUnread) {
		return x, err
	}
	return expr.UTF8(r)
}

// IsVerb reports whether a method of a client is named after one of HTTP that suites use.
func IsVerb(name string) bool {
	switch name {
	case "get", "head", "post", "put", "patch", "delete", "del", "options":
		return true
	}
	return false
}

// Verb is the method of HTTP that a function of a client is named after.
func Verb(name string) string {
	if name == "del" {
		return "DELETE"
	}
	return strings.ToUpper(name)
}
