package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/environ"
	"github.com/flaketap/flaketap/replay/service"
)

// worker makes one run after the other in a copy of the suite.
type worker struct {
	Options
	dir string
	api *service.Service // started anew for each run; nil: others run it
}

// outcome is that of a run.
type outcome struct {
	passed bool
	cut    bool // it was ended before its end
	took   time.Duration
	words  string // the last that it printed
	err    error  // it could not be made
}

// run makes one.
func (w *worker) run(ctx context.Context) (o outcome) {
	target := ""
	if w.Target != nil {
		target = w.Target.String()
	}
	var api *service.Instance
	if w.api != nil {
		var err error
		if api, err = w.api.Start(ctx); err != nil {
			return outcome{err: err, cut: ctx.Err() != nil}
		}
		defer func() { o.err = errors.Join(o.err, api.Stop()) }()
		if u := api.Target(); u != nil {
			target = u.String()
		}
	}
	if w.Reset != "" {
		if err := api.Reset(w.Reset).Within(ctx, w.ResetTimeout); err != nil {
			return outcome{err: err, cut: ctx.Err() != nil}
		}
	}
	o = w.test(ctx, target)
	if api != nil && !o.passed && !o.cut && o.err == nil {
		o.err = api.Died("while the test ran")
	}
	return o
}

// test runs the command.
func (w *worker) test(ctx context.Context, target string) outcome {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if w.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, w.Timeout)
	}
	defer cancel()
	said := &tail{}
	c := client.Command{Args: w.words(), Env: w.env(target), Stdout: said, Stderr: said}
	begun := time.Now()
	status, err := c.Run(limited)
	o := outcome{passed: status == 0 && limited.Err() == nil, cut: ctx.Err() != nil, took: time.Since(begun),
		words: said.last(), err: err}
	switch {
	case limited.Err() != nil:
		o.words = strings.TrimSpace(o.words + " (ended after " + w.Timeout.String() + ": --timeout)")
	case o.words == "":
		o.words = "exit status " + strconv.Itoa(status)
	}
	return o
}

// words are those of the command.
func (w *worker) words() []string {
	fill := strings.NewReplacer("{file}", filepath.Join(w.dir, w.File), "{}", w.dir)
	out := make([]string, len(w.Command))
	for i, word := range w.Command {
		out[i] = fill.Replace(word)
	}
	return out
}

// env is the environment of the command. Go keeps what tests said whose files have not changed, and is told not to.
func (w *worker) env(target string) []string {
	env := environ.Prepend(os.Environ(), "GOFLAGS", "-count=1", " ")
	env = append(env, "FLAKETAP_SUITE="+w.dir)
	if target != "" {
		env = append(env, "FLAKETAP_URL="+target)
	}
	return env
}

// keep is how much is kept of what a command prints, in bytes.
const keep = 4 << 10

// tail keeps the end of what is written to it. A command writes from one goroutine at a time.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if n := len(t.text) - keep; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(p), nil
}

// last is the last line that is not empty.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
