package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/report"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// selectFlags are those that say which requests are sent, and how.
func selectFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "list what would be sent to which host, and send nothing"},
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM` of the list of --dry-run: text, json or ndjson"},
		&cli.StringSliceFlag{Name: "unsafe", Usage: "what becomes of requests that may change something: `send` them, skip, ask (for each operation), or 5/s, 30/m at most"},
		&cli.StringSliceFlag{Name: "skip", Usage: "do not send requests with a `METHOD`, as 'DELETE' or 'POST /orders/{id}' or '* /admin*', or that are signed"},
	}
}

// selection says which requests of a recording are sent.
type selection struct {
	unsafe   bool          // those that may change something are
	ask      bool          // the user is asked about those
	every    time.Duration // between two of those at least; 0: none
	patterns []pattern
	signed   bool                  // those with a signature are left out
	bound    map[exchange.Ref]bool // the places in queries where a binding gives the value
	refused  func(*exchange.Exchange) bool
}

// pattern is one value of --skip.
type pattern struct {
	text, method string // "" or "*": any method
	path         *regexp.Regexp
}

// readSelection reads --unsafe and --skip.
func readSelection(c *cli.Context) (*selection, error) {
	switch form := report.Form(c.String("format")); {
	case c.IsSet("format") && !c.Bool("dry-run"):
		return nil, console.Usage(errors.New("--format is that of the list of --dry-run"))
	case form != report.FormText && form != report.FormJSON && form != report.FormNDJSON:
		return nil, console.Usage(fmt.Errorf("--format %q is not known; text, json and ndjson are", form))
	}
	s := &selection{unsafe: true}
	for _, v := range c.StringSlice("unsafe") {
		rate := everyOf.FindStringSubmatch(v)
		switch {
		case v == "send":
		case v == "skip":
			s.unsafe = false
		case v == "ask":
			s.ask = true
		case rate != nil:
			n, err := strconv.ParseFloat(rate[1], 64)
			if err != nil || n < 0.001 || n > 1e6 {
				return nil, console.Usage(fmt.Errorf("--unsafe %s: a rate is from 0.001 to a million", v))
			}
			s.every = time.Duration(float64(map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[rate[2]]) / n)
		default:
			return nil, console.Usage(fmt.Errorf("--unsafe is send, skip, ask, or a rate as 5/s or 30/m, not %q", v))
		}
	}
	if s.ask && !s.unsafe {
		return nil, console.Usage(errors.New("--unsafe is skip and ask: what is skipped is not asked about"))
	}
	for _, v := range c.StringSlice("skip") {
		if v == "signed" {
			s.signed = true
			continue
		}
		p, err := parsePattern(v)
		if err != nil {
			return nil, console.Usage(err)
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
		return pattern{}, fmt.Errorf("--skip %q: that is no METHOD, as DELETE, no 'METHOD /path', and not signed", v)
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

// skip says why a request is not to be sent; "" where it is.
func (s *selection) skip(e *exchange.Exchange) string {
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
	case !s.unsafe:
		return "--unsafe skip"
	case s.refused != nil && s.refused(e):
		return "the user does not want it sent"
	}
	return ""
}

// signature is that of a request, where no binding gives it anew: an API that hands out signed URLs does so in each run.
func (s *selection) signature(e *exchange.Exchange) (flow.Signature, bool) {
	g, signed := flow.Signed(&e.Request)
	if signed && s.bound[exchange.Ref{Seq: e.Seq, Place: g.Place}] {
		return g, false
	}
	return g, signed
}

// bind notes where bindings give what stands in queries.
func (s *selection) bind(bindings []exchange.Binding) {
	s.bound = map[exchange.Ref]bool{}
	for _, b := range bindings {
		for _, u := range b.Uses {
			if u.Place.Root() == "query" {
				s.bound[u] = true
			}
		}
	}
}

// hold returns what has the requests that may change something wait for each other; nil where none has to.
func (s *selection) hold() func(context.Context, *exchange.Exchange) error {
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
		return pause(ctx, at.Sub(now))
	}
}

// pause waits, or returns why it cannot.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// question is what --unsafe ask asks about.
type question struct {
	to string
	exchange.Operation
}

// askUnsafe asks about each operation that may change something, once, before anything is sent.
func (t *tool) askUnsafe(ctx context.Context, s *selection, p *replay.Player, survey *survey) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return console.Advise(errors.New("--unsafe ask asks at a terminal, and there is none"), "--unsafe skip sends none of them, --skip 'DELETE' leaves some out")
	}
	operations, err := survey.operations()
	if err != nil {
		return err
	}
	counts := map[question]int{}
	var order []question
	for e := range survey.exchanges() {
		to, skip := p.Destination(e)
		if skip != "" || e.Request.Safe() {
			continue
		}
		q := question{to, operations[e.Seq]}
		if counts[q] == 0 {
			order = append(order, q)
		}
		counts[q]++
	}
	no, err := t.ask(ctx, os.Stdin, order, counts)
	s.refused = func(e *exchange.Exchange) bool {
		r := *p
		r.Skip = nil
		to, _ := r.Destination(e)
		return slices.Contains(no, question{to, operations[e.Seq]})
	}
	return err
}

// ask returns the questions that were answered with no.
func (t *tool) ask(ctx context.Context, in io.Reader, questions []question, counts map[question]int) (no []question, err error) {
	lines := bufio.NewScanner(in)
	for i := 0; i < len(questions); i++ {
		q := questions[i]
		fmt.Fprintf(t.err, "send %s %s to %s, %s a run? [y]es, [n]o, [a]ll of them, no[t]hing more, [q]uit: ", q.Method, console.OneLine(q.Template), q.to,
			console.Count(counts[q], "request"))
		more, err := scan(ctx, lines)
		if err != nil {
			fmt.Fprintln(t.err)
			return nil, fmt.Errorf("%w: nothing is sent", err)
		}
		if !more {
			return nil, errors.Join(errors.New("no answer: nothing is sent"), lines.Err())
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
		case "n", "no":
			no = append(no, q)
		case "a", "all":
			return no, nil
		case "t", "nothing":
			return append(no, questions[i:]...), nil
		case "q", "quit":
			return nil, errors.New("nothing is sent, as you wish")
		default:
			i-- // and asked again
		}
	}
	return no, nil
}

// scan waits for a line, or for the end of ctx. Nothing but its sender can end a read from a terminal: after a Ctrl-C it
// ends with the process.
func scan(ctx context.Context, lines *bufio.Scanner) (bool, error) {
	read := make(chan bool, 1)
	go func() { read <- lines.Scan() }()
	select {
	case more := <-read:
		return more, nil
	case <-ctx.Done():
		return false, errors.New("interrupted")
	}
}
