package analysis

import (
	"bytes"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// The bounds on the descriptions of an API that a client fetched while it was recorded: how many are read, and how much
// of an answer is looked at to tell whether it is one, in bytes.
const (
	maxDescriptions = 8
	maxLook         = 64 << 10
)

// descriptions gathers the path templates that the descriptions of the API in a recording name. The zero value gathers
// none.
type descriptions struct {
	read      func(body []byte) []string // see [Options].ReadTemplates
	tried     int
	templates []string
}

// look takes in an exchange of the recording.
func (d *descriptions) look(e *exchange.Exchange) {
	r := e.Response
	if d.read == nil || d.tried >= maxDescriptions || e.Request.Method != "GET" || r == nil || r.Status != 200 ||
		!mayDescribe(r) {
		return
	}
	body, err := r.Payload()
	if err != nil || !namesVersion(body[:min(len(body), maxLook)]) {
		return
	}
	d.tried++
	d.templates = append(d.templates, d.read(body)...)
}

// mayDescribe reports whether the media type of an answer is one that descriptions have.
func mayDescribe(r *exchange.Response) bool {
	kind := strings.ToLower(r.Header.Get("Content-Type"))
	return strings.Contains(kind, "json") || strings.Contains(kind, "yaml") || strings.Contains(kind, "openapi")
}

// namesVersion reports whether a text names the version of OpenAPI or Swagger that it is written in.
func namesVersion(text []byte) bool {
	for _, key := range []string{`"openapi"`, `"swagger"`, "openapi:", "swagger:"} {
		if bytes.Contains(text, []byte(key)) {
			return true
		}
	}
	return false
}

// rules are the user's rules, with the templates that were gathered, if any.
func (d *descriptions) rules(rules flow.Rules) flow.Rules {
	if len(d.templates) > 0 {
		rules.Paths = flow.NewPaths(d.templates)
	}
	return rules
}
