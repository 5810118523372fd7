package volatility_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/trial"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// material is what a judgement is made of.
type material = volatility.Material

// demo records the truth API's own client, and replays that.
func demo(t *testing.T) material {
	t.Helper()
	clock := trial.NewClock(time.Date(2026, 6, 16, 9, 23, 11, 123_456_789, time.UTC), 3)
	subject := &trial.Subject{
		Handler: demoapi.New(demoapi.Dials{Seed: 4, Clock: clock.Read, Environment: demoapi.Environment{Hostname: "build-7f3c", PID: 48213, TempDir: "/tmp", User: "uid-1000"}}),
		Drive: func(ctx context.Context, url string, transport http.RoundTripper, pause func(context.Context, time.Duration) error) error {
			return demoapi.DriveBy(ctx, url, 1, transport, pause)
		},
		Reset: "/admin/reset", SequenceHeader: demoapi.SequenceHeader, Clock: clock, Listen: "127.0.0.1:8877", Port: 40311,
	}
	s, err := trial.Play(t.Context(), subject, 5)
	if err != nil {
		t.Fatal(err)
	}
	return material{Steps: s.Steps, Case: volatility.Case{
		Recording: s.Recording, Runs: s.Runs, Operations: s.Operations, Bindings: s.Bindings,
		Options: volatility.Options{Environment: []string{"build-7f3c", "uid-1000", "/tmp"}},
	}}
}

// materials are what the metamorphic tests change.
func materials(t *testing.T) map[string]material {
	t.Helper()
	return map[string]material{"every kind": volatility.EveryKind(), "demo API": demo(t)}
}

// TestDivided: in however many parts a recording is judged, its map is the same, byte for byte. Every test of a made-up
// API looks at that too.
func TestDivided(t *testing.T) {
	all := map[string]material{}
	for name, m := range materials(t) {
		all[name] = m
		alone := m
		alone.Runs, alone.Steps = nil, nil
		for _, s := range m.Steps {
			s.Observations = nil
			alone.Steps = append(alone.Steps, s)
		}
		all[name+", no runs"] = alone
	}
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			want := volatility.Encoded(t, judge(t, m))
			for _, parts := range []int{1, 2, 3, 7} {
				got, err := volatility.InParts(m, parts)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(volatility.Encoded(t, got))); diff != "" {
					t.Errorf("in %d parts:\n%s", parts, diff)
				}
			}
		})
	}
}

func judge(t *testing.T, m material) *mapfile.Map {
	t.Helper()
	steps := func(yield func(exchange.Step, error) bool) {
		for _, s := range m.Steps {
			if !yield(s, nil) {
				return
			}
		}
	}
	out, err := volatility.Judge(m.Recording, m.Runs, iter.Seq2[exchange.Step, error](steps), m.Operations, m.Bindings, m.Options)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said is all that a map says of one place.
type said struct {
	Judgement    mapfile.Judgement
	Category     mapfile.Category
	Changed, Of  int
	Bound        float64
	Evidence     []string
	Samples      []string
	Holds        string
	Fingerprints []string
	Warnings     []string
}

// verdicts lists what a map says by operation and place.
func verdicts(t *testing.T, m *mapfile.Map) map[string]said {
	t.Helper()
	out := map[string]said{}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			holds, err := json.Marshal(f.Holds)
			if err != nil {
				t.Fatal(err)
			}
			s := said{f.Judgement, f.Category, f.Changed, f.Of, f.Bound, f.Evidence, nil, string(holds), f.Fingerprints, f.Warnings}
			for _, raw := range f.Samples {
				s.Samples = append(s.Samples, string(raw))
			}
			out[fmt.Sprintf("%s %s%s %d %s", op.Method, op.Host, op.Template, op.Status, f.Place)] = s
		}
	}
	return out
}

