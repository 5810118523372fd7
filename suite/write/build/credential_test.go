package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// known is a recording of requests with these header fields and statuses; a response may give what a later one bears.
func known(bindings []exchange.Binding, calls ...[3]string) suite.Source {
	src := suite.Source{Redactor: exchange.Redactor{Key: []byte("k")}, Bindings: bindings, Operations: map[uint64]exchange.Operation{}}
	for i, c := range calls {
		seq := uint64(i + 1)
		e := request(seq, "api:80", "GET", c[0], c[1], "")
		e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %s X\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\n", c[2]), Body: []byte("x")})
		path, _ := exchange.SplitTarget(c[0])
		src.Steps = append(src.Steps, exchange.Step{Exchange: e})
		src.Operations[seq] = exchange.Operation{Method: "GET", Template: path}
	}
	return src
}

// variables are what whoever runs the suite may give: the name and the value of each, and how many requests bear it.
func variables(t *testing.T, src suite.Source, o Options) string {
	t.Helper()
	p, err := Plan(src, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range p.Credentials {
		out = append(out, fmt.Sprintf("%s=%s (%d)", c.Name, p.Secrets[c.Name], c.Requests))
	}
	return strings.Join(out, ", ")
}

// TestCredentials: a credential that the client had before the recording has a name, so that another can be given. What
// an answer gave has none, nor has what was refused in the recording, nor what is drawn for each request.
func TestCredentials(t *testing.T) {
	const bearer = "Authorization: Bearer abcdef0\r\n"
	drawn := [][3]string{}
	for i := range maxOfPlace + 1 {
		drawn = append(drawn, [3]string{fmt.Sprintf("/%c", 'a'+i), fmt.Sprintf("X-Token: drawn-%d-0001\r\n", i), "200"})
	}
	bound := []exchange.Binding{{Name: "token", Value: "abcdef0", Producer: exchange.Ref{Seq: 1, Place: "/body/token"}, Uses: []exchange.Ref{{Seq: 2, Place: "/header/authorization"}}}}
	for _, tt := range []struct {
		name string
		src  suite.Source
		want string
	}{
		{"a header, a cookie, a parameter", known(nil, [3]string{"/a?api_key=0123456", bearer + "Cookie: sid=9876543; theme=dark\r\n", "200"}, [3]string{"/b", bearer, "204"}),
			"API_KEY=0123456 (1), AUTHORIZATION=Bearer abcdef0 (2), SID_COOKIE=9876543 (1)"},
		{"two clients", known(nil, [3]string{"/a", bearer, "200"}, [3]string{"/b", "Authorization: Bearer another1\r\n", "200"}),
			"AUTHORIZATION=Bearer abcdef0 (1), AUTHORIZATION_2=Bearer another1 (1)"},
		{"refused in the recording", known(nil, [3]string{"/a", bearer, "401"}), ""},
		{"given by an answer", known(bound, [3]string{"/login", "", "200"}, [3]string{"/b", bearer, "200"}), ""},
		{"drawn for each request", known(nil, drawn...), ""},
	} {
		if got := variables(t, tt.src, Options{}); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
	given := Options{Given: map[string]string{"Bearer abcdef0": "Bearer new"}}
	if got := variables(t, known(nil, [3]string{"/a", bearer, "200"}), given); got != "AUTHORIZATION=Bearer new (1)" {
		t.Errorf("with another given: %s", got)
	}
}

// TestRefused: a credential is refused where half of the requests that bear it are, in every trial, or from a trial on.
func TestRefused(t *testing.T) {
	var calls [][3]string
	for i := range 4 {
		calls = append(calls, [3]string{fmt.Sprintf("/%c", 'a'+i), "Authorization: Bearer abcdef0\r\n", "200"})
	}
	p, err := Plan(known(nil, calls...), Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	const name = "AUTHORIZATION"
	for _, tt := range []struct {
		trials []string // the targets that are refused in each
		want   string
	}{
		{[]string{"/a /b", "/a /b /c /d"}, name}, // half of them always
		{[]string{"/a", "/a"}, ""},               // a permission
		{[]string{"", "/a /b /c"}, name},         // it ended between trials
		{[]string{"", "/a /b"}, ""},              // too few to tell
		{[]string{"", "/a /b /c", "/d"}, ""},     // by chance: taken again
		{[]string{"/a /b /c /d", ""}, ""},
	} {
		var answers play.Answers
		for _, refused := range tt.trials {
			err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) {
				status := 200
				if strings.Contains(refused, r.Target) {
					status = 401
				}
				return exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)}), nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(namesOf(answers.Refused(p)), ","); got != tt.want {
			t.Errorf("refused in %q: %q, want %q", tt.trials, got, tt.want)
		}
	}
}

func namesOf(all []plan.Credential) (out []string) {
	for _, c := range all {
		out = append(out, c.Name)
	}
	return out
}
