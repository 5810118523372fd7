package volatility

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/volatility/confidence"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

// TestStates: conditions of the runs decide.
func TestStates(t *testing.T) {
	continued := map[int]exchange.Start{4: exchange.StartContinued}
	left := func(c call) answer { return body(`{"n":%d}`, pickInt(c.run == 4, 2, 0)) }
	a := &api{runs: 4, steps: 3, starts: continued, answer: left}
	f := field(t, a.judge(t), "/body/n")
	if f.Judgement != mapfile.Drift || f.Category != mapfile.State || !slices.Contains(f.Evidence, "continued-only") {
		t.Errorf("continued only: %v %v %q", f.Judgement, f.Category, f.Evidence)
	}
	if f.Changed != 3 || f.Of != 12 || len(f.Fingerprints) != 3 {
		t.Errorf("counts: %d of %d, %d fingerprints", f.Changed, f.Of, len(f.Fingerprints))
	}
	// A clock is a clock, in the continued run as well.
	a = &api{runs: 2, steps: 2, starts: map[int]exchange.Start{2: exchange.StartContinued}, answer: func(c call) answer { return body(`{"n":%d}`, c.at.UnixMilli()) }}
	if f := field(t, a.judge(t), "/body/n"); f.Category != mapfile.Time || f.Judgement != mapfile.Jitter {
		t.Errorf("clock: %v %v", f.Judgement, f.Category)
	}
	// A list that grows with every run because nothing was reset.
	a = &api{runs: 4, steps: 1, start: exchange.StartContinued, answer: func(c call) answer {
		return answer{body: "[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, c.run), ",") + "]"}
	}}
	if f := field(t, a.judge(t), "/body"); f.Category != mapfile.State || *f.Holds.MinLength != 0 || f.Holds.Type != "array" {
		t.Errorf("grown: %v %q %+v", f.Category, f.Evidence, f.Holds)
	}
	// The status drifts; the body of another status is no evidence about the body.
	a = &api{runs: 3, steps: 3, answer: func(c call) answer {
		if c.run > 0 && c.step == 1 {
			return answer{status: 404, body: `{"error":"gone"}`}
		}
		return body(`{"ok":true}`)
	}}
	m := a.judge(t)
	f = field(t, m, exchange.PlaceStatus)
	if f.Judgement != mapfile.Drift || f.Category != mapfile.State || f.Changed != 3 || f.Of != 9 || fmt.Sprintf("%s", f.Holds.OneOf) != "[200 404]" {
		t.Errorf("status: %+v", f)
	}
	if g := field(t, m, "/body/ok"); g.Judgement != mapfile.Stable || g.Of != 6 {
		t.Errorf("body beside it: %v of %d", g.Judgement, g.Of)
	}
	// At the step whose status drifted nothing can be relied on; at the others everything.
	op := m.Operations[0]
	for step, want := range []bool{false, true, false} {
		_, req, resp := a.call(0, step)
		fp := exchange.Exact(&exchange.Exchange{Request: req, Response: resp})
		if got := op.Volatile("/body/ok", fp) != nil; got != want {
			t.Errorf("step %d volatile: %v", step, got)
		}
	}
}