// each returns a copy in which every request and every answer is changed.
func each(m material, request func(exchange.Request) exchange.Request, response func(*exchange.Response) *exchange.Response) material {
	out := m
	out.Steps = nil
	for _, s := range m.Steps {
		e := *s.Exchange
		e.Request = request(e.Request)
		if e.Response != nil {
			e.Response = response(e.Response)
		}
		step := exchange.Step{Exchange: &e}
		for _, o := range s.Observations {
			c := *o
			c.Sent = request(c.Sent)
			if c.Response != nil {
				c.Response = response(c.Response)
			}
			step.Observations = append(step.Observations, &c)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func unchanged(r exchange.Request) exchange.Request { return r }

// rewriting returns a change of answers whose body is JSON: the body is written otherwise, and means the same.
func rewriting(write func(raw string) string) func(*exchange.Response) *exchange.Response {
	return func(r *exchange.Response) *exchange.Response {
		body, err := r.Payload()
		if err != nil || !strings.Contains(r.Header.Get("Content-Type"), "json") || !gjson.ValidBytes(body) || r.Header.Has("Content-Encoding") {
			return r
		}
		changed := write(string(body))
		head := bytes.Replace(r.Head, []byte("Content-Length: "+strconv.Itoa(len(body))), []byte("Content-Length: "+strconv.Itoa(len(changed))), 1)
		return exchange.ParseResponse(exchange.Message{Head: head, Body: []byte(changed), Plain: true})
	}
}

// shuffledKeys writes a JSON value with the members of each object in another order. Where a key occurs twice, their order
// means something, and stays.
func shuffledKeys(raw string, rng *rand.Rand) string {
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() {
		return v.Raw
	}
	var members []string
	keys := map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		member := shuffledKeys(value.Raw, rng)
		if v.IsObject() {
			keys[key.String()] = true
			member = key.Raw + ":" + member
		}
		members = append(members, member)
		return true
	})
	if v.IsArray() {
		return "[" + strings.Join(members, ",") + "]"
	}
	if len(keys) == len(members) {
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return "{" + strings.Join(members, ",") + "}"
}

// spaced writes a JSON value with other white space between its tokens.
func spaced(raw string, rng *rand.Rand) string {
	space := func() string { return []string{"", " ", "\n", "\r\n\t", "    "}[rng.IntN(5)] }
	v := gjson.Parse(raw)
	if !v.IsObject() && !v.IsArray() {
		return space() + v.Raw + space()
	}
	var members []string
	v.ForEach(func(key, value gjson.Result) bool {
		member := spaced(value.Raw, rng)
		if v.IsObject() {
			member = space() + key.Raw + space() + ":" + member
		}
		members = append(members, member)
		return true
	})
	open, end := "{", "}"
	if v.IsArray() {
		open, end = "[", "]"
	}
	return space() + open + space() + strings.Join(members, ",") + space() + end + space()
}

// permuted returns a copy in which the runs have other numbers, and come in the order of these. What ran when stays.
func permuted(m material, order []int) material {
	out := m
	out.Runs, out.Steps = nil, nil
	number := map[int]int{}
	for i, from := range order {
		run := m.Runs[from]
		number[run.Number] = i + 1
		run.Number = i + 1
		out.Runs = append(out.Runs, run)
	}
	for _, s := range m.Steps {
		step := exchange.Step{Exchange: s.Exchange}
		for _, o := range s.Observations {
			c := *o
			c.Run = number[o.Run]
			step.Observations = append(step.Observations, &c)
		}
		slices.SortStableFunc(step.Observations, func(a, b *exchange.Observation) int { return a.Run - b.Run })
		out.Steps = append(out.Steps, step)
	}
	return out
}

// renamed returns a copy in which the API has another address, for all who name it.
func renamed(m material, names *strings.Replacer) material {
	message := func(m exchange.Message) exchange.Message {
		before := len(m.Body)
		body := names.Replace(string(m.Body))
		m.Head = []byte(strings.Replace(names.Replace(string(m.Head)), fmt.Sprintf("Content-Length: %d\r", before), fmt.Sprintf("Content-Length: %d\r", len(body)), 1))
		m.Body = []byte(body)
		return m
	}
	out := each(m,
		func(r exchange.Request) exchange.Request { return exchange.ParseRequest(message(r.Message)) },
		func(r *exchange.Response) *exchange.Response { return exchange.ParseResponse(message(r.Message)) })
	for _, s := range out.Steps {
		s.Exchange.Addr = names.Replace(s.Exchange.Addr)
	}
	out.Bindings = slices.Clone(m.Bindings)
	for i := range out.Bindings {
		out.Bindings[i].Value = names.Replace(out.Bindings[i].Value)
	}
	return out
}

// elsewhere returns a copy in which all times are written in another zone.
func elsewhere(m material, zone *time.Location) material {
	out := each(m, unchanged, func(r *exchange.Response) *exchange.Response { return r })
	for _, s := range out.Steps {
		s.Exchange.Start = s.Exchange.Start.In(zone)
		for _, o := range s.Observations {
			o.Start = o.Start.In(zone)
		}
	}
	out.Runs, out.Recording.Passes = slices.Clone(m.Runs), slices.Clone(m.Recording.Passes)
	for i := range out.Runs {
		out.Runs[i].Started, out.Runs[i].Ended = m.Runs[i].Started.In(zone), m.Runs[i].Ended.In(zone)
	}
	for i := range out.Recording.Passes {
		out.Recording.Passes[i].Started = m.Recording.Passes[i].Started.In(zone)
	}
	out.Recording.Started = m.Recording.Started.In(zone)
	return out
}

// same fails where two maps say other things of a place, but for the places that skip names.
func same(t *testing.T, before, after map[string]said, skip ...exchange.Place) {
	t.Helper()
	for key, was := range before {
		_, place, _ := strings.Cut(key, " /")
		place = place[strings.LastIndex(place, " ")+1:]
		if slices.Contains(skip, exchange.Place(place)) {
			continue
		}
		if diff := cmp.Diff(was, after[key]); diff != "" {
			t.Errorf("%s (-before +after):\n%s", key, diff)
		}
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			t.Errorf("%s is new", key)
		}
	}
}

// TestSameMeaningSameVerdicts: how an answer is written, how its API is called, where and how often it is judged, and
// which run has which number change no verdict.
func TestSameMeaningSameVerdicts(t *testing.T) {
	for name, m := range materials(t) {
		before := verdicts(t, judge(t, m))
		if len(before) < 40 {
			t.Fatalf("%s: only %d places", name, len(before))
		}
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 9))
			t.Run(fmt.Sprintf("%s/keys shuffled %d", name, seed), func(t *testing.T) {
				shuffle := func(raw string) string { return shuffledKeys(raw, rng) }
				same(t, before, verdicts(t, judge(t, each(m, unchanged, rewriting(shuffle)))))
			})
			t.Run(fmt.Sprintf("%s/white space %d", name, seed), func(t *testing.T) {
				space := func(raw string) string { return spaced(raw, rng) }
				// What counts the bytes counts these too.
				same(t, before, verdicts(t, judge(t, each(m, unchanged, rewriting(space)))), "/header/content-length", "/size")
			})
			t.Run(fmt.Sprintf("%s/runs numbered otherwise %d", name, seed), func(t *testing.T) {
				order := rng.Perm(len(m.Runs))
				if seed == 0 {
					slices.Sort(order)
					slices.Reverse(order)
				}
				same(t, before, verdicts(t, judge(t, permuted(m, order))))
			})
		}
		t.Run(name+"/judged again", func(t *testing.T) { same(t, before, verdicts(t, judge(t, m))) })
		t.Run(name+"/another zone", func(t *testing.T) {
			zone := time.FixedZone("", 5*3600+1800)
			local := time.Local
			defer func() { time.Local = local }()
			time.Local = zone
			same(t, before, verdicts(t, judge(t, elsewhere(m, zone))))
		})
		for _, host := range []string{"10.1.2.3", "api.example.org"} {
			t.Run(name+"/renamed "+host, func(t *testing.T) { sameRenamed(t, m, before, host) })
		}
	}
}

