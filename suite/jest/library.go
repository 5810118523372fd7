package jest

import (
	"errors"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/superagent"
	"github.com/flaketap/flaketap/suite/js"
)

// library is what a test sends its requests with: libraries differ in how they are called and in how they show answers.
type library uint8

const (
	otherClient library = iota // a client of the file's own, or one that is imported from elsewhere: called like axios
	fetchClient                // fetch, of Node, node-fetch or undici
	axiosClient
	gotClient
	superClient  // superagent, supertest
	undiciClient // undici's request
)

// libraries are the modules that are known, by name.
func libraries() map[string]library {
	return map[string]library{"axios": axiosClient, "got": gotClient, "superagent": superClient, "supertest": superClient,
		"node-fetch": fetchClient, "cross-fetch": fetchClient, "isomorphic-fetch": fetchClient, "undici": undiciClient}
}

// parts are the members of an answer, as a test reads them as often as it likes. The body of fetch is none: it can be
// read once.
func (l library) parts() map[expr.Part]string {
	switch l {
	case fetchClient:
		return map[expr.Part]string{expr.Status: ".status"}
	case undiciClient:
		return map[expr.Part]string{expr.Status: ".statusCode"}
	case gotClient:
		return map[expr.Part]string{expr.Status: ".statusCode", expr.Text: ".body"}
	case superClient:
		return map[expr.Part]string{expr.Status: ".status", expr.JSON: ".body", expr.Text: ".text"}
	}
	return map[expr.Part]string{expr.Status: ".status", expr.JSON: ".data"}
}

// header is how a header of an answer is read.
func (l library) header(key string) string {
	if l == fetchClient {
		return ".headers.get(" + literal.JavaScript(key) + ")"
	}
	return ".headers[" + literal.JavaScript(key) + "]"
}

// follows reports whether requests are sent again to where an answer redirects them, unless a test says otherwise.
func (l library) follows() bool { return l == fetchClient || l == axiosClient || l == gotClient }

// shows is how the library shows an answer.
func (l library) shows() *expr.Client {
	switch l {
	case superClient:
		return superagent.Client()
	case axiosClient, otherClient:
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

// isVerb reports whether a method of a client is named after one of HTTP that suites use.
func isVerb(name string) bool {
	switch name {
	case "get", "head", "post", "put", "patch", "delete", "del", "options":
		return true
	}
	return false
}

// verb is the method of HTTP that a function of a client is named after.
func verb(name string) string {
	if name == "del" {
		return "DELETE"
	}
	return strings.ToUpper(name)
}
