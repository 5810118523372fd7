package playwright

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/flaketap/flaketap/waits/oracle"
)

// Preload is what Node loads before a suite, beside the preload.cjs of package waits/webdriver. It finds flaketap by
// [Variable].
//
//go:embed preload.cjs
var Preload []byte

// Variable is the environment variable that holds the address of flaketap.
const Variable = "FLAKETAP_WAITS"

// Tap is told what a suite does, and says when it may go on.
type Tap interface {
	// Starts is told of a browser and where it listens, "" for nowhere; it returns a number for it.
	Starts(addr string) (browser int)
	// Opens is told of a page that a browser has opened, and returns once the page is watched.
	Opens(browser int)
	// Ends is told of a browser that is about to end.
	Ends(browser int)
	// Command is told of a command, and returns which of its answers the suite is to be given. ask has the suite carry
	// it out, and returns what it was answered; ok is false once the suite is gone. A command that is to be carried out
	// once is neither held nor asked again.
	// look has it say what the element of the last answer may be found by, as far as Playwright finds nothing else so;
	// nil where it cannot.
	Command(c oracle.Command, once bool, ask func() (a oracle.Answer, ok bool), look func() [][]oracle.Name) (given int)
}

// says is what a suite says.
type says struct {
	Starts  *string         `json:"starts"`
	Opens   int             `json:"opens"`
	Ends    int             `json:"ends"`
	Command *oracle.Command `json:"command"`
	Once    bool            `json:"once"`
	Answer  *oracle.Answer  `json:"answer"`
	Names   [][]oracle.Name `json:"names"`
}

// told is what a suite is told.
type told struct {
	Browser int  `json:"browser,omitempty"`
	Again   bool `json:"again,omitempty"`
	Look    bool `json:"look,omitempty"`
	Give    int  `json:"give,omitempty"`
}

// maxSaid bounds what a suite says in one conversation.
const maxSaid = 16 << 20

// Serve answers suites until ctx is done, and ends all conversations then.
func Serve(ctx context.Context, ln net.Listener, t Tap) error {
	var all sync.WaitGroup
	defer all.Wait()
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	for {
		conn, err := ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("accept a suite of Playwright: %w", err)
		}
		all.Go(func() {
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			defer stop()
			defer conn.Close()
			converse(conn, t)
		})
	}
}

// line is one conversation.
type line struct {
	in  *json.Decoder
	out *json.Encoder
}

// converse holds a conversation to its end.
func converse(conn io.ReadWriter, t Tap) {
	l := &line{json.NewDecoder(io.LimitReader(conn, maxSaid)), json.NewEncoder(conn)}
	first, ok := l.hear()
	switch {
	case !ok:
	case first.Starts != nil:
		l.tell(told{Browser: t.Starts(*first.Starts)})
	case first.Command != nil:
		l.command(t, first)
	case first.Opens > 0:
		t.Opens(first.Opens)
		l.tell(told{})
	default:
		t.Ends(first.Ends)
		l.tell(told{})
	}
}

// command is the conversation about a command.
func (l *line) command(t Tap, first says) {
	c := *first.Command
	if c.Kind != oracle.Reads && c.Kind != oracle.Acts {
		return
	}
	asked := 0
	given := t.Command(c, first.Once, func() (oracle.Answer, bool) {
		l.tell(told{Again: asked > 0})
		asked++
		next, ok := l.hear()
		if !ok || next.Answer == nil {
			return oracle.Answer{}, false
		}
		return *next.Answer, true
	}, func() [][]oracle.Name {
		l.tell(told{Look: true})
		next, _ := l.hear() // one that is gone has no names
		return next.Names
	})
	l.tell(told{Give: given})
}

// hear is what the suite says next; ok is false once it says nothing more.
func (l *line) hear() (s says, ok bool) {
	err := l.in.Decode(&s)
	return s, err == nil
}

// tell tells the suite. One that is gone is not told: what it says next is not heard either.
func (l *line) tell(t told) { _ = l.out.Encode(t) }

// Errors of Playwright with which a read may be answered that is asked again: there is no element, or several are.
const (
	TimeoutError        = "TimeoutError"
	StrictModeViolation = "strict mode violation"
)
