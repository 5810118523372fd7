package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
)

// The bounds on a replay that the page starts, and on what is kept of what it says, in bytes.
const (
	maxRuns   = 1000
	maxOutput = 64 << 10
)

// replayer plays runs, one replay at a time. Its output is kept, as much as is shown.
type replayer struct {
	live *live
	play func(ctx context.Context, r Request, out io.Writer) error
	ctx  context.Context
	work *sync.WaitGroup

	mu     sync.Mutex
	stop   context.CancelFunc // ends the one that runs; nil where none does
	asked  Request
	began  time.Time
	output []byte
	ended  string // how the last one ended; "" where there was none, or it runs
}

// begin lets replays run until the context ends.
func (p *replayer) begin(ctx context.Context, work *sync.WaitGroup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.work = ctx, work
}

// start begins a replay.
func (p *replayer) start(r Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.play == nil || p.ctx == nil:
		return wrong("this page was started without replays")
	case p.stop != nil:
		return wrong("a replay is running already: stop it, or wait until it ends")
	}
	ctx, stop := context.WithCancel(p.ctx)
	p.stop, p.asked, p.began, p.output, p.ended = stop, r, time.Now(), nil, ""
	p.work.Go(func() {
		defer stop()
		err := p.play(ctx, r, p)
		p.mu.Lock()
		p.stop = nil
		switch {
		case ctx.Err() != nil:
			p.ended = "stopped; what it had done is kept"
		case err != nil:
			p.ended = err.Error()
		default:
			p.ended = "done"
		}
		p.mu.Unlock()
		p.tell()
	})
	p.tell()
	return nil
}

// end asks the replay that runs to end.
func (p *replayer) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		return wrong("no replay is running")
	}
	p.stop()
	return nil
}

// Write keeps what the replay says.
func (p *replayer) Write(b []byte) (int, error) {
	p.mu.Lock()
	p.output = append(p.output, b...)
	if more := len(p.output) - maxOutput; more > 0 {
		if line := bytes.IndexByte(p.output[more:], '\n'); line >= 0 { // a part of a secret would not be known for one
			more += line + 1
		}
		p.output = slices.Delete(p.output, 0, more)
	}
	p.mu.Unlock()
	p.tell()
	return len(b), nil
}

// tell says that something is new.
func (p *replayer) tell() { p.live.tell(func(s *state) { s.Replay++ }) }

// replaysView is the replays that can be started.
type replaysView struct {
	Can        bool
	Conditions []string
	Target     string
	Count      uint64
	Trouble    string
}

// runRow is a run in words.
type runRow struct {
	Number, Steps int
	Words, Took   string
}

// replayingView is the replay that runs, or the last one, and the runs that there are.
type replayingView struct {
	Running bool
	Asked   Request
	Began   string
	Ended   string
	said    string // by the replay, with its secrets
	Output  textView
	Runs    []runRow
}

func showReplays(s *Server, _ *http.Request) (any, error) { return s.newReplays(nil), nil }

func (s *Server) newReplays(trouble error) replaysView {
	v := replaysView{Can: s.replay.play != nil, Conditions: s.options.Conditions}
	if trouble != nil {
		v.Trouble = trouble.Error()
	}
	at, done := s.live.take()
	defer done()
	if at == nil {
		return v
	}
	v.Count = at.recording.Count
	if passes := at.recording.Passes; len(passes) > 0 {
		v.Target = report.Target(passes[len(passes)-1].Target)
	}
	return v
}

func showReplaying(s *Server, _ *http.Request) (any, error) {
	v := s.replay.view()
	at, done := s.live.take()
	defer done()
	redactor := exchange.Redactor{} // without a recording, that of texts which name their secrets themselves
	if at != nil {
		redactor = at.redactor
	}
	v.Output = newText([]byte(redactor.Show("", v.said)))
	if at == nil {
		return v, nil
	}
	for _, r := range at.runs {
		took := report.Took(r.Started, r.Ended)
		if r.Ended.IsZero() {
			took = "not finished"
		}
		v.Runs = append(v.Runs, runRow{r.Number, r.Steps, report.Show(report.RunWords(r), maxShown), took})
	}
	return v, nil
}

func (p *replayer) view() replayingView {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := replayingView{Running: p.stop != nil, Asked: p.asked, Ended: report.Show(p.ended, maxShown),
		said: strings.ToValidUTF8(string(p.output), "�")}
	if !p.began.IsZero() {
		v.Began = report.Clock(p.began)
	}
	return v
}

// changeReplay starts or stops one.
func changeReplay(s *Server, r *http.Request) (string, any, error) {
	var err error
	switch do := r.PostForm.Get("do"); do {
	case "start":
		var asked Request
		if asked, err = s.request(r); err == nil {
			err = s.replay.start(asked)
		}
	case "stop":
		err = s.replay.end()
	default:
		err = wrong("a replay is started or stopped, not %q", report.Show(do, maxShown))
	}
	if err != nil && !errors.As(err, &mistake{}) {
		return "", nil, err
	}
	return "replays", s.newReplays(err), nil
}

// request reads the runs that a form asks for.
func (s *Server) request(r *http.Request) (Request, error) {
	n, err := number(r.PostForm, "runs")
	if err != nil {
		return Request{}, err
	}
	if n < 1 || n > maxRuns {
		return Request{}, wrong("want 1 to %d runs, got %d", maxRuns, n)
	}
	out := Request{Runs: int(n)}
	for _, name := range r.PostForm["condition"] {
		if !slices.Contains(s.options.Conditions, name) {
			return out, wrong("unknown condition %q", report.Show(name, maxShown))
		}
		out.Conditions = append(out.Conditions, name)
	}
	return out, nil
}
