package serve

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/waits/settle"
)

// A read that follows a write is held where the API has not answered as in passing runs yet: flaketap sends it again,
// until it does, and gives the client that answer. What it gives is always an answer of the API: where there is nothing
// to wait for any more, the last one; where sending it again was wrong, the first one.

// holder is a rewriter that holds reads before package steady sees their answers.
type holder struct {
	*steady.Steady
	again func(context.Context, *exchange.Exchange, []byte) (*exchange.Response, error)
	over  context.Context // done once nothing is to be held any more
	began time.Time       // no read of the client's came before

	mu    sync.Mutex
	never map[exchange.Operation]bool // those that do not bear being sent again
	held  []held
	more  int // that are not in held
}

// held is a read that was held.
type held struct {
	steady.Awaited
	sequence string // its test case, where the client names that
	outcome  outcome
	word     settle.Value // with inVain: what told so
	begun    time.Time
	took     time.Duration

	// the tests that it may be of, by the times of the runner's results: how many, and which where these are few
	fit    int
	tests  []*results.Detailed
	likely bool // of several it is most likely the one in tests
}

// outcome says how it ended that a read was held.
type outcome string

const (
	ready   outcome = "ready"
	capped  outcome = "capped"  // it was not ready within the time that it may be held
	inVain  outcome = "in vain" // it came to another end
	limited outcome = "limited" // the API limits how often it is asked
	changed outcome = "changed" // asked again, it was refused: such a read can be sent once
	failed  outcome = "failed"  // asked again, the API did not answer
)

// maxHeld bounds the reads that are told of one by one.
const maxHeld = 10000

// Response holds the answer, if it is to be, and returns what the client gets.
func (h *holder) Response(e *exchange.Exchange) []byte {
	first := e.Response
	if a, ok := h.Awaits(e); ok && !a.Oracle.Ready(first) && h.bears(a.Operation) {
		e.Response = h.hold(e, a)
	}
	last := e.Response
	out := h.Steady.Response(e)
	if out == nil && last != first {
		return append(bytes.Clone(last.Head), last.Body...)
	}
	return out
}

// bears reports whether an operation was not seen to be harmed by being sent again.
func (h *holder) bears(op exchange.Operation) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.never[op]
}

// hold sends a read again until it is ready, or there is no more to wait for, and returns the answer that passes.
func (h *holder) hold(e *exchange.Exchange, a steady.Awaited) *exchange.Response {
	ctx, cancel := context.WithTimeout(h.over, a.Oracle.Cap())
	defer cancel()
	k := held{Awaited: a, sequence: e.Sequence, begun: time.Now()}
	answer := h.wait(ctx, e, &k)
	k.took = time.Since(k.begun)
	h.note(k)
	return answer
}

// wait does the work of hold, and sets the outcome.
func (h *holder) wait(ctx context.Context, e *exchange.Exchange, k *held) *exchange.Response {
	first := e.Response
	last, begun := first, time.Now()
	pause := k.Oracle.Every()
	for {
		switch k.judge(first, last); k.outcome {
		case changed:
			return first
		case "":
		default:
			return last
		}
		if replay.Pause(ctx, pause) != nil {
			k.outcome = capped
			return last
		}
		next, err := h.again(ctx, e, k.Request)
		if err != nil {
			if k.outcome = failed; ctx.Err() != nil {
				k.outcome = capped
			}
			return last
		}
		pause = max(k.Oracle.Every(), time.Since(begun)/8)
		if next.Status != http.StatusTooManyRequests {
			last = next
		} else if pause = retryAfter(next); pause == 0 {
			k.outcome = limited
			return last
		}
	}
}

// judge sets the outcome that an answer makes of a hold, where it ends it.
func (k *held) judge(first, last *exchange.Response) {
	word, vain := k.Oracle.Vain(last)
	switch {
	case k.Oracle.Ready(last):
		k.outcome = ready
	case vain:
		k.outcome, k.word = inVain, word
	case last.Status != first.Status && refused(last.Status):
		k.outcome = changed
	case last.Status == http.StatusTooManyRequests, runsOut(last):
		k.outcome = limited
	}
}

// refused reports whether a status says that a request is not, or no longer, allowed: no such answer is on the way to
// being ready.
func refused(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusConflict, http.StatusGone,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// runsOut reports whether an answer says that few requests are left: they are the client's.
func runsOut(r *exchange.Response) bool {
	for _, name := range [...]string{"RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining"} {
		if n, err := strconv.Atoi(strings.TrimSpace(r.Header.Get(name))); err == nil && n <= fewLeft {
			return true
		}
	}
	return false
}

// fewLeft is how many requests are left to a client at least, of those that it may send.
const fewLeft = 5

// retryAfter is how long an answer asks to be left alone (RFC 9110 §10.2.3); 0 where it does not say, or says a date.
func retryAfter(r *exchange.Response) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(r.Header.Get("Retry-After")))
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// note remembers a read that was held.
func (h *holder) note(k held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k.outcome == changed || k.outcome == limited {
		if h.never == nil {
			h.never = map[exchange.Operation]bool{}
		}
		h.never[k.Operation] = true
	}
	if len(h.held) >= maxHeld {
		h.more++
		return
	}
	k.Request = nil
	h.held = append(h.held, k)
}

// holds lists the reads that were held, in the order in which they were given back.
func (h *holder) holds() ([]held, int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.held), h.more
}
