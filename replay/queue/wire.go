package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Wire passes messages between those who listen at the time. What there is no room for is gone. Several goroutines may
// use it.
type Wire interface {
	// Say says something at a name, which is of letters, digits, dots and dashes. Where nobody listens there, who listens
	// at from hears [ErrNobody].
	Say(name, from string, content []byte) error
	// Listen begins to hear what is said at a name.
	Listen(name string) (Ear, error)
}

// Ear is what hears what is said at a name.
type Ear interface {
	// Hear waits for what is said next.
	Hear(ctx context.Context) ([]byte, error)
	// Close ends the listening.
	Close()
}

// ErrNobody is what is heard where nobody listened to what was said.
var ErrNobody = errors.New("nobody is there")

// wireMost bounds, in bytes, what is said at once.
const wireMost = 256 << 10

// talk is what two say to each other over a wire, sealed and numbered: what is missing, comes twice or comes from
// somebody else cannot be opened. It implements [line.Messages].
type talk struct {
	wire     Wire
	key      *Key
	ear      Ear
	in, out  string // the names
	heard    uint64
	mu       sync.Mutex
	said     uint64
	fallible error // of what was said: behind that nothing could be opened
}

func (t *talk) Say(content []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fallible != nil {
		return t.fallible
	}
	t.said++
	t.fallible = t.wire.Say(t.out, t.in, t.key.seal(numbered(t.out, t.said), content))
	return t.fallible
}

func (t *talk) Hear(ctx context.Context) ([]byte, error) {
	sealed, err := t.ear.Hear(ctx)
	if err != nil {
		return nil, err
	}
	t.heard++
	return t.key.openShort(numbered(t.in, t.heard), sealed)
}

func numbered(name string, n uint64) string { return fmt.Sprintf("%s.%d", name, n) }

// lendsPrefix begins the names of plans of which each ticket asks for an API.
const lendsPrefix = "trials-"

// LendingPlan is a new name of such a plan, and Lends tells it from others.
func LendingPlan() string { return lendsPrefix + rand.Text() }

// Lends reports whether a plan is of a [Lender].
func Lends(plan string) bool { return strings.HasPrefix(plan, lendsPrefix) }

// HereName is the name at which the [Lender] of a plan listens as long as it is there.
func HereName(plan string) string { return plan + ".here" }

// The names at which a ticket's lender calls, and the two of a session are heard.
func (t Ticket) callName() string        { return fmt.Sprintf("%s.call.%d.%d", t.Plan, t.Run, t.Item) }
func lenderName(session string) string   { return session + ".lender" }
func borrowerName(session string) string { return session + ".borrower" }
