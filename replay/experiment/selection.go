package experiment

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
)

// Selection says which requests of a recording are sent, and how. The zero Selection sends all, as soon as it can.
type Selection struct {
	skipUnsafe bool          // those that may change something are left out
	ask        bool          // the user is asked about those
	every      time.Duration // between two of those at least; 0: none
	patterns   []pattern
	signed     bool // those with a signature are left out
}

// pattern is one value of --skip.
type pattern struct {
	text, method string // "" or "*": any method
	path         *regexp.Regexp
}

// ReadSelection reads what becomes of requests that may change something (send, skip, ask, or a rate such as 5/s), and
// which requests are skipped (METHOD, "METHOD /path", or signed). The errors are mistakes in the command line.
func ReadSelection(unsafe, skip []string) (Selection, error) {
	var s Selection
	for _, v := range unsafe {
		rate := everyOf.FindStringSubmatch(v)
		switch {
		case v == "send":
		case v == "skip":
			s.skipUnsafe = true
		case v == "ask":
			s.ask = true
		case rate != nil:
			n, err := strconv.ParseFloat(rate[1], 64)
			if err != nil || n < 0.001 || n > 1e6 {
				return s, console.Usage(fmt.Errorf("--unsafe %s: a rate must be from 0.001 to a million", v))
			}
			unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[rate[2]]
			s.every = time.Duration(float64(unit) / n)
		default:
			return s, console.Usage(fmt.Errorf("unknown --unsafe %q: want one of send, skip, ask, or a rate such as 5/s or 30/m", v))
		}
	}
	if s.ask && s.skipUnsafe {
		return s, console.Usage(errors.New("use either --unsafe skip or --unsafe ask, not both"))
	}
	for _, v := range skip {
		if v == "signed" {
			s.signed = true
			continue
		}
		p, err := parsePattern(v)
		if err != nil {
			return s, console.Usage(err)
		}
		s.patterns = append(s.patterns, p)
	}
	return s, nil
}

var (
	everyOf  = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)/(s|m|h)$`)
	isMethod = regexp.MustCompile(`^([A-Z][A-Z0-9_-]*|\*)$`)
	anything = regexp.MustCompile(`\\\*|\\\{[^}/]*\\\}`)
)

func parsePattern(v string) (pattern, error) {
	method, path, found := strings.Cut(v, " ")
	if !isMethod.MatchString(method) || found && !strings.HasPrefix(path, "/") {
		return pattern{}, fmt.Errorf("--skip must be METHOD, 'METHOD /path' or signed, got %q", v)
	}
	p := pattern{text: v, method: method}
	if found {
		expr := anything.ReplaceAllStringFunc(regexp.QuoteMeta(path), func(s string) string {
			if s == `\*` {
				return ".*"
			}
			return "[^/]+"
		})
		p.path = regexp.MustCompile("^" + expr + "$") // of quoted text and the two above
	}
	return p, nil
}

func (p pattern) matches(e *exchange.Exchange) bool {
	if p.method != "*" && p.method != e.Request.Method {
		return false
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	return p.path == nil || p.path.MatchString(path)
}

// selected is a selection of a recording whose bindings are known.
type selected struct {
	Selection
	bound   map[exchange.Ref]bool // the places in queries where a binding gives the value
	refused func(*exchange.Exchange) bool
}

// selectWith says what is sent of a recording with those bindings.
func (s Selection) selectWith(bindings []exchange.Binding) *selected {
	out := &selected{Selection: s, bound: map[exchange.Ref]bool{}}
	for _, b := range bindings {
		for _, u := range b.Uses {
			if u.Place.Root() == "query" {
				out.bound[u] = true
			}
		}
	}
	return out
}

// skip says why a request is not to be sent; "" where it is.
func (s *selected) skip(e *exchange.Exchange) string {
	for _, p := range s.patterns {
		if p.matches(e) {
			return "--skip " + p.text
		}
	}
	if s.signed {
		if g, signed := s.signature(e); signed {
			return "signed: " + g.Scheme
		}
	}
	switch {
	case e.Request.Safe():
	case s.skipUnsafe:
		return "--unsafe skip"
	case s.refused != nil && s.refused(e):
		return "the user does not want it sent"
	}
	return ""
}

// signature is that of a request, where no binding gives it anew: an API that hands out signed URLs does so in each
// run.
func (s *selected) signature(e *exchange.Exchange) (flow.Signature, bool) {
	g, signed := flow.Signed(&e.Request)
	if signed && s.bound[exchange.Ref{Seq: e.Seq, Place: g.Place}] {
		return g, false
	}
	return g, signed
}

// hold returns what has the requests that may change something wait for each other; nil where none has to.
func (s Selection) hold() func(context.Context, *exchange.Exchange) error {
	if s.every <= 0 {
		return nil
	}
	var (
		mu   sync.Mutex
		next time.Time
	)
	return func(ctx context.Context, e *exchange.Exchange) error {
		if e.Request.Safe() {
			return nil
		}
		mu.Lock()
		now := time.Now()
		at := next
		if at.Before(now) {
			at = now
		}
		next = at.Add(s.every)
		mu.Unlock()
		return replay.Pause(ctx, at.Sub(now))
	}
}
