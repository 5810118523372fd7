package secret

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// sent is an exchange whose request has these fields and this body.
func sent(seq uint64, line, fields, body, status string) exchange.Step {
	return exchange.Step{Exchange: &exchange.Exchange{
		Seq:      seq,
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\n" + fields + "\r\n"), Body: []byte(body)}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 " + status + " X\r\n\r\n")}),
	}}
}

// TestName: a secret is called by whose it is and where it stands, and none of that is a secret itself.
func TestName(t *testing.T) {
	const json = "Content-Type: application/json\r\n"
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, c := range []struct {
		name  string
		steps []exchange.Step
		want  string
	}{
		{"log-in", []exchange.Step{sent(1, "POST /login", json, `{"user":"admin","password":"1"}`, "200")}, "ADMIN_PASSWORD=1"},
		{"nested", []exchange.Step{sent(1, "POST /login", json, `{"auth":{"email":"anna@example.org","passWord":"x"}}`, "200")}, "ANNA_PASS_WORD=x"},
		{"form", []exchange.Step{sent(1, "POST /login", form, "username=bob&password=x", "200")}, "BOB_PASSWORD=x"},
		{"header", []exchange.Step{sent(1, "GET /", "X-Api-Key: k-1\r\n", "", "200")}, "API_KEY=k-1"},
		{"basic", []exchange.Step{sent(1, "GET /", "Authorization: Basic YW5uYTpwdw==\r\n", "", "200")}, "ANNA_AUTHORIZATION=Basic YW5uYTpwdw=="},
		{"cookie and query", []exchange.Step{sent(1, "GET /?api_key=q", "Cookie: sid=c\r\n", "", "200")}, "API_KEY=q SID_COOKIE=c"},
		{"two of a name", []exchange.Step{sent(1, "GET /", "X-Api-Key: a\r\n", "", "200"), sent(2, "GET /", "X-Api-Key: b\r\n", "", "200")},
			"API_KEY=a API_KEY_2=b"},
		{"of two users", []exchange.Step{sent(1, "POST /login", json, `{"user":"a","password":"x"}`, "200"),
			sent(2, "POST /login", json, `{"user":"b","password":"x"}`, "200")}, "PASSWORD=x"},
		{"refused", []exchange.Step{sent(1, "POST /login", json, `{"user":"ann","password":"no"}`, "401")}, "REFUSED_ANN_PASSWORD=no"},
		{"a variable of flaketap's own", []exchange.Step{sent(1, "POST /", json, `{"secrets":"x"}`, "200")}, "SECRETS_2=x"},
		{"a user that is an id", []exchange.Step{sent(1, "POST /login", json, `{"user":"8f14e45f-ceea","password":"x"}`, "200")}, "PASSWORD=x"},
		{"a user that is a secret", []exchange.Step{sent(1, "POST /login", json, `{"user":"k3y-of-ann","password":"k3y-of-ann"}`, "200")},
			"PASSWORD=k3y-of-ann"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var known exchange.Secrets
			for _, s := range c.steps {
				known.Step(s)
			}
			src := suite.Source{Steps: c.steps, Redactor: exchange.Redactor{Key: []byte("k"), Known: known.Known()}}
			if got := named(src); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if again := named(src); again != c.want {
				t.Errorf("again: %s", again)
			}
		})
	}
}

// named lists the names and values of the secrets of all requests.
func named(src suite.Source) string {
	p := plan.Plan{Secrets: map[string]string{}, Tests: []plan.Test{{Name: "t", Steps: []plan.Step{{}}}}}
	headers := &p.Tests[0].Steps[0].Headers
	for _, s := range src.Steps {
		for _, one := range Of(s.Exchange, src.Redactor) {
			token := src.Redactor.Token(one.Value)
			p.Secrets[token] = one.Value
			*headers = append(*headers, plan.Header{Value: plan.Text{{Secret: token}}})
		}
	}
	Name(&p, src, func(*exchange.Exchange) string { return "GET /" })
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.Secrets)) {
		out = append(out, name+"="+p.Secrets[name])
	}
	for _, h := range *headers {
		if p.Secrets[h.Value[0].Secret] == "" || p.About[h.Value[0].Secret] == "" {
			out = append(out, "a text has "+h.Value[0].Secret)
		}
	}
	return strings.Join(out, " ")
}
