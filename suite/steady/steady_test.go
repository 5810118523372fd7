package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/steady"
)

// shop is an API with all kinds of values.
func shop() world {
	return world{
		requests: []string{
			"GET /price HTTP/1.1\nHost: a",
			"POST /orders HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"product\": 7}",
			"GET /orders/" + uuid(0, 1) + " HTTP/1.1\nHost: a",
			"GET /search HTTP/1.1\nHost: a",
			"DELETE /orders/" + uuid(0, 1) + " HTTP/1.1\nHost: a",
		},
		answer: func(run, n int, at time.Time) string {
			const head = "HTTP/1.1 200 OK\nContent-Type: application/json\n"
			id := uuid(run, 1)
			switch n {
			case 0:
				base, jitter := 1000, (run*37)%97
				return head + "X-Request-Id: " + uuid(run, 5) + "\n\n" +
					fmt.Sprintf("{\n  \"base\": %d,\n  \"jitter\": %d, \"total\": %d,\n  \"at\":%q , \"currency\": \"EUR\"\n}\n", base, jitter, base+jitter, stamp(at))
			case 1:
				return "HTTP/1.1 201 Created\nContent-Type: application/json\nLocation: /orders/" + id + "\n\n" +
					fmt.Sprintf(`{"id":%q,"product":7,"state":"new","createdAt":%q}`, id, stamp(at))
			case 2:
				return head + "\n" + fmt.Sprintf(`{"id":%q,"product":7,"state":"new","self":"/orders/%s/items"}`, id, id)
			case 3:
				hits := []string{`{"name": "a", "n": 1}`, `{"name": "b", "n": 2}`, `{"name": "c", "n": 3}`, `{"name": "d", "n": 4}`}
				k := run % 4
				hits = append(hits[k:len(hits):len(hits)], hits[:k]...)
				if run%3 == 1 {
					hits[0], hits[1] = hits[1], hits[0]
				}
				return head + "\n{\"hits\": [" + strings.Join(hits, ",\n ") + "], \"took\": " + fmt.Sprint(3+run*7%11) + "}"
			default:
				return "HTTP/1.1 204 No Content\n"
			}
		},
	}
}

// play says what the client of the recording says, with an API that answers as in another run, and its answers changed.
func (w world) play(s *steady.Steady, change func(n int, answer string) string) (sent, shown []string) {
	for n, r := range w.requests {
		answer := w.answer(live, n, began(live))
		if change != nil {
			answer = change(n, answer)
		}
		a, b := say(s, r, answer)
		sent, shown = append(sent, a), append(shown, b)
	}
	return sent, shown
}

// The client sees what was recorded, byte for byte, whatever the API answers; the API is asked for what it gave.
func TestClientSeesRecording(t *testing.T) {
	w := shop()
	s, raw := w.learned(t)
	sent, shown := w.play(s, nil)
	for n := range shown {
		want := onWire(w.answer(0, n, began(0).Add(time.Duration(n)*time.Second)))
		if n == 3 { // white space between elements is that of the live answer
			shown[n], want = strings.ReplaceAll(shown[n], ",\n ", ","), strings.ReplaceAll(want, ",\n ", ",")
		}
		if diff := cmp.Diff(want, shown[n]); diff != "" {
			t.Errorf("answer %d (-recorded +shown):\n%s", n, diff)
		}
	}
	for _, n := range []int{2, 4} {
		if !strings.Contains(sent[n], "/orders/"+uuid(live, 1)+" ") {
			t.Errorf("sent %q", sent[n])
		}
	}
	if len(*raw) > 0 {
		t.Errorf("raw: %q", *raw)
	}
	sum := s.Summary()
	if sum.Requests != 5 || sum.Found != 5 || sum.Answers != 4 || sum.Passed != 0 || sum.HeldValues() < 6 || sum.Ids < 3 || sum.Ordered != 1 {
		t.Errorf("summary %+v", sum)
	}
}

// What is not what was learned passes, and the reason says why.
func TestRegressionsPass(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         int // which answer
		from, to  string
		seen, why string // in what the client sees; in what is told
	}{
		{"stable value", 0, `"EUR"`, `"USD"`, `"USD"`, "/body/currency: not known to move"},
		{"type of a volatile value", 0, `"at":"`, `"at":7, "was":"`, `"at":7`, "/body/at: not a string"},
		{"format of a volatile value", 0, `-11T`, `-11X`, `-11X`, "/body/at: not in the format rfc3339"},
		{"clock", 0, `"at":"20`, `"at":"19`, `"at":"19`, "/body/at: not within"},
		{"relation", 0, `"jitter": 4`, `"jitter": 5`, `"total": 1040`, "/body/total: not offset of /body/jitter"},
		{"retyped", 0, `"base": 1000`, `"base": "1000"`, `"base": "1000"`, "/body/base: not known to move"},
		{"dropped", 0, `"currency": "EUR"`, `"c": 1`, `"c": 1`, "/body/currency: missing"},
		{"added", 1, `"product":7`, `"product":7,"more":1`, `"more":1`, "/body/more: not in the recording"},
		{"wrong id", 2, uuid(live, 1), uuid(live, 2), uuid(live, 2), "/body/id: not what POST /orders /body/id gave"},
		{"element", 3, `"n": 3`, `"n": 9`, `{"name": "c", "n": 9}`, "/body/hits/"},
		{"element gone", 3, `{"name": "d", "n": 4}`, `null`, "null", "/body/hits/"},
		{"array gone", 3, `"hits"`, `"hots"`, `"hots"`, "/body/hits: missing"},
		{"no JSON", 0, `{`, ``, "EUR", "/body: no JSON"},
		{"header gone", 0, "X-Request-Id", "X-Other", "X-Other", "/header/x-request-id: missing"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			w := shop()
			s, raw := w.learned(t)
			_, shown := w.play(s, func(n int, answer string) string {
				if n != c.n {
					return answer
				}
				changed := strings.Replace(answer, c.from, c.to, -1)
				if changed == answer {
					t.Fatalf("%q is not in %s", c.from, answer)
				}
				return changed
			})
			if !strings.Contains(shown[c.n], c.seen) {
				t.Errorf("the client sees %s", shown[c.n])
			}
			if told := strings.Join(*raw, "\n"); !strings.Contains(told, c.why) {
				t.Errorf("told %q, want %q", told, c.why)
			}
		})
	}
}

