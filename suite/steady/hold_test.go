package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// job is an API that has work to do: it is asked for a job that was made, and read once, or twice if states has two
// for each run.
func job(states func(run int) []string, settles func(run int) bool) world {
	w := world{requests: []string{"POST /jobs HTTP/1.1\nHost: a"}}
	for range states(0) {
		w.requests = append(w.requests, "GET /jobs/7 HTTP/1.1\nHost: a")
	}
	w.answer = func(run, n int, _ time.Time) string {
		if n == 0 {
			return "HTTP/1.1 202 Accepted\nContent-Type: application/json\n\n{}"
		}
		return asJSON(states(run)[n-1])
	}
	w.settling = func(run, n int) *exchange.Settling {
		if n == 0 || !settles(run) {
			return nil
		}
		return &exchange.Settling{Settled: true, After: 300 * time.Millisecond, Looks: 3}
	}
	return w
}

func asJSON(body string) string { return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + body }

// of returns what a job says: its state, what came of it, and a value that is drawn for each answer.
func of(state string, total any, draw int) string {
	return fmt.Sprintf(`{"state":%q,"total":%v,"draw":%d}`, state, total, draw)
}

// What moved since reads came early, or since some work ended otherwise, is not held still: a client is told that a job is
// pending, has failed, or is something that was never seen. What moves by itself is held still all the same.
func TestStagesAreNotHeldStill(t *testing.T) {
	never := func(int) bool { return false }
	odd := func(run int) bool { return run%2 == 1 }
	draw := func(run int) int { return 1000 + run*617%809 }
	done := func(run int) string { return of("done", 42, draw(run)) }
	pending := func(run int) string { return of("pending", "null", draw(run)) }
	early := job(func(run int) []string {
		if odd(run) {
			return []string{pending(run)}
		}
		return []string{done(run)}
	}, odd)
	bad := job(func(run int) []string {
		switch {
		case run%3 == 2:
			return []string{of("failed", "null", draw(run))}
		case run%3 == 1:
			return []string{pending(run)}
		}
		return []string{done(run)}
	}, func(run int) bool { return run%3 == 1 })
	polled := job(func(run int) []string {
		if run%3 == 1 {
			return []string{done(run), done(run)}
		}
		return []string{pending(run), done(run)}
	}, never)
	progress := job(func(run int) []string {
		n := 100
		if odd(run) {
			n = 10 + run
		}
		return []string{fmt.Sprintf(`{"percent":%d,"draw":%d}`, n, draw(run)), fmt.Sprintf(`{"percent":100,"draw":%d}`, draw(run))}
	}, never)
	// a job that starts later, with what is there once it did
	starts := job(func(run int) []string {
		states := []string{`{"state":"pending","items":[]}`, `{"state":"running","since":7,"items":[]}`, `{"state":"done","since":7,"items":["a"]}`}
		return []string{states[1-run%2], states[2]}
	}, never)
	inList := job(func(run int) []string {
		states := []string{`{"all":[{"id":"a","state":"pending"}]}`, `{"all":[{"id":"a","state":"running","since":7}]}`, `{"all":[{"id":"a","state":"done","since":7}]}`}
		if run%3 == 1 {
			return []string{states[0], states[1]}
		}
		return []string{states[1-run%2], states[2]}
	}, never)
	list := job(func(run int) []string {
		wrap := func(s string) string { return `{"items":[{"id":"a",` + strings.TrimPrefix(s, "{") + `]}` }
		if odd(run) {
			return []string{wrap(pending(run)), wrap(done(run))}
		}
		return []string{wrap(done(run)), wrap(done(run))}
	}, never)
	index := job(func(run int) []string {
		if odd(run) {
			return []string{fmt.Sprintf(`{"hits":[],"draw":%d}`, draw(run))}
		}
		return []string{fmt.Sprintf(`{"hits":["tea"],"draw":%d}`, draw(run))}
	}, odd)
	const held = 1000 // what draw(0) is
	for _, tt := range []struct {
		name       string
		w          world
		read       int // which
		live, want string
	}{
		{"done", early, 1, done(5), of("done", 42, held)},
		{"pending", early, 1, pending(5), of("pending", "null", held)},
		{"failed, which none did", early, 1, of("failed", "null", draw(5)), of("failed", "null", held)},
		{"another word", early, 1, of("dome", 42, draw(5)), of("dome", 42, held)},
		{"done, and nothing came of it", early, 1, of("done", "null", draw(5)), of("done", "null", held)},
		{"done, and another type came of it", early, 1, of("done", `"42"`, draw(5)), of("done", `"42"`, held)},
		{"no state", early, 1, fmt.Sprintf(`{"total":42,"draw":%d}`, draw(5)), fmt.Sprintf(`{"total":42,"draw":%d}`, held)},
		{"null for a state", early, 1, `{"state":null,"total":42}`, `{"state":null,"total":42}`},
		{"done, others failed", bad, 1, done(5), of("done", 42, held)},
		{"failed as others did", bad, 1, of("failed", "null", draw(5)), of("failed", "null", held)},
		{"pending where others failed", bad, 1, pending(5), of("pending", "null", held)},
		{"pending as recorded", polled, 1, pending(5), of("pending", "null", held)},
		{"done sooner than recorded", polled, 1, done(5), of("pending", "null", held)},
		{"failed where it was pending", polled, 1, of("failed", "null", draw(5)), of("failed", "null", held)},
		{"pending where it was done", polled, 2, pending(5), of("pending", "null", held)},
		{"not as far on its way", starts, 1, `{"state":"pending","items":[]}`, `{"state":"running","since":7,"items":[]}`},
		{"further on its way", starts, 1, `{"state":"done","since":7,"items":[]}`, `{"state":"running","since":7,"items":[]}`},
		{"on its way where it was done", starts, 2, `{"state":"running","since":7,"items":[]}`, `{"state":"running","since":7,"items":[]}`},
		{"not as far on its way, in a list", inList, 1, `{"all":[{"id":"a","state":"pending"}]}`, `{"all":[{"id":"a","state":"running","since":7}]}`},
		{"on its way where it was done, in a list", inList, 2, `{"all":[{"id":"a","state":"pending"}]}`, `{"all":[{"id":"a","state":"pending"}]}`},
		{"a number that goes on", progress, 2, fmt.Sprintf(`{"percent":70,"draw":%d}`, draw(5)), fmt.Sprintf(`{"percent":70,"draw":%d}`, held)},
		{"in a list", list, 1, `{"items":[{"id":"a","state":"pending","total":null,"draw":1500}]}`, `{"items":[{"id":"a","state":"pending","total":null,"draw":1000}]}`},
		{"failed in a list", list, 2, `{"items":[{"id":"a","state":"failed","total":null,"draw":1500}]}`, `{"items":[{"id":"a","state":"failed","total":null,"draw":1000}]}`},
		{"a list that fills", index, 1, `{"hits":[],"draw":1500}`, `{"hits":[],"draw":1000}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, raw := tt.w.learned(t)
			for n := range tt.read {
				say(s, tt.w.requests[n], tt.w.answer(0, n, began(live)))
			}
			*raw = nil
			_, shown := say(s, tt.w.requests[tt.read], asJSON(tt.live))
			if _, body, _ := strings.Cut(shown, "\r\n\r\n"); body != tt.want {
				t.Errorf("of %s the client sees %s, want %s; passed: %q", tt.live, body, tt.want, *raw)
			}
		})
	}
}

// A number that comes with the end alone, and is the same in the ends that replays waited for, is not held still: a wrong
// one passes. One that is another each time is.
func TestWhatComesWithTheEnd(t *testing.T) {
	draw := func(run int) int { return 1000 + run*617%809 }
	number := func(run int) int { return 7000 + run*613%797 }
	end := func(run, total int) string {
		return fmt.Sprintf(`{"state":"done","total":%d,"number":%d,"draw":%d}`, total, number(run), draw(run))
	}
	w := job(func(run int) []string {
		if run == 0 {
			return []string{end(0, 42)}
		}
		return []string{fmt.Sprintf(`{"state":"pending","draw":%d}`, draw(run))}
	}, func(run int) bool { return run > 0 })
	settling := w.settling
	w.settling = func(run, n int) *exchange.Settling {
		s := settling(run, n)
		if s != nil {
			s.End = exchange.ParseResponse(message(asJSON(end(run, 42))))
		}
		return s
	}
	for _, tt := range []struct{ live, want string }{
		{end(5, 42), end(0, 42)},
		{end(5, 41), strings.Replace(end(0, 41), fmt.Sprint(number(0)), fmt.Sprint(number(5)), 1)},
	} {
		s, raw := w.learned(t)
		say(s, w.requests[0], w.answer(0, 0, began(live)))
		*raw = nil
		_, shown := say(s, w.requests[1], asJSON(tt.live))
		if _, body, _ := strings.Cut(shown, "\r\n\r\n"); body != tt.want {
			t.Errorf("of %s the client sees %s, want %s; passed: %q", tt.live, body, tt.want, *raw)
		}
	}
}

// What changed while the same was read again in one execution alone is no progress: what is drawn for each answer does so.
func TestOneExecutionIsNoProgress(t *testing.T) {
	moods := []string{"glad", "sad", "mad"}
	w := job(func(run int) []string {
		note := "null"
		if run%3 == 0 {
			note = `"n"`
		}
		return []string{`{"mood":"` + moods[run%3] + `","note":` + note + `,"of":[{"id":"a","mood":"` + moods[run%3] + `"}]}`}
	}, func(run int) bool { return run == 1 })
	s, raw := w.learned(t)
	say(s, w.requests[0], w.answer(0, 0, began(live)))
	if _, shown := say(s, w.requests[1], w.answer(2, 1, began(live))); !strings.HasSuffix(shown, `{"mood":"glad","note":"n","of":[{"id":"a","mood":"glad"}]}`) {
		t.Errorf("the client sees %s; passed: %q", shown, *raw)
	}
}

// Words that go there and back while the same is read again tell no stage: they move by themselves.
func TestWordsThatGoBackAreHeldStill(t *testing.T) {
	moods := []string{"glad", "sad", "mad"}
	w := job(func(run int) []string {
		return []string{`{"mood":"` + moods[run%3] + `"}`, `{"mood":"` + moods[(run/3+run)%3] + `"}`}
	}, func(int) bool { return false })
	s, raw := w.learned(t)
	say(s, w.requests[0], w.answer(0, 0, began(live)))
	if _, shown := say(s, w.requests[1], asJSON(`{"mood":"mad"}`)); !strings.HasSuffix(shown, `{"mood":"glad"}`) {
		t.Errorf("the client sees %s; passed: %q", shown, *raw)
	}
}
