package steady

import (
	"bytes"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/waits/settle"
)

// Awaited is a read whose answer is waited for: the API may still be at work on what was written before.
type Awaited struct {
	Oracle    *settle.Oracle // what it answers when the API is ready
	Operation exchange.Operation
	Seq       uint64 // of the recorded exchange
	Request   []byte // as it was sent to the API
}

// Awaits returns what is waited for before an answer passes; false where it passes at once. It is asked once there is
// an answer, before [Steady.Response].
func (s *Steady) Awaits(e *exchange.Exchange) (Awaited, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.turns[e]
	if !ok || t.step < 0 || conditional(&t.sent) {
		return Awaited{}, false
	}
	step := &s.matcher.steps[t.step]
	o := s.o.Oracles[step.seq]
	if o == nil || s.oneShot[step.seq] || t.sent.Method != "GET" && t.sent.Method != "HEAD" {
		return Awaited{}, false
	}
	return Awaited{o, step.operation, step.seq, append(bytes.Clone(t.sent.Head), t.sent.Body...)}, true
}

// anotherStage is the reason of what is not held still as it says how far the API is.
const anotherStage = "the API is not as far as it was recorded, or came to another end"

// tells reports whether a value says that the API is at another stage, and notes that it passes then: both are raw JSON
// tokens, "" for a member that is not there.
func (a *answering) tells(p at, recorded, live string) bool {
	told := slices.Contains(a.apart, p.recorded) || a.stages.Tells(p.general, p.onTheWay, recorded, live)
	if told {
		a.pass(p.general, p.live, anotherStage)
	}
	return told
}

// conditional reports whether a request asks for a part, or for what has changed: its answer tells nothing of the
// whole.
func conditional(r *exchange.Request) bool {
	return slices.ContainsFunc(r.Header, func(f wire.Field) bool {
		name := strings.ToLower(f.Name)
		return name == "range" || strings.HasPrefix(name, "if-")
	})
}

// oneShots finds the recorded reads that bear, in their query, a secret that no other request has: what is good for one
// request, as a link that confirms something, is not sent again.
type oneShots struct {
	first map[string]uint64 // by the secret
	often map[string]bool
}

func (o *oneShots) add(e *exchange.Exchange) {
	message.Values(&e.Request, func(p exchange.Place, value string) bool {
		if first, known := o.first[value]; known && first != e.Seq {
			o.often[value] = true
		} else if p.Root() == "query" && exchange.Secret(p) && len(o.first) < maxOneShots {
			o.first[value] = e.Seq
		}
		return true
	})
}

// maxOneShots bounds the secrets that are remembered.
const maxOneShots = 1 << 16

func (o *oneShots) reads() map[uint64]bool {
	out := map[uint64]bool{}
	for value, seq := range o.first {
		if !o.often[value] {
			out[seq] = true
		}
	}
	return out
}
