package build

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// job is a recording in which a job is waited for, and its result is read.
var job = []string{
	`POST /jobs {"of":"tea"} > 202 {"id":"job-0123456789"}`,
	`GET /jobs/job-0123456789 > 200 {"state":"new","of":"tea"}`,
	`GET /jobs/job-0123456789 > 200 {"state":"running","of":"tea"}`,
	`GET /jobs/job-0123456789 > 200 {"state":"done","of":"tea"}`,
	`GET /jobs/job-0123456789/result > 200 {"cups":2}`,
}

// settling has replays ask a recorded exchange again.
func settling(src suite.Source, seq uint64, all ...exchange.Settling) suite.Source {
	for i := range src.Steps {
		if s := &src.Steps[i]; s.Exchange.Seq == seq {
			for n := range all {
				s.Observations = append(s.Observations, &exchange.Observation{Run: n + 1, Seq: seq, Response: s.Exchange.Response, Settling: &all[n]})
			}
		}
	}
	return src
}

// waits lists what is waited for in the tests of a plan, by role and title of the step.
func waits(p plan.Plan) (out []string) {
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if s.Wait == nil {
				continue
			}
			line := string(s.Role) + " " + s.Title
			for _, v := range s.Wait.Values {
				line += " " + string(v.Place) + "=" + string(v.JSON)
			}
			out = append(out, line)
		}
	}
	return out
}

// A read is waited for where replays found it done after asking again: the last of those alike, until the words that
// were others before are as they were in the end; and what came after it in the recording comes after it in a test.
func TestWaits(t *testing.T) {
	done := exchange.Settling{Settled: true, After: 2 * time.Second, Looks: 5}
	vain := exchange.Settling{After: time.Second, Looks: 5}
	for _, tt := range []struct {
		name  string
		asked uint64
		all   []exchange.Settling
		want  []string
	}{
		{"nobody asked again", 4, nil, nil},
		{"the last one", 4, []exchange.Settling{done}, []string{
			`tested GET /jobs/{id} /body/state="done"`,
			`set-up GET /jobs/{id} /body/state="done"`}},
		{"one on the way, which was overtaken", 3, []exchange.Settling{{Early: true}}, []string{
			`tested GET /jobs/{id} /body/state="done"`,
			`set-up GET /jobs/{id} /body/state="done"`}},
		{"often in vain", 4, []exchange.Settling{done, vain}, nil},
	} {
		src := settling(session(t, job...), tt.asked, tt.all...)
		got := waits(build(t, src, Options{All: true}))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	src := settling(session(t, job...), 4, done)
	if p := build(t, src, Options{All: true}); patienceOf(p) != 10*time.Second {
		t.Errorf("a test waits %s", patienceOf(p))
	}
}

// What the recording and replays saw of a wait goes with it: how long it took, how often to ask, and the end that nothing
// follows. A wait of which no word was known gets those of its end.
func TestWaitsAreLearned(t *testing.T) {
	lines := append(slices.Clone(job[:1]), `GET /jobs/job-0123456789 > 200 {"state":"done","of":"tea"}`,
		`POST /jobs {"of":"mud"} > 202 {"id":"job-1111111111"}`, `GET /jobs/job-1111111111 > 200 {"state":"failed","of":"mud"}`)
	src := session(t, lines...)
	for n := range 3 {
		for i := range src.Steps {
			s := &src.Steps[i]
			o := &exchange.Observation{Run: n + 1, Seq: s.Exchange.Seq, Start: s.Exchange.Start, Response: s.Exchange.Response}
			if s.Exchange.Request.Method == "GET" {
				o.Response = reply(404, jsonType, `{"error":"none"}`)
				o.Settling = &exchange.Settling{Settled: true, After: time.Duration(n+1) * time.Second, Looks: 5}
			}
			s.Observations = append(s.Observations, o)
		}
	}
	var seen []string
	for _, test := range build(t, src, Options{All: true}).Tests {
		for _, s := range test.Steps {
			if w := s.Wait; w != nil && s.Role == plan.Tested {
				text := w.Comment() + " " + w.Every.String()
				for _, v := range w.Values {
					text += " " + string(v.JSON)
				}
				for _, v := range w.InVain {
					text += " not " + string(v.JSON)
				}
				seen = append(seen, text)
			}
		}
	}
	for i, want := range []string{` "tea" "done" not "failed"`, ` "mud" "failed"`} {
		if len(seen) != 2 || !strings.HasPrefix(seen[i], "Ready ") || !strings.HasSuffix(seen[i], want) || !strings.Contains(seen[i], " in 4 reads.") {
			t.Errorf("known is %q, want %q of the one", seen, want)
		}
	}
}

func patienceOf(p plan.Plan) (longest time.Duration) {
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			longest = max(longest, s.Wait.Most())
		}
	}
	return longest
}

// What is waited for in vain in a trial is not waited for in the suite.
func TestWaitsInVain(t *testing.T) {
	src := settling(session(t, job...), 4, exchange.Settling{Settled: true})
	p := build(t, src, Options{All: true})
	for i := range p.Tests {
		for j := range p.Tests[i].Steps {
			if w := p.Tests[i].Steps[j].Wait; w != nil {
				w.Patience = 0
			}
		}
	}
	var answers play.Answers
	err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) {
		if r.Method == "POST" {
			return reply(202, jsonType, `{"id":"job-9876543210"}`), nil
		}
		return reply(200, jsonType, `{"state":"new","of":"tea"}`), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := waits(build(t, src, Options{All: true, Answers: answers})); got != nil {
		t.Errorf("waited for is %q", got)
	}
}