// sameRenamed gives the API another host and other ports; verdicts are the same up to that.
func sameRenamed(t *testing.T, m material, before map[string]said, host string) {
	t.Helper()
	names := [][2]string{{"127.0.0.1:8877", host + ":31999"}, {"127.0.0.1:8080", host + ":31080"}, {"40311", "44001"}, {"127.0.0.1", host}}
	var there, back []string
	for _, n := range names {
		there, back = append(there, n[0], n[1]), append(back, n[1], n[0])
	}
	after := verdicts(t, judge(t, renamed(m, strings.NewReplacer(there...))))
	again := strings.NewReplacer(back...)
	seen := false
	for key, s := range after {
		seen = seen || strings.Contains(strings.Join(s.Samples, ""), host)
		s.Holds = again.Replace(s.Holds)
		for i := range s.Samples {
			s.Samples[i] = again.Replace(s.Samples[i])
		}
		after[key] = s
	}
	if !seen {
		t.Error("no sample holds the new name: nothing was renamed")
	}
	same(t, before, after, "/header/content-length", "/size")
}

// TestRunsWithoutTimes: where nobody knows what ran when, their numbers say what went on from run to run. All else stays.
func TestRunsWithoutTimes(t *testing.T) {
	m := volatility.EveryKind()
	for i := range m.Runs {
		m.Runs[i].Started = time.Time{}
	}
	before, after := verdicts(t, judge(t, m)), verdicts(t, judge(t, permuted(m, []int{5, 4, 3, 2, 1, 0})))
	ordered := 0
	for key, was := range before {
		is := after[key]
		if slices.ContainsFunc(append(slices.Clone(was.Evidence), is.Evidence...), ofOrder) {
			ordered++
			is.Category, is.Evidence, was.Evidence = was.Category, nil, nil
		}
		// The first samples are of the first runs, and a template is learned from one value after the other.
		was.Samples, is.Samples, was.Holds, is.Holds = nil, nil, "", ""
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s (-before +after):\n%s", key, diff)
		}
	}
	if ordered == 0 || ordered > len(before)/4 {
		t.Errorf("%d places follow the order of the runs", ordered)
	}
}

// ofOrder reports whether a piece of evidence is about what comes after what.
func ofOrder(code string) bool {
	return slices.Contains([]string{"counter", "no-return", "same-shift", "follows-clock:elapsed"}, code)
}