// Of an answer with another status nothing is changed.
func TestOtherStatusPasses(t *testing.T) {
	w := shop()
	s, raw := w.learned(t)
	answer := strings.Replace(w.answer(live, 0, began(live)), "200 OK", "503 Unavailable", 1)
	_, shown := say(s, w.requests[0], answer)
	if shown != onWire(answer) {
		t.Errorf("shown %s", shown)
	}
	if got := strings.Join(*raw, "\n"); got != "/status: status 503, recorded 200" {
		t.Errorf("told %q", got)
	}
}

// The reasons go into the answer where the client asks for them, and the API does not see the question.
func TestExplain(t *testing.T) {
	w := shop()
	s, _ := w.learned(t)
	answer := strings.Replace(w.answer(live, 0, began(live)), "EUR", "USD", 1)
	sent, shown := say(s, w.requests[0]+"\nFlaketap-Steady: explain", answer)
	if strings.Contains(sent, "Flaketap") {
		t.Errorf("sent %q", sent)
	}
	if !strings.Contains(shown, "\r\nFlaketap-Steady: held 4, raw 1\r\nFlaketap-Steady: raw /body/currency: not known to move\r\n\r\n") {
		t.Errorf("shown %q", shown)
	}
	if _, shown = say(s, w.requests[3], w.answer(live, 3, began(live))); strings.Contains(shown, "Flaketap") {
		t.Errorf("explained unasked: %q", shown)
	}
	s, _ = w.learned(t, func(o *steady.Options) { o.Explain = true })
	if _, shown = say(s, w.requests[3], w.answer(live, 3, began(live))); !strings.Contains(shown, "Flaketap-Steady: held 2, raw 0\r\n") {
		t.Errorf("shown %q", shown)
	}
}

// A request that was not recorded passes, with the ids that the API gave, and its answer with those that the client knows.
func TestRequestsThatWereNotRecorded(t *testing.T) {
	w := shop()
	s, raw := w.learned(t)
	for n := range 2 {
		say(s, w.requests[n], w.answer(live, n, began(live)))
	}
	sent, shown := say(s, "PUT /orders/"+uuid(0, 1)+"/note?of="+uuid(0, 1)+" HTTP/1.1\nHost: a\nX-Order: "+uuid(0, 1)+
		"\nContent-Type: application/json\n\n{\"order\": \""+uuid(0, 1)+"\"}",
		"HTTP/1.1 200 OK\nContent-Type: application/json\nLocation: /orders/"+uuid(live, 1)+"/note\n\n{\"order\":\""+uuid(live, 1)+"\", \"n\": 1}")
	if strings.Count(sent, uuid(live, 1)) != 4 || strings.Contains(sent, uuid(0, 1)) {
		t.Errorf("sent %q", sent)
	}
	if strings.Count(shown, uuid(0, 1)) != 2 || strings.Contains(shown, uuid(live, 1)) {
		t.Errorf("shown %q", shown)
	}
	if got := strings.Join(*raw, "\n"); got != ": the recording has no such request" {
		t.Errorf("told %q", got)
	}
	// What was recorded is found all the same.
	if _, shown := say(s, w.requests[2], w.answer(live, 2, began(live))); !strings.Contains(shown, uuid(0, 1)) {
		t.Errorf("shown %q", shown)
	}
}

// Plain elements of an array of any length come and go: where as many came as went, nothing else is known of it.
func TestAsManyCameAsWent(t *testing.T) {
	for _, c := range []struct{ live, shown, why string }{
		{`["d","e"]`, `["a","b"]`, ""},
		{`["b","d"]`, `["a","b"]`, ""},
		{`["a",7]`, `["a","b",7]`, "/body/tags/1: not a string"},
	} {
		w := world{requests: []string{"GET /tags HTTP/1.1\nHost: api.example\n\n"}, answer: func(run, _ int, _ time.Time) string {
			tags := `["a","b"]`
			switch {
			case run == live:
				tags = c.live
			case run > 0: // those of as many elements are the recorded ones
				tags = []string{`["a","b"]`, `["a","b","d"]`, `["e"]`, `["a","b","e","f"]`}[run%4]
			}
			return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + `{"tags":` + tags + `}`
		}}
		s, raw := w.learned(t)
		_, shown := w.play(s, nil)
		if want := `{"tags":` + c.shown + `}`; !strings.HasSuffix(shown[0], want) {
			t.Errorf("of %s the client sees %s, want %s", c.live, shown[0], want)
		}
		if told := strings.Join(*raw, "\n"); told != c.why {
			t.Errorf("of %s it is told %q, want %q", c.live, told, c.why)
		}
	}
}
