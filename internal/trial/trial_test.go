package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/demoapi"
	"github.com/flaketap/flaketap/volatility"
)

// subjectOf returns the truth API as a seed sets its dials: 0 are the defaults.
func subjectOf(seed uint64, rounds int) *Subject {
	rng := rand.New(rand.NewPCG(seed, 0x7365656473))
	at := time.Date(2026, 6, 16, 9, 23, 11, 123_456_789, time.UTC)
	dials := demoapi.Dials{Seed: seed + 1, Environment: demoapi.Environment{Hostname: "build-7f3c", PID: 48213, TempDir: "/tmp", User: "uid-1000"}}
	s := &Subject{
		Reset: "/admin/reset", SequenceHeader: demoapi.SequenceHeader, Listen: "127.0.0.1:8877", Port: 40311,
		Environment: []string{"build-7f3c", "runner", "/tmp"},
	}
	if seed > 0 {
		at = at.Add(time.Duration(rng.Int64N(int64(250 * 24 * time.Hour))))
		s.Latency = time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
		dials.ClockOffset = time.Duration(rng.Int64N(int64(6*time.Second))) - 3*time.Second
		around := func(p float64) float64 { return p * (0.5 + 1.5*rng.Float64()) }
		dials.NullChance, dials.FieldChance, dials.RareChance = around(1.0/5), around(1.0/3), around(1.0/30)
	}
	s.Clock = NewClock(at, seed)
	dials.Clock = s.Clock.Read
	api := demoapi.New(dials)
	s.Handler = api
	s.Drive = func(ctx context.Context, baseURL string, transport http.RoundTripper, pause func(context.Context, time.Duration) error) error {
		return demoapi.DriveBy(ctx, baseURL, rounds, transport, pause)
	}
	return s
}

func judged(m *volatility.Map) []demoapi.Judged {
	var all []demoapi.Judged
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			all = append(all, demoapi.Judged{
				Method: op.Method, Template: op.Template, Status: op.Status, Place: f.Place,
				Volatile: f.Volatile(), Category: string(f.Category),
			})
		}
	}
	return all
}

func TestFindings(t *testing.T) {
	truth, err := demoapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(31) {
		s, err := Play(t.Context(), subjectOf(seed, 3), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, runs := range []int{10, 1} {
			m, err := s.Judge(runs)
			if err != nil {
				t.Fatal(err)
			}
			r := demoapi.Score(truth, judged(m))
			fmt.Printf("seed %d runs %d: precision %.3f recall %.3f category %.3f, %d places of %d operations, unseen %d\n", seed, runs, r.Precision, r.Recall, r.Category, r.Places, r.Operations, r.Unseen)
			for _, l := range []struct {
				name string
				all  []demoapi.Disagreement
			}{{"FP", r.FalsePositives}, {"FN", r.FalseNegatives}, {"CAT", r.WrongCategories}} {
				for _, d := range l.all {
					fmt.Printf("   %s %s\n", l.name, d)
					for _, op := range m.Operations {
						if op.Status != d.Status || op.Method != d.Method {
							continue
						}
						for _, f := range op.Fields {
							if (f.Place == d.Place || f.Place.Matches(d.Place) || d.Place.Matches(f.Place)) && shape(op.Template) == shape(d.Template) {
								fmt.Printf("        %s %s %v samples %s changed %d/%d exchanges %d\n", op.Template, f.Judgement, f.Evidence, f.Samples, f.Changed, f.Of, op.Exchanges)
							}
						}
					}
				}
			}
			for _, u := range r.Unlabelled {
				fmt.Printf("   UNLABELLED %v\n", u)
			}
		}
	}
}

func shape(t string) string {
	out := ""
	in := false
	for _, c := range t {
		if c == '{' {
			in = true
			out += "{}"
		}
		if !in {
			out += string(c)
		}
		if c == '}' {
			in = false
		}
	}
	return out
}
