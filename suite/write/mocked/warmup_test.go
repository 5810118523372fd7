package mocked

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// open is a behavior whose request bears no secret.
func open(b archive.Behavior) archive.Behavior {
	for _, trial := range b.Trials {
		head, _, _ := strings.Cut(string(trial[0].Request.Head), "\r\nAuthorization")
		trial[0].Request = exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\nX-Of: tests\r\n\r\n")})
	}
	return b
}

// A suite has a request that goes well, and asks the services, to warm an API up; none that bears a secret, comes late,
// ends otherwise, or looks wrong.
func TestPlanWarmsUp(t *testing.T) {
	well := func() archive.Behavior { return open(three("001", 200, `{"price":20}`, oneCall)) }
	for name, c := range map[string]struct {
		change func(*archive.Behavior)
		warms  bool
	}{
		"well":      {func(*archive.Behavior) {}, true},
		"a failure": {func(b *archive.Behavior) { *b = open(three("001", 502, `{}`, oneCall)) }, false},
		"a finding": {func(b *archive.Behavior) { b.Findings = []search.Finding{search.WrongSuccess} }, false},
		"no calls":  {func(b *archive.Behavior) { *b = open(three("001", 200, `{}`, `{"calls":[]}`)) }, false},
		"a secret":  {func(b *archive.Behavior) { *b = three("001", 200, `{"price":20}`, oneCall) }, false},
		"comes late": {func(b *archive.Behavior) {
			b.Stubs = []byte(strings.Replace(stubs, `"status": 429`, `"fixedDelayMilliseconds": 6000`, 1))
		}, false},
		"hangs": {func(b *archive.Behavior) {
			for _, trial := range b.Trials {
				hung(trial, exchange.FaultTimeout, time.Second)
			}
		}, false},
	} {
		b := well()
		c.change(&b)
		p := planned(t, b)
		if (p.WarmUp != nil) != c.warms {
			t.Errorf("%s: it is warmed up by %s", name, p.WarmUp)
			continue
		}
		files, err := write.Write("pytest", p)
		if err != nil {
			t.Fatal(err)
		}
		has, says := false, false
		for _, f := range files {
			has = has || f.Name == plan.WarmUpFile
			says = says || f.Name == "README.md" && strings.Contains(string(f.Data), "health --warm-up warm-up.json -- sh")
		}
		if has != c.warms || says != c.warms {
			t.Errorf("%s: the suite has a warm-up: %v, and says so: %v", name, has, says)
		}
	}
	var file struct{ Requests []warmup.Request }
	if err := json.Unmarshal(planned(t, well()).WarmUp, &file); err != nil || len(file.Requests) != 1 {
		t.Fatal(file, err)
	}
	r := file.Requests[0]
	if r.Sent.Method != "GET" || r.Sent.Target != "/quote?currency=EUR" || len(r.Sent.Header) != 1 || r.Sent.Header["X-Of"] != "tests" || r.Status != 200 ||
		!slices.Equal(r.Services, []string{"rates.example.com:443"}) || !strings.Contains(string(r.Mappings), "429") {
		t.Errorf("it is warmed up by %+v", r)
	}
}
