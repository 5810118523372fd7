package mend

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
)

// shelves is an API whose shelves are not found until a while after they were read for the first time. Its clock goes
// on by its answers alone.
type shelves struct {
	lateTrier
	begun map[string]time.Time // by path
	never string               // the path that is never found
}

func newShelves() *shelves {
	return &shelves{lateTrier: lateTrier{settles: 300 * time.Millisecond}, begun: map[string]time.Time{}}
}

func (s *shelves) Watch(_ context.Context, all []*exchange.Exchange, _ []exchange.Binding,
	again func(*exchange.Observation) bool) (out []*exchange.Observation, _ error) {
	s.plays++
	s.begun = map[string]time.Time{}
	for _, e := range all {
		for {
			o := &exchange.Observation{Seq: e.Seq, Start: s.now, Latency: time.Millisecond, Sent: e.Request}
			s.now = s.now.Add(20 * time.Millisecond)
			o.Response = s.answer(&e.Request, o.Start)
			if out = append(out, o); !again(o) {
				break
			}
		}
	}
	return out, nil
}

func (s *shelves) answer(r *exchange.Request, at time.Time) *exchange.Response {
	begun, known := s.begun[r.Target]
	switch {
	case r.Method == "POST":
		return answer(202, `{"id":7}`)
	case !known:
		s.begun[r.Target] = at
	case r.Target != s.never && at.Sub(begun) >= s.settles:
		return answer(200, `{"of":"tea"}`)
	}
	return answer(404, `{"error":"none"}`)
}

// alike is the beginning of a file of tests, and of its test, whose function raises an error for a shelf that is not found.
const alike = `const BASE = "http://a:1";

const shelf = async (id) => {
  const r = await fetch(` + "`${BASE}/shelf/${id}`" + `);
  if (!r.ok) throw new Error(` + "`status ${r.status}`" + `);
  return r.json();
};

test("alike", async () => {
  await fetch(` + "`${BASE}/jobs`" + `, { method: "POST" });
`

// A read that is held against one which waits already comes to wait as well: a trial asks for the first until it is
// ready, as the test does.
func TestHeldAgainstOneThatWaits(t *testing.T) {
	once := shelvesPatched(t, newShelves(), alike+"  expect((await shelf(1)).of).toEqual((await shelf(2)).of);\n});\n", "POST /jobs", "GET /shelf/1")
	if strings.Count(once, "pollFor(() => ") != 1 {
		t.Fatalf("becomes\n%s", once)
	}
	byHand := alike + `  let one;
  do {
    one = await fetch(` + "`${BASE}/shelf/1`" + `);
  } while (one.status === 404);
  const body = await one.json();
  expect((await shelf(2)).of).toEqual(body.of);
});
`
	for _, tt := range []struct {
		text, holds string
		waits       int
	}{
		{once, "  expect(answer2.of).toEqual(answer3.of);\n", 2},
		{once + "// answer3\n", "  expect(answer2.of).toEqual(answer6.of);\n", 2},
		{byHand, "  expect(answer3.of).toEqual(body.of);\n", 1},
		{strings.ReplaceAll(byHand, "/shelf/1", "/rack/1"), "  expect(answer3.of).toEqual(body.of);\n", 1}, // another operation
	} {
		first := "GET /shelf/1"
		if strings.Contains(tt.text, "/rack/1") {
			first = "GET /rack/1"
		}
		out := shelvesPatched(t, newShelves(), tt.text, "POST /jobs", first, first, "GET /shelf/2")
		if strings.Count(out, "pollFor(() => ") != tt.waits || !strings.Contains(out, tt.holds) {
			t.Errorf("becomes\n%s", out)
		}
	}
}

// One trial is enough where none but the read that the test waits for already comes to be ready.
func TestHeldAgainstOneThatNeverComes(t *testing.T) {
	api := newShelves()
	once := shelvesPatched(t, newShelves(), alike+"  expect((await shelf(1)).of).toEqual((await shelf(2)).of);\n});\n", "POST /jobs", "GET /shelf/1")
	api.never = "/shelf/2"
	if out := shelvesPatched(t, api, once, "POST /jobs", "GET /shelf/1", "GET /shelf/1", "GET /shelf/2"); api.plays != 1 {
		t.Errorf("%d trials; becomes\n%s", api.plays, out)
	}
}

// shelvesPatched is a file whose tests were seen to send some requests, patched with trials.
func shelvesPatched(t *testing.T, api *shelves, text string, lines ...string) string {
	t.Helper()
	src := suite.Source{Operations: map[uint64]exchange.Operation{}}
	at := time.Time{}
	for i, line := range lines {
		method, path, _ := strings.Cut(line, " ")
		e := call(uint64(i+1), method, path, nil)
		e.Start, e.Latency, e.Addr = at, time.Millisecond, "a:1"
		e.Response = api.answer(&e.Request, at)
		at = at.Add(400 * time.Millisecond)
		src.Operations[e.Seq] = exchange.Operation{Method: method, Template: strings.TrimRight(path, "12")}
		src.Steps = append(src.Steps, exchange.Step{Exchange: e})
	}
	r := New([]File{{Name: "a.test.js", Path: "a.test.js", Data: []byte(text)}}, Options{Source: src})
	s := TrySetUps(nil, flow.Rules{}, []setup.Trier{api}, 1, &console.Console{Quiet: true})
	if err := r.findWaits(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	out := string(r.Patch()[0].Data)
	return out
}
