package parts

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/internal/testbed/trial"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// material is what a judgement is made of. It takes the place of who judges, to get hold of that.
type material struct {
	volatility.Case
	steps []exchange.Step
}

func (m *material) Judge(_ context.Context, c *volatility.Case, steps iter.Seq2[exchange.Step, error]) (*mapfile.Map, error) {
	m.Case = *c
	for s, err := range steps {
		if err != nil {
			return nil, err
		}
		m.steps = append(m.steps, s)
	}
	return &mapfile.Map{}, nil
}

func (m *material) all() iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for _, s := range m.steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// of is what the judgement of a recording is made of. Runs of a client are taken for replays: so operations can be
// judged apart, whatever a client makes up.
func of(t *testing.T, path string) *material {
	t.Helper()
	m := &material{}
	if _, err := analysis.Judge(path, analysis.Options{Elsewhere: m}); err != nil {
		t.Fatal(err)
	}
	m.Runs = slices.Clone(m.Runs)
	for i := range m.Runs {
		m.Runs[i].Kind = exchange.RunReplay
	}
	return m
}

// imported is a recording of HAR files, the first of which is the recording, and the others are runs.
func imported(t *testing.T, files ...string) *material {
	t.Helper()
	db := filepath.Join(t.TempDir(), "r.db")
	if err := capture.Import(capture.ImportOptions{Destination: capture.Destination{DB: db}, Files: files[:1]}); err != nil {
		t.Fatal(err)
	}
	if len(files) > 1 {
		if err := capture.ImportRuns(capture.ImportOptions{Destination: capture.Destination{DB: db}, Files: files[1:]}); err != nil {
			t.Fatal(err)
		}
	}
	return of(t, db)
}

