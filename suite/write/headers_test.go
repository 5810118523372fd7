package write

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// What most requests send alike stands once; a request says what it sends otherwise, and what it goes without.
func TestSharedHeadersStandOnce(t *testing.T) {
	step := func(seq uint64, headers ...plan.Header) plan.Step {
		return plan.Step{Role: plan.Tested, Seq: seq, Title: "GET /a", Method: "GET", Target: lit("/a"), Headers: headers,
			Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}}}
	}
	agent := plan.Header{Name: "User-Agent", Value: lit("ours")}
	english, french := plan.Header{Name: "Accept-Language", Value: lit("en")}, plan.Header{Name: "accept-language", Value: lit("fr")}
	key := plan.Header{Name: "X-Key", Value: plan.Text{{Secret: "FLAKETAP_HEADER_X_KEY"}}}
	p := plan.Plan{Target: "http://127.0.0.1:8080", Secrets: map[string]string{"FLAKETAP_HEADER_X_KEY": "k"}, Tests: []plan.Test{{
		Name: "get_a", Group: "a", Steps: []plan.Step{step(1, agent, english, key), step(2, agent, english, key), step(3, agent, english, key),
			step(4, agent, english, key), step(5, agent, french, key), step(6, english, key)},
	}}}
	for form, want := range map[string][]string{
		"go":     {`{"User-Agent","ours"},`, `{"Accept-Language","en"},`, `{"accept-language","fr"},`, `without:[]string{"User-Agent"}`},
		"jest":   {`"name":"User-Agent","value":"ours"`, `"name":"Accept-Language","value":"en"`, `headers:[["accept-language","fr"]]`, `without:["User-Agent"]`},
		"junit5": {`"name":"User-Agent"`, `"name":"Accept-Language"`, `given("Accept-Language").header("accept-language","fr")`, `given("User-Agent")`},
		"kotlin": {`"name":"User-Agent"`, `"name":"Accept-Language"`, `given("Accept-Language").header("accept-language","fr")`, `given("User-Agent")`},
		"pytest": {`("User-Agent","ours")`, `("Accept-Language","en")`, `("accept-language","fr")`, `("User-Agent",None)`},
	} {
		files, err := Write(form, p)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			if !strings.HasPrefix(f.Name, "README") {
				all.Write(f.Data)
			}
		}
		text := strings.Join(strings.Fields(all.String()), "")
		for _, w := range want {
			if n := strings.Count(text, w); n != 1 {
				t.Errorf("%s: %s stands there %d times", form, w, n)
			}
		}
	}
}
