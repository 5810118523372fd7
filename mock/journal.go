package mock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Asked is a call as tests assert it: what the API asked of a service, and how often in a row.
type Asked struct {
	Service string `json:"service"` // host:port
	Method  string `json:"method"`
	Target  string `json:"target"` // path and query, as they were sent
	// Body is that of the request: JSON as it is, any other text as a string; nil where there is none, or no text.
	Body json.RawMessage `json:"body,omitempty"`
	// Times is how often in a row, [Often] for that and more: how often what never ends depends on the machine.
	Times int `json:"times"`
}

// Often is as often as a journal counts.
const Often = 10

func (a Asked) compare(b Asked) int {
	return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Method, b.Method),
		strings.Compare(a.Target, b.Target), bytes.Compare(a.Body, b.Body))
}

// maxHeld is how many calls are held back.
const maxHeld = 100

// Bounds of what a journal holds. What is beyond them is not noted.
const (
	maxJournal       = 100_000
	maxJournalBodies = 64 << 20
)

// Journal notes the calls one by one. The zero value has none; its methods may be called from several goroutines.
type Journal struct {
	// Hold is for how long answers are held back at least. Calls that are made side by side come one after the other, as
	// a resolver lies between, and are known as what they are only while the first has no answer. Of very many calls
	// only the first are held: nobody looks at the order of the others.
	Hold time.Duration

	mu     sync.Mutex
	calls  []noted
	bodies int // bytes of bodies
	since  int // counts how often the journal was emptied
}

// noted is a call with its times.
type noted struct {
	Asked
	begun time.Time
	ended time.Time // when it was about to be answered; zero where that did not come
}

// holds is how long answers are held back at least.
func (j *Journal) holds() time.Duration {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.calls) > maxHeld {
		return 0
	}
	return j.Hold
}

// openingOf is how the connection of a request was opened, if it is the first of it; the zero value else.
func openingOf(r *http.Request) opening {
	c, _ := r.Context().Value(connectedKey{}).(*connected)
	return c.take()
}

// begin notes a call that came at a time, and returns what is to be called when it is about to be answered. It began
// when its client connected, as the handshake of TLS takes longer than an answer; but where the connection was idle for
// as long as a call takes at least: some clients connect anew once one is ended, and have that wait for what they ask
// next. A nil journal notes nothing.
func (j *Journal) begin(call Call, body []byte, by opening, came time.Time) (answered func()) {
	if j == nil {
		return func() {}
	}
	n := noted{Asked: Asked{Service: call.Service, Method: call.Method, Target: call.Target, Times: 1}, begun: came}
	if !by.at.IsZero() && came.Sub(by.ready) < j.Hold {
		n.begun = by.at
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.calls) >= maxJournal {
		return func() {}
	}
	if j.bodies+len(body) <= maxJournalBodies {
		n.Body = asJSON(body)
		j.bodies += len(n.Body)
	}
	at, since := len(j.calls), j.since
	j.calls = append(j.calls, n)
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.since == since {
			j.calls[at].ended = time.Now()
		}
	}
}

// asJSON is a body as it stands in the journal.
func asJSON(body []byte) json.RawMessage {
	var compact bytes.Buffer
	switch {
	case len(body) == 0 || !utf8.Valid(body):
		return nil
	case json.Compact(&compact, body) == nil:
		return compact.Bytes()
	}
	text, _ := json.Marshal(string(body)) // a text can be written
	return text
}

// List lists the calls as they began. Those that were under way at the same time have no order: they are sorted. What
// was asked several times in a row is listed once.
func (j *Journal) List() []Asked {
	out, _ := j.list()
	return out
}

// list is List, with the first and the last of those that were under way at the same time.
func (j *Journal) list() (out []Asked, beside [][2]int) {
	j.mu.Lock()
	calls := slices.Clone(j.calls)
	j.mu.Unlock()
	slices.SortStableFunc(calls, func(a, b noted) int { return a.begun.Compare(b.begun) })
	out = make([]Asked, 0, len(calls))
	for len(calls) > 0 {
		n, until := 1, calls[0].ended
		for ; n < len(calls) && calls[n].begun.Before(until); n++ {
			if calls[n].ended.After(until) {
				until = calls[n].ended
			}
		}
		slices.SortStableFunc(calls[:n], func(a, b noted) int { return a.compare(b.Asked) })
		var first int
		for i, c := range calls[:n] {
			if last := len(out) - 1; last >= 0 && out[last].compare(c.Asked) == 0 {
				out[last].Times = min(out[last].Times+1, Often)
			} else {
				out = append(out, c.Asked)
			}
			if i == 0 {
				first = len(out) - 1
			}
		}
		if last := len(out) - 1; last > first {
			beside = append(beside, [2]int{first, last})
		}
		calls = calls[n:]
	}
	return out, beside
}

// Clear forgets the calls, also those that are under way.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls, j.bodies = nil, 0
	j.since++
}

// JSON is the list as an object with the member calls.
func (j *Journal) JSON() []byte {
	out, _ := json.Marshal(map[string]any{"calls": j.List()}) // bodies are JSON by construction
	return out
}

// Noted is what JSON is, as it stands in the record of a trial: with the member beside where calls were under way at
// the same time, whose order another trial may show otherwise.
type Noted struct {
	Calls []Asked `json:"calls"`
	// Beside are the numbers of the first and the last of calls that were under way at the same time, counted from 0.
	Beside [][2]int `json:"beside,omitempty"`
}

// Noted is the list of calls as a trial is recorded with it.
func (j *Journal) Noted() (out Noted) {
	out.Calls, out.Beside = j.list()
	return out
}
