package main

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/write"
	suiteplan "github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// things is an API whose answers have two headers in common, but that one has the one otherwise, and another lacks the
// other. A mutant can be planted in what it answers at one path.
type things struct {
	mu      sync.Mutex
	path    string
	planted mutant.Mutant
}

const (
	textThing  = 10 // is no JSON
	plainThing = 11 // has no id of its request
	allThings  = 12
)

func (a *things) plant(path string, m mutant.Mutant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.path, a.planted = path, m
}

func (a *things) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := make([]byte, 8)
	rand.Read(id)
	kind, drawn := "application/json", "X-Request-Id: "+hex.EncodeToString(id)+"\r\n"
	switch r.URL.Path {
	case thing(textThing):
		kind = "text/plain"
	case thing(plainThing):
		drawn = ""
	}
	raw := fmt.Sprintf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\nContent-Type: %s\r\n%s\r\n", kind, drawn)
	answer := exchange.ParseResponse(exchange.Message{Head: []byte(raw), Body: []byte("{}")})
	a.mu.Lock()
	defer a.mu.Unlock()
	whole := slices.Concat(answer.Head, answer.Body)
	if broken, changed := a.planted.Apply(answer); changed && r.URL.Path == a.path {
		whole = broken
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	conn.Write(whole)
}

func thing(n int) string { return fmt.Sprintf("/things/%d", n) }

// thingsPlan holds each answer of that API to what it is. base is where the requests go; "" for the plan's target.
func thingsPlan(url, base string) suiteplan.Plan {
	p := suiteplan.Plan{Target: url}
	typed := func(name string) suiteplan.Check {
		return suiteplan.Check{Kind: suiteplan.CheckHeader, Place: "/header/content-type", Lines: []suiteplan.Text{words(name)}}
	}
	drawn := suiteplan.Check{Kind: suiteplan.CheckHolds, Place: "/header/x-request-id", Why: "Rand, moved in 9 of 9",
		Holds: mapfile.Holds{Type: "string", Format: "hex:16", Pattern: "^[0-9a-f]{16}$"}}
	for i := range allThings {
		checks := []suiteplan.Check{{Kind: suiteplan.CheckStatus, Place: "/status", Statuses: []int{200}}, typed("application/json"), drawn}
		switch i {
		case textThing:
			checks[1] = typed("text/plain")
		case plainThing:
			checks = checks[:2]
		}
		p.Tests = append(p.Tests, suiteplan.Test{Name: fmt.Sprintf("thing%d", i), Group: "things", Steps: []suiteplan.Step{{
			Role: suiteplan.Tested, Seq: uint64(i + 1), Title: "GET /things/{id}", Method: "GET", Target: words(thing(i)), Base: base, Checks: checks,
		}}})
	}
	return p
}

func TestRealPythonCommonChecks(t *testing.T) { commonChecks(t, "pytest", "go", "hurl") }
func TestRealNodeCommonChecks(t *testing.T)   { commonChecks(t, "jest", "postman") }
func TestRealJVMCommonChecks(t *testing.T)    { commonChecks(t, "junit5", "kotlin") }

// commonChecks plants faults in a header that most answers have in common, at one path, and wants a suite that shares
// its check to tell them as the suite does in which each test has its own. That sends to an address of its own in each
// step.
func commonChecks(t *testing.T, forms ...string) {
	t.Helper()
	t.Parallel()
	b := newFuzzBench(t)
	api := &things{}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	b.env = append(b.env, "FLAKETAP_URL="+server.URL)
	runners := realRunners()
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			own := *b
			own.t = t
			run := runners[form](&own)
			lines := map[string]string{}
			for name, base := range map[string]string{form + "-shared": "", form + "-own": server.URL} {
				files, err := write.Write(form, thingsPlan(server.URL, base))
				if err != nil {
					t.Fatal(err)
				}
				if err := outfile.WriteAll(filepath.Join(b.dir, name), files, nil); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{form + "-shared", form + "-own"} {
				if form != "kotlin" || name != "kotlin-own" { // its checks are the Java of junit5
					lines[name] = run(name)
				}
			}
			for _, c := range faultsOfThings() {
				api.plant(c.path, c.fault)
				for name, line := range lines {
					out, status := own.sh(line)
					if told := status != 0; told != c.told {
						t.Errorf("%s, %s at %s: told %v, want %v\n%s", name, cmp.Or(string(c.fault.Kind), "nothing"), c.path, told, c.told, tail(out))
					}
					if thing := "thing" + strings.TrimPrefix(c.path, "/things/"); c.told && !strings.Contains(strings.ToLower(out), thing) {
						t.Errorf("%s, %s at %s: the test is not named\n%s", name, c.fault, c.path, tail(out))
					}
				}
			}
		})
	}
}

// thingFault is a fault in what is answered at a path, and whether a suite is to tell of it.
type thingFault struct {
	path  string
	fault mutant.Mutant
	told  bool
}

func faultsOfThings() []thingFault {
	fault := func(place exchange.Place, kind mutant.Kind, volatile bool) mutant.Mutant {
		return mutant.Mutant{Status: 200, Place: place, Kind: kind, Volatile: volatile}
	}
	return []thingFault{
		{"", mutant.Mutant{}, false},
		{thing(3), fault("/header/content-type", mutant.Change, false), true},
		{thing(3), fault("/header/x-request-id", mutant.Change, true), true},
		{thing(3), fault("/header/x-request-id", mutant.Drop, false), true},
		// the exceptions: what is asserted otherwise is told, what is not there is not
		{thing(textThing), fault("/header/content-type", mutant.Change, false), true},
		{thing(plainThing), fault("/header/x-request-id", mutant.Drop, false), false},
	}
}