// demo is the truth API, driven by its own client and replayed.
func demo(t *testing.T) *material {
	t.Helper()
	clock := trial.NewClock(time.Date(2026, 6, 16, 9, 23, 11, 123_456_789, time.UTC), 3)
	s, err := trial.Play(t.Context(), &trial.Subject{
		Handler: demoapi.New(demoapi.Dials{Seed: 4, Clock: clock.Read, Environment: demoapi.Environment{Hostname: "build-7f3c",
			PID: 48213, TempDir: "/tmp", User: "uid-1000"}}),
		Drive: func(ctx context.Context, url string, transport http.RoundTripper, pause func(context.Context, time.Duration) error) error {
			return demoapi.DriveBy(ctx, url, 1, transport, pause)
		},
		Reset: "/admin/reset", SequenceHeader: demoapi.SequenceHeader, Clock: clock,
		Listen: "127.0.0.1:8877", Port: 40311,
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	return &material{volatility.Case{Recording: s.Recording, Runs: s.Runs, Operations: s.Operations, Bindings: s.Bindings,
		Options: volatility.Options{Environment: []string{"build-7f3c", "uid-1000", "/tmp"}}}, s.Steps}
}

// inParts judges in so many parts, of which each goes over the wire, there and back.
func inParts(t *testing.T, m *material, parts int) *mapfile.Map {
	t.Helper()
	d, err := volatility.NewDivider(&m.Case, parts)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([][]byte, parts)
	for _, s := range m.steps {
		_ = d.Take(s, func(part int, p volatility.Piece) error {
			blocks[part] = appendPiece(blocks[part], p)
			return nil
		})
	}
	job, err := encodeCase(&m.Case)
	if err != nil {
		t.Fatal(err)
	}
	var all []*verdict.Operation
	for part, block := range blocks {
		own, err := encode(list{Blocks: []int{parts}, Totals: d.Totals()})
		if err != nil {
			t.Fatal(err)
		}
		content, err := Judge(t.Context(), job, part, func(number int) ([]byte, error) {
			if number == part {
				return own, nil
			}
			return block, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := decodeFound(content)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return d.Map(all)
}

func encoded(t testing.TB, m *mapfile.Map) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, mapfile.EncodeOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSameMap: however many parts a recording is judged in, its map is the same, byte for byte.
func TestSameMap(t *testing.T) {
	har := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join("..", "..", "..", filepath.FromSlash(n)))
		}
		return out
	}
	for name, m := range map[string]func(*testing.T) *material{
		"truth API": demo,
		"shop":      func(t *testing.T) *material { return of(t, recorded.Write(t, recorded.Shop(), 4)) },
		"market":    func(t *testing.T) *material { return of(t, recorded.Write(t, recorded.Market(), 3)) },
		"no runs":   func(t *testing.T) *material { return of(t, recorded.Write(t, recorded.Shop(), 0)) },
		"wide":      func(t *testing.T) *material { return of(t, recorded.Write(t, recorded.Wide(20, 5), 2)) },
		"fuzzed":    func(t *testing.T) *material { return imported(t, har("formats/testdata/schemathesis.har")...) },
		"bytes":     func(t *testing.T) *material { return imported(t, har("formats/testdata/schemathesis-bytes.har")...) },
		"session":   func(t *testing.T) *material { return imported(t, har("formats/testdata/features-session.har.gz")...) },
		"features": func(t *testing.T) *material {
			return imported(t, har("suite/testdata/evomaster/features/runs/01.har.gz", "suite/testdata/evomaster/features/runs/02.har.gz",
				"suite/testdata/evomaster/features/runs/11.har.gz")...)
		},
		"news": func(t *testing.T) *material {
			return imported(t, har("suite/testdata/evomaster/news/runs/01.har.gz", "suite/testdata/evomaster/news/runs/02.har.gz",
				"suite/testdata/evomaster/news/runs/11.har.gz")...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := m(t)
			whole, err := m.Case.Judge(m.all())
			if err != nil {
				t.Fatal(err)
			}
			want := encoded(t, whole)
			for _, parts := range []int{1, 2, 3, 7} {
				if diff := cmp.Diff(want, encoded(t, inParts(t, m, parts))); diff != "" {
					t.Errorf("in %d parts:\n%s", parts, diff)
				}
			}
		})
	}
}

// TestBlock: a piece comes back as it was, and what is cut does not come back.
func TestBlock(t *testing.T) {
	at := time.Unix(1_700_000_000, 5).UTC()
	sent := exchange.ParseRequest(exchange.Message{Head: []byte("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")})
	fault := &exchange.Fault{Kind: exchange.FaultReset}
	p := volatility.Piece{
		Events: []across.Event{{Kind: across.Host, Text: "a:80"}, {Kind: across.Created, Name: "at", Text: "\"\xff\""},
			{Kind: across.Wrote, Run: 2, At: at}, {Kind: across.Started, Run: -1}, {Kind: across.Learned, Number: 7, Run: 1, Text: "x"}},
		Operation: exchange.Operation{Host: "h", Method: "GET", Template: "/a"},
		Step: exchange.Step{Exchange: &exchange.Exchange{Seq: 9, Start: at, Request: sent, Fault: fault},
			Observations: []*exchange.Observation{{Run: 3, Seq: 9, Start: at, Sent: sent, Fault: fault}}},
	}
	alone := volatility.Piece{Events: []across.Event{{Kind: across.Held, Number: 5}}}
	block := appendPiece(appendPiece(nil, p), alone)
	r := reader{rest: block}
	for _, want := range []volatility.Piece{p, alone} {
		got, err := r.piece()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprintf("%+v", want.Events), fmt.Sprintf("%+v", got.Events)); diff != "" {
			t.Error(diff)
		}
		if got.Operation != want.Operation || told(got.Step) != told(want.Step) {
			t.Errorf("got %+v", got)
		}
	}
	for n := range block {
		r := reader{rest: block[:n]}
		var err error
		for err == nil && len(r.rest) > 0 {
			_, err = r.piece()
		}
		if whole := len(appendPiece(nil, p)); n != 0 && n != whole && err == nil {
			t.Errorf("%d bytes of %d are taken for a block", n, len(block))
		}
	}
}

// told is what a step tells, apart from what messages say.
func told(s exchange.Step) string {
	if s.Exchange == nil {
		return "nothing"
	}
	out := fmt.Sprint(s.Exchange.Seq, s.Exchange.Start, s.Exchange.Fault)
	for _, o := range s.Observations {
		out += fmt.Sprint("; ", o.Run, o.Seq, o.Start, o.Fault)
	}
	return out
}

func FuzzBlock(f *testing.F) {
	sent := exchange.ParseRequest(exchange.Message{Head: []byte("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")})
	answer := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte("hi")})
	f.Add(appendPiece(nil, volatility.Piece{Events: []across.Event{{Kind: across.Wrote, Run: -2, At: time.Unix(1, 2)}},
		Step: exchange.Step{Exchange: &exchange.Exchange{Seq: 1, Request: sent, Response: answer},
			Observations: []*exchange.Observation{{Run: 1, Seq: 1, Sent: sent, Response: answer}}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := reader{rest: b}
		for r.err == nil && len(r.rest) > 0 {
			p, err := r.piece()
			if err != nil {
				return
			}
			again := reader{rest: appendPiece(nil, p)}
			if q, err := again.piece(); err != nil || len(q.Events) != len(p.Events) ||
				len(q.Step.Observations) != len(p.Step.Observations) {
				t.Errorf("a piece comes back as another: %v", err)
			}
		}
	})
}

func FuzzCase(f *testing.F) {
	content, err := encodeCase(&volatility.Case{Runs: []exchange.Run{{Number: 1}}, Bindings: []exchange.Binding{{Value: "1000"}},
		Operations: map[uint64]exchange.Operation{0: {Method: "GET", Template: "/a"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCase(b)
		if err != nil {
			return
		}
		if _, err := encodeCase(c); err != nil {
			t.Errorf("it cannot be written again: %v", err)
		}
	})
}

func FuzzFound(f *testing.F) {
	zero := 0
	for _, holds := range []mapfile.Holds{{MinLength: &zero, MaxLength: &zero}, {Relations: []relation.Relation{{Is: relation.Equal}}}} {
		content, err := encodeFound([]*verdict.Operation{{Status: 200, Places: []*verdict.Place{
			{Field: &mapfile.Field{Place: "/body", Holds: holds}}}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := decodeFound(b)
		if err != nil {
			return
		}
		if again, err := encodeFound(all); err != nil {
			t.Error(err)
		} else if other, err := decodeFound(again); err != nil || len(other) != len(all) {
			t.Errorf("it comes back as another: %v", err)
		}
		verdict.Finish(&mapfile.Map{}, all, exchange.Redactor{})
	})
}
