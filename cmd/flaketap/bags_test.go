package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

func TestRealPythonTokensAndBags(t *testing.T) { tokensAndBags(t, realForms["python"]...) }
func TestRealNodeTokensAndBags(t *testing.T)   { tokensAndBags(t, realForms["node"]...) }
func TestRealJVMTokensAndBags(t *testing.T)    { tokensAndBags(t, realForms["jvm"]...) }

// tokensAndBags runs a suite in some forms against answers that are as it says, and against others: a token is
// one by what it holds, and an array in any order has each element as often as it was recorded.
func tokensAndBags(t *testing.T, forms ...string) {
	t.Helper()
	t.Parallel()
	const now = 1769700000
	made := func(alg, sub string, lifetime int) string {
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"`+alg+`","typ":"JWT"}`)) + "." +
			encode(fmt.Appendf(nil, `{"name":"Zoë","sub":%q,"iat":%d,"exp":%d}`, sub, now, now+lifetime)) + ".c2lnbmF0dXJl"
	}
	good := made("HS256", "user-17", 3600)
	answers := []struct {
		name, token, tags string
		passes            bool
	}{
		{"in another order", good, `["a","a","b"]`, true},
		{"each as often otherwise", good, `["a","b","b"]`, false},
		{"another subject", made("HS256", "user-18", 3600), `["a","b","a"]`, false},
		{"no token", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.bm90IGpzb24.c2lnbmF0dXJl", `["a","b","a"]`, false},
		{"another lifetime", made("HS256", "user-17", 60), `["a","b","a"]`, false},
	}
	var body atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body.Load())
	}))
	t.Cleanup(server.Close)
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			b := newFuzzBench(t)
			run := realRunners()[form](b)
			files, err := write.Write(form, tokenAndBag())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				path := filepath.Join(b.dir, form, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			line := run(form)
			for _, a := range answers {
				if form == "hurl" && a.name == "another lifetime" {
					continue // Hurl does not compute
				}
				body.Store(fmt.Sprintf(`{"badge":%q,"tags":%s}`, a.token, a.tags))
				if out, status := b.sh(line, "FLAKETAP_URL="+server.URL); (status == 0) != a.passes {
					t.Errorf("%s: exit status %d\n%s", a.name, status, tail(out))
				}
			}
		})
	}
}

// tokenAndBag is a plan of one test, whose answer has a token and an array in any order.
func tokenAndBag() plan.Plan {
	text := func(s string) plan.Text { return plan.Text{{Literal: s}} }
	const subject = "secret:0123456789ab"
	return plan.Plan{
		Target:  "http://127.0.0.1:1",
		Secrets: map[string]string{subject: "user-17"},
		Tests: []plan.Test{{Name: "get_badge_gives_200", About: []string{"GET /badge gives 200"}, Group: "badge", Steps: []plan.Step{{
			Role: plan.Tested, Seq: 1, Title: "GET /badge", Method: "GET", Target: text("/badge"),
			Checks: []plan.Check{
				{Kind: plan.CheckStatus, Statuses: []int{200}},
				{Kind: plan.CheckHolds, Place: "/body/badge", Holds: mapfile.Holds{Type: "string", Format: "jwt"}},
				{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/header/alg", Text: text("HS256")},
				{Kind: plan.CheckHolds, Place: "/body/badge/@jwt/claims/exp", Holds: mapfile.Holds{Type: "integer"}},
				{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/claims/name", Text: text("Zoë")},
				{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/claims/sub", Text: plan.Text{{Secret: subject}}},
				{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/lifetime", Text: text("3600")},
				{Kind: plan.CheckItems, Place: "/body/tags", JSON: json.RawMessage(`["a","b","a"]`)},
			},
		}}}},
	}
}
