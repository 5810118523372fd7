package replay

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// An API that has accepted a write may still be at work when it is read: a job is pending, an index lags behind. A read
// that differs for that reason is told from one that differs for good by asking again for a while. What is asked again
// is a GET or HEAD alone, after a write of its own sequence.

const (
	// before a read is asked again: a quarter of the time that went by, so that it is known as well how long it took
	firstPause = 10 * time.Millisecond
	mostPause  = 250 * time.Millisecond
	// maxVain is how often the reads of one operation may be asked again in vain, in one run: the next would be too.
	maxVain = 2
	// maxVainTime is how long a run may ask in vain in all, as a multiple of Player.Settle.
	maxVainTime = 5
	// maxWord is the longest text, in bytes, that counts as a word: what names a state is short.
	maxWord = 40
)

// settler remembers, for one run, where asking again is worth while.
type settler struct {
	patience time.Duration // 0: nowhere

	mu    sync.Mutex
	wrote map[int]struct{} // the sequences in which something was written
	vain  map[string]int   // by operation, how often asking was in vain
	spent time.Duration    // in vain
}

// noted takes note of a step that has been played.
func (s *settler) noted(e *exchange.Exchange, o *exchange.Observation, sequence int) {
	if s.patience == 0 || e.Request.Safe() || o.Response == nil || o.Response.Status >= 400 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrote == nil {
		s.wrote = map[int]struct{}{}
	}
	s.wrote[sequence] = struct{}{}
}

// worth reports whether a read is to be asked again until it answers as recorded.
func (s *settler) worth(e *exchange.Exchange, o *exchange.Observation, sequence int) bool {
	if s.patience == 0 || e.Response == nil || o.Response == nil || e.Request.Method != "GET" &&
		e.Request.Method != "HEAD" {
		return false
	}
	s.mu.Lock()
	_, wrote := s.wrote[sequence]
	hopeless := s.spent >= maxVainTime*s.patience || len(s.vain) > 0 && s.vain[operation(&e.Request)] >= maxVain
	s.mu.Unlock()
	return wrote && !hopeless && unsettled(e.Response, o.Response)
}

// inVain takes note that asking again was in vain.
func (s *settler) inVain(e *exchange.Exchange, spent time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vain == nil {
		s.vain = map[string]int{}
	}
	s.vain[operation(&e.Request)]++
	s.spent += spent
}

// settle asks a read again until it answers as recorded, or for as long as the player allows. It sets the observation's
// Settling and returns the last answer.
func (r *run) settle(ctx context.Context, st *step, o *exchange.Observation) (*exchange.Response, error) {
	last := o.Response
	found := &exchange.Settling{}
	if o.Settling = found; r.further(st.exchange, last) {
		found.Early = true
		return last, nil
	}
	for wait, left := firstPause, r.settler.patience; left > 0; wait = NextLook(found.After / 4) {
		if err := Pause(ctx, min(wait, left)); err != nil {
			return nil, err
		}
		again, err := r.send(ctx, st)
		if err != nil {
			return nil, err
		}
		found.Looks++
		found.After = again.Start.Add(again.Latency).Sub(o.Start)
		left = r.settler.patience - found.After
		if again.Response == nil {
			break
		}
		last = again.Response
		if found.Settled = !unsettled(st.exchange.Response, last); found.Settled {
			found.End = last
			break
		}
		if found.Early = r.further(st.exchange, last); found.Early { // it was as recorded between two looks
			break
		}
	}
	if !found.Settled && !found.Early {
		r.settler.inVain(st.exchange, found.After)
	}
	return last, nil
}

// NextLook is how long a read is left alone before it is asked again, by a part of the time that went by: that part,
// within bounds.
func NextLook(part time.Duration) time.Duration { return min(max(firstPause, part), mostPause) }

// maxLater bounds how far ahead in the recording a later answer is looked for.
const maxLater = 256

// further reports whether an answer is what the recording has for a later request of the same kind in the same
// sequence.
func (r *run) further(e *exchange.Exchange, now *exchange.Response) bool {
	if r.player.Later == nil {
		return false
	}
	sequence, n := r.sequence(e), 0
	for later, err := range r.player.Later(e.Seq) {
		if n++; err != nil || n > maxLater || later.Pass != e.Pass {
			return false
		}
		if later.Response != nil && later.Request.Method == e.Request.Method && later.Request.Target == e.Request.Target &&
			r.sequence(later) == sequence && !unsettled(later.Response, now) {
			return true
		}
	}
	return false
}

// unsettled reports whether an answer differs from the recorded one as that of an API does that is not done yet: in its
// status, in what is there, or in a word. Numbers, times and ids differ for other reasons.
func unsettled(recorded, now *exchange.Response) bool {
	if recorded.Status != now.Status {
		return true
	}
	if recorded.Plain == now.Plain && bytes.Equal(recorded.Body, now.Body) { // codings aside, which would differ too
		return false
	}
	for _, d := range compare.Responses(recorded, now) {
		if _, _, part := d.Place.Text(); part || d.Place.Root() != "body" {
			continue
		}
		switch d.Kind {
		case compare.Added, compare.Removed, compare.Resized, compare.Retyped:
			return true
		case compare.Changed:
			if isWord(d.Before) && isWord(d.After) {
				return true
			}
		}
	}
	return false
}

// isWord reports whether a raw JSON token is true, false, or a short text without digits.
func isWord(raw string) bool {
	if raw == "true" || raw == "false" {
		return true
	}
	return len(raw) > 2 && len(raw) <= maxWord && raw[0] == '"' && !strings.ContainsAny(raw, `0123456789\`)
}

// operation is the method and path of a request, with every segment that has a digit in it as one.
func operation(r *exchange.Request) string {
	path, _ := exchange.SplitTarget(r.Target)
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.ContainsAny(s, "0123456789") {
			segments[i] = "*"
		}
	}
	return r.Method + " " + strings.Join(segments, "/")
}