func pickInt(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// TestElements: what moves within the elements of an array, and what of the array itself.
func TestElements(t *testing.T) {
	a := &api{runs: 6, steps: 2, answer: func(c call) answer {
		var items []string
		for i := range 4 {
			items = append(items, fmt.Sprintf(`{"id":%d,"name":"n%d","seen":%d}`, i, i, c.at.UnixMilli()+int64(i)))
		}
		return body(`{"items":%s,"tags":%s,"nested":[[1,2],[3]]}`, shuffled(c, items...), shuffled(c, "1", "2", "3", "4", "5"))
	}}
	m := a.judge(t)
	for place, want := range map[exchange.Place]kind{
		"/body/items": {mapfile.Jitter, mapfile.Unord}, "/body/items/2/seen": {mapfile.Jitter, mapfile.Time}, "/body/items/0/id": {mapfile.Stable, ""}, "/body/items/0/name": {mapfile.Stable, ""},
		"/body/tags": {mapfile.Jitter, mapfile.Unord}, "/body/tags/1": {mapfile.Stable, ""}, "/body/nested/0/1": {mapfile.Stable, ""},
	} {
		if f := field(t, m, place); (kind{f.Judgement, f.Category}) != want {
			t.Errorf("%s: got %v %v %q", place, f.Judgement, f.Category, f.Evidence)
		}
	}
	if f := field(t, m, "/body/items/2/seen"); f.Changed != 12 || f.Of != 12 {
		t.Errorf("an observation counts once, however many elements: %d of %d", f.Changed, f.Of)
	}
	op, any := m.Operations[0], exchange.Fingerprint{}
	if f := op.Volatile("/body/items/0/name", any); f == nil || f.Place != "/body/items" {
		t.Errorf("an element of a shuffled array is found by its position: %v", f)
	}
	if field(t, m, "/body/items").Holds.Order != "" {
		t.Error("the elements change as well, so they are not the recorded multiset")
	}
	if field(t, m, "/body/tags").Holds.Order != "any" {
		t.Error("the tags are")
	}
	if op.Volatile("/body/nested/0/0", any) != nil {
		t.Error("nested is stable")
	}
}

// TestHeaders: the protocol's own are marked, others are judged like anything else.
func TestHeaders(t *testing.T) {
	a := &api{runs: 5, steps: 2, answer: func(c call) answer {
		b := strings.Repeat("x", c.rng.IntN(20))
		return answer{body: `{"v":"` + b + `"}`, head: fmt.Sprintf("Date: %s\r\nContent-Length: %d\r\nETag: \"%s\"\r\nX-Request-Id: %s\r\nSet-Cookie: sid=%s; Path=/\r\nX-Response-Time: %dms\r\nServer: x\r\n",
			c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT"), len(b), sha(b)[:16], uuid(c), sha(uuid(c)), 1+c.rng.IntN(9))}
	}}
	m := a.judge(t)
	for place, want := range map[exchange.Place]struct {
		kind
		protocol bool
	}{
		"/header/date": {kind{mapfile.Jitter, mapfile.Time}, true}, "/header/content-length": {kind{mapfile.Jitter, mapfile.Rand}, true}, "/header/etag": {kind{mapfile.Jitter, mapfile.Crypt}, false},
		"/header/x-request-id": {kind{mapfile.Jitter, mapfile.Rand}, false}, "/header/server": {kind{mapfile.Stable, ""}, false}, "/header/x-response-time": {kind{mapfile.Jitter, mapfile.Time}, false},
	} {
		f := field(t, m, place)
		if (kind{f.Judgement, f.Category}) != want.kind || f.Protocol != want.protocol {
			t.Errorf("%s: %v %v %v %q", place, f.Judgement, f.Category, f.Protocol, f.Evidence)
		}
	}
	// Places: status, content-type, etag, x-request-id, set-cookie, x-response-time, server, body, body/v.
	if s := m.Summary; s.Places != 9 || s.Volatile() != 5 {
		t.Errorf("summary: %+v", s)
	}
	f := field(t, m, "/header/set-cookie")
	if !f.Volatile() || f.Holds.Pattern != "" {
		t.Errorf("cookie: %+v", f)
	}
	for _, s := range f.Samples {
		if !strings.HasPrefix(string(s), `"secret:`) {
			t.Errorf("a secret is shown: %s", s)
		}
	}
}

// TestSecrets: no value of a secret place is anywhere in the file.
func TestSecrets(t *testing.T) {
	a := &api{runs: 4, steps: 2, answer: func(c call) answer {
		return body(`{"password":"hunter2","token":"%s","next":"http://h/x?access_token=%s","pin_secret":%d,"list":[{"apiKey":"k-%s"}]}`,
			"tok"+uuid(c), "acc"+uuid(c), 777000+c.rng.IntN(9), "key"+uuid(c))
	}}
	var b bytes.Buffer
	if err := a.judge(t).Encode(&b, mapfile.EncodeOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"hunter2", "tok", "acc", "77700", "k-key"} {
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, `"`+s) || strings.Contains(line, "="+s) || strings.Contains(line, " "+s) {
				t.Errorf("shown: %s", line)
			}
		}
	}
	a.options.Redactor.Reveal = true
	if f := field(t, a.judge(t), "/body/password"); string(f.Samples[0]) != `"hunter2"` {
		t.Errorf("revealed: %s", f.Samples)
	}
}

// TestCarried: values that follow the request or an earlier answer are volatile all the same, and it is said what they
// follow.
func TestCarried(t *testing.T) {
	id := func(run int) int { return 100 + run*run*17%101 }
	a := &api{runs: 5, steps: 3,
		request: func(c call) (string, string) {
			if c.step == 0 {
				return "/things", `{"x":1}`
			}
			return fmt.Sprintf("/things/%d?q=a%%20b", id(c.run)), ""
		},
		answer: func(c call) answer {
			return body(`{"id":%d,"self":"http://%s/things/%d"}`, id(c.run), c.host, id(c.run))
		},
		bound: []exchange.Binding{{Name: "id", Value: fmt.Sprint(id(0)), Producer: exchange.Ref{Seq: 1, Place: "/body/id"},
			Uses: []exchange.Ref{{Seq: 2, Place: "/path/1"}}}},
	}
	run := func(a *api) *mapfile.Map {
		operations := map[uint64]exchange.Operation{1: {Method: "POST", Template: "/things"}, 2: {Method: "GET", Template: "/things/{id}"}, 3: {Method: "GET", Template: "/things/{id}"}}
		runs := []exchange.Run{}
		for r := 1; r <= a.runs; r++ {
			runs = append(runs, exchange.Run{Number: r, Conditions: exchange.Conditions{Start: exchange.StartReset}})
		}
		m, err := Judge(exchange.Recording{Started: moment0, Count: 3}, runs, a.all(), operations, a.bound, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := run(a)
	f := m.Operation(exchange.Operation{Method: "GET", Template: "/things/{id}"}, 200).At("/body/id")
	if !f.Volatile() || f.Holds.Echo != "/path/1" || f.Holds.Bound != "POST /things /body/id" {
		t.Errorf("id: %v %+v %q", f.Judgement, f.Holds, f.Evidence)
	}
	f = m.Operation(exchange.Operation{Method: "POST", Template: "/things"}, 200).At("/body/id")
	if f.Holds.Echo != "" || f.Holds.Bound != "" {
		t.Errorf("the producer is no echo: %+v", f.Holds)
	}
	f = m.Operation(exchange.Operation{Method: "POST", Template: "/things"}, 200).At("/body/self")
	if f.Holds.Echo != "" || f.Holds.Pattern != `^http://[0-9A-Za-z_.:-]+/things/[0-9]+$` {
		t.Errorf("self: %+v", f.Holds)
	}
	// One answer that does not echo takes the statement away.
	broken := *a
	broken.answer = func(c call) answer {
		if c.run == 3 && c.step == 2 {
			return body(`{"id":5}`)
		}
		return a.answer(c)
	}
	f = run(&broken).Operation(exchange.Operation{Method: "GET", Template: "/things/{id}"}, 200).At("/body/id")
	if f.Holds.Echo != "" || f.Holds.Bound != "" {
		t.Errorf("still stated: %+v", f.Holds)
	}
}

// TestHost: another port in each run is the environment's doing, and an echo of the Host.
func TestHost(t *testing.T) {
	a := &api{runs: 4, steps: 2, hosts: func(run int) string { return fmt.Sprintf("127.0.0.1:%d", 9000+run) },
		answer: func(c call) answer {
			return answer{status: 302, head: "Location: http://" + c.host + "/next\r\n", body: "{}"}
		}}
	f := field(t, a.judge(t), "/header/location")
	if f.Category != mapfile.Env || f.Holds.Echo != "/header/host" || !slices.Contains(f.Evidence, "follows-address") {
		t.Errorf("%v %v %+v %q", f.Judgement, f.Category, f.Holds, f.Evidence)
	}
}

// TestRareMove: one answer in thirty is enough.
func TestRareMove(t *testing.T) {
	a := &api{runs: 10, steps: 3, answer: func(c call) answer { return body(`{"v":%d}`, pickInt(c.run == 7 && c.step == 1, 9, 1)) }}
	f := field(t, a.judge(t), "/body/v")
	if f.Judgement != mapfile.Jitter || f.Changed != 1 || f.Of != 30 || f.Bound != confidence.Bound(1, 30) {
		t.Errorf("%v %d of %d, bound %v", f.Judgement, f.Changed, f.Of, f.Bound)
	}
}

// TestMetamorphic: the order of members, white space and the order of runs change no verdict.
func TestMetamorphic(t *testing.T) {
	plain := func(c call) answer {
		return body(`{"at":%d,"id":"%s","n":%d,"l":[1,2,{"k":"%s"}],"s":"same"}`, c.at.UnixMilli(), uuid(c), pickInt(c.run == 0, 1, 2), uuid(c))
	}
	rewritten := func(c call) answer {
		rest, _, _ := strings.Cut(strings.TrimPrefix(plain(c).body, "{"), `,"s"`)
		return body("{ \"s\" : \"same\",\n %s }", rest)
	}
	verdicts := func(a *api) map[string]string {
		out := make(map[string]string)
		for _, o := range a.judge(t).Operations {
			for _, f := range o.Fields {
				out[string(f.Place)] = fmt.Sprint(f.Judgement, f.Category, f.Changed, f.Of, f.Holds.Type, f.Holds.Format)
			}
		}
		return out
	}
	want := verdicts(&api{runs: 6, steps: 3, answer: plain})
	if diff := cmp.Diff(want, verdicts(&api{runs: 6, steps: 3, answer: rewritten})); diff != "" {
		t.Errorf("rewritten:\n%s", diff)
	}
	backwards := &api{runs: 6, steps: 3, answer: plain}
	order := map[int]int{0: 0, 1: 4, 2: 1, 3: 6, 4: 2, 5: 5, 6: 3}
	backwards.answer = func(c call) answer {
		gap := time.Duration(order[c.run]-c.run) * 90 * time.Second
		rng := rand.New(rand.NewPCG(uint64(order[c.run])*1000+uint64(c.step), 7))
		return plain(call{run: order[c.run], step: c.step, at: c.at.Add(gap), rng: rng, host: c.host})
	}
	got := verdicts(backwards)
	delete(got, "/body/at") // its values belong to their times
	delete(want, "/body/at")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of runs:\n%s", diff)
	}
}

// TestBodies: text and binary answers have one place.
func TestBodies(t *testing.T) {
	make := func(contentType string, f func(c call) string) *mapfile.Field {
		a := &api{runs: 5, steps: 2, answer: func(c call) answer { return answer{body: f(c)} }}
		inner := a.answer
		a.answer = func(c call) answer { x := inner(c); x.head = ""; return x }
		return field(t, (&typed{a, contentType}).judge(t), exchange.PlaceBody)
	}
	f := make("text/plain", func(c call) string { return "hello at " + c.at.Format(time.RFC3339) })
	if f.Category != mapfile.Time || f.Holds.Type != "string" {
		t.Errorf("text: %v %+v", f.Category, f.Holds)
	}
	if f = make("image/png", func(c call) string { return "\x89PNG\x00" }); f.Judgement != mapfile.Stable {
		t.Errorf("binary: %v", f.Judgement)
	}
	if f = make("application/xml", func(c call) string { return "<order><number>" + uuid(c) + "</number><state>open</state></order>" }); f.Judgement != mapfile.Jitter || f.Holds.Pattern != "^<order><number>[0-9A-Za-z_.:+-]+</number><state>open</state></order>$" {
		t.Errorf("xml: %v %+v", f.Judgement, f.Holds)
	}
}

// typed changes the content type of an api.
type typed struct {
	*api
	contentType string
}

func (a *typed) judge(t testing.TB) *mapfile.Map {
	steps := func(yield func(exchange.Step, error) bool) {
		for s := range a.all() {
			s.Exchange.Response.Header = wire.Fields{{Name: "Content-Type", Value: a.contentType}}
			for _, o := range s.Observations {
				o.Response.Header = wire.Fields{{Name: "Content-Type", Value: a.contentType}}
			}
			if !yield(s, nil) {
				return
			}
		}
	}
	m, err := Judge(exchange.Recording{Started: moment0}, nil, steps, nil, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStepError(t *testing.T) {
	broken := fmt.Errorf("no such bucket")
	_, err := Judge(exchange.Recording{}, nil, func(yield func(exchange.Step, error) bool) { yield(exchange.Step{}, broken) }, nil, nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "judge recording: no such bucket") {
		t.Errorf("got %v", err)
	}
}
