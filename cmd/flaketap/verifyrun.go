package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/results"
)

// execution is one run of a suite.
type execution struct {
	results []results.Result
	silent  bool          // the command left none: that is its exit status
	words   string        // the last line that it printed
	status  int           // of the command
	took    time.Duration // of the command alone
	late    bool          // it was cut off by its time limit
	broken  string        // how it ended, where that is not what its tests say; "" elsewhere
}

// broke returns how a run ended otherwise than its tests say, as far as that can be told of one run.
func (e *execution) broke() string {
	switch {
	case e.late:
		return "it was cut off by --timeout"
	case e.status != 0 && !slices.ContainsFunc(e.results, results.Result.Failed):
		return fmt.Sprintf("the command ended with status %d, and no test failed", e.status)
	}
	return ""
}

// runTest is the name of the further test that runs make which end otherwise than their tests say.
const runTest = "(run)"

// settle counts what the runs say of the tests. Runs that ended otherwise than their tests say, and those that left no results
// where others left some, make a further test, which failed in them and passed in the others.
func (s *verified) settle() {
	silent, broke := true, false
	for i := range s.executions {
		silent = silent && s.executions[i].silent
	}
	for i := range s.executions {
		e := &s.executions[i]
		switch {
		case silent:
			e.broken = "" // the exit status is the test
		case e.silent && e.broken == "":
			e.broken = "it left no results"
		}
		broke = broke || e.broken != ""
	}
	var all, whole [][]results.Result
	for _, e := range s.executions {
		found := e.results
		if e.silent && !silent {
			found = nil
		}
		if e.broken == "" {
			whole = append(whole, found)
		}
		if broke {
			r := results.Result{Name: runTest, Outcome: results.Pass}
			if e.broken != "" {
				r.Outcome, r.Message = results.Error, e.broken
			}
			found = append(slices.Clip(found), r)
		}
		all = append(all, found)
	}
	s.tests = results.Tally(all)
	s.rates = results.RatesOf(s.tests, len(all))
	if len(whole) == 0 {
		whole = all
	}
	s.reliable, s.whole = results.Tally(whole), len(whole)
}

// run runs the suites, first as they are, then with mutants.
func (v *verifier) run() (*verification, error) {
	v.redactor.Key = make([]byte, 32)
	_, _ = rand.Read(v.redactor.Key) // it never fails
	v.begun, v.planned = time.Now(), v.c.Int("runs")*len(v.suites)
	for i := 1; i <= v.c.Int("runs"); i++ {
		for _, s := range v.suites { // in turn, so that what moves with the time does not look like what differs between them
			name := fmt.Sprintf("run %d of %d", i, v.c.Int("runs"))
			if err := v.plain(s, name, fmt.Sprintf("run-%02d", i)); err != nil {
				return nil, err
			}
		}
	}
	out := &verification{suites: v.suites, kinds: v.kinds, seed: v.c.Uint64("seed")}
	for _, s := range v.suites {
		s.settle()
		if s.rates.Tests == 0 {
			return nil, fmt.Errorf("verify %s: no test was run", oneLine(s.name))
		}
		for _, e := range s.seen.exchanges {
			v.secrets.Exchange(e)
		}
	}
	v.redactor.Known = v.secrets.Known()
	out.show = v.show
	if len(v.kinds) == 0 {
		return out, nil
	}
	err := v.mutate(out)
	if v.c.Context.Err() != nil {
		out.interrupted, err = true, nil
	}
	return out, err
}

// show takes secrets out of a text.
func (v *verifier) show(text string) string { return v.redactor.Show("", text) }

// plain runs a suite with no fault planted.
func (v *verifier) plain(s *verified, name, id string) error {
	w := &witness{}
	e, err := v.execute(s, w, nil, v.c.Duration("timeout"), id)
	if v.c.Context.Err() != nil {
		return fmt.Errorf("interrupted: %s was under way; there is no report of less than all runs", name)
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, oneLine(s.name), err)
	}
	if s.seen == nil {
		s.seen = w
	} else {
		s.seen.compare(w)
	}
	if e.late {
		s.cutOff++
	}
	v.slowest = max(v.slowest, e.took)
	e.broken = e.broke()
	s.executions = append(s.executions, e)
	failed := 0
	for _, r := range e.results {
		if r.Failed() {
			failed++
		}
	}
	ended := ""
	if e.broken != "" {
		ended = "; " + e.broken
	}
	v.say(v.c, "%s, %s: %s, %d failed%s (%s%s)", name, oneLine(s.name), console.Count(len(e.results), "test"), failed, ended,
		e.took.Round(10*time.Millisecond), v.left())
	if len(w.exchanges) > 0 {
		if fault := w.unanswered(); fault != "" {
			return fmt.Errorf("%s of %s: none of its %d requests was answered: %s; is the API running?", name, oneLine(s.name), len(w.exchanges), fault)
		}
		return nil
	}
	if e.silent { // whatever its status says, nothing was tested
		how := fmt.Sprintf("ended with status %d", e.status)
		if e.late {
			how = "was cut off by --timeout"
		}
		err := fmt.Errorf("%s of %s: the command %s, left no results and asked nothing of the API", name, oneLine(s.name), how)
		if e.words != "" {
			err = fmt.Errorf("%w; its last words: %s", err, oneLine(e.words))
		}
		return err
	}
	v.say(v.c, "flaketap: nothing came through; FLAKETAP_URL says where the suite finds the API: %s", v.c.String("listen"))
	return nil
}

// left counts a run, and says how long what is left will take, once that can be told.
func (v *verifier) left() string {
	v.done++
	if v.done >= v.planned {
		return ""
	}
	rest := time.Since(v.begun) / time.Duration(v.done) * time.Duration(v.planned-v.done)
	return ", " + about(rest) + " left"
}

// execute runs a suite once: the API is reset or started, the suite's command runs behind a proxy of its own, and what it
// leaves is read.
func (v *verifier) execute(s *verified, rec proxy.Recorder, plant proxy.Rewriter, limit time.Duration, id string) (e execution, err error) {
	p, err := v.proxyOf(v.c, v.service)
	if err != nil {
		return e, err
	}
	p.Log, _ = v.logger(v.c) // that there is such a level was checked
	p.MaxConnections, p.Leaves, p.Recorder, p.Rewriter = maxConnections(), v.ca, rec, plant
	p.MaxBody = maxWitnessed
	ln, err := v.listen(p)
	if err != nil {
		return e, err
	}
	defer ln.Close()
	api, err := v.ready(p, strconv.Itoa(slices.Index(v.suites, s)+1)+"-"+id)
	if err != nil {
		return e, err
	}
	defer func() {
		if serr := api.Stop(); serr != nil {
			v.say(v.c, "flaketap: %s", message(serr))
		}
	}()
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	e, err = v.runSuite(s, p, ln, limit, id)
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if p.Shutdown(ctx) != nil {
		_ = p.Close() // it has no error
	}
	if serr := <-served; serr != nil && err == nil {
		err = serr
	}
	if err == nil && v.c.Context.Err() == nil && e.status != 0 {
		err = api.Died("while the suite ran")
	}
	return e, err
}

// ready puts the API back to its start, or starts it.
func (v *verifier) ready(p *proxy.Proxy, name string) (api *service.Instance, err error) {
	if v.service != nil {
		v.service.Show = v.show
		if dir := v.c.String("keep"); dir != "" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return nil, fmt.Errorf("make a folder for results: %w", err)
			}
			v.service.Log = filepath.Join(dir, name+".api.log")
		}
		if api, err = v.service.Start(v.c.Context); err != nil {
			return nil, err
		}
		if target := api.Target(); target != nil {
			p.Target = target
		}
	}
	if v.reset != "" {
		if err := api.Reset(v.reset).Within(v.c.Context, v.c.Duration("reset-timeout")); err != nil {
			return nil, errors.Join(err, api.Stop())
		}
	}
	return api, nil
}

// listen opens the address of the proxy, the same for all runs: a suite may have it written in.
func (v *verifier) listen(p *proxy.Proxy) (net.Listener, error) {
	if v.c.String("listen") == "" {
		if err := v.c.Set("listen", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	ln, err := listen(v.c, p)
	if errors.Is(err, syscall.EADDRINUSE) && !v.settled {
		v.say(v.c, "flaketap: %s is taken, where the recording was made; another port does as well, unless the suite has that written in", v.c.String("listen"))
		if err := v.c.Set("listen", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		ln, err = listen(v.c, p)
	}
	if err != nil {
		return nil, err
	}
	v.settled = true
	return ln, v.c.Set("listen", ln.Addr().String())
}

// runSuite runs the suite's command and reads its results.
func (v *verifier) runSuite(s *verified, p *proxy.Proxy, ln net.Listener, limit time.Duration, id string) (e execution, err error) {
	left, err := v.leavings(s, id)
	if err != nil {
		return e, err
	}
	env, err := client.Environment(os.Environ(), client.Recorder{Addr: ln.Addr(), CA: v.ca})
	if err != nil {
		return e, err
	}
	out, err := keptFile(left.stdout)
	if err != nil {
		return e, fmt.Errorf("keep what the suite prints: %w", err)
	}
	defer out.Close()
	errs, err := keptFile(left.stderr)
	if err != nil {
		return e, fmt.Errorf("keep what the suite prints: %w", err)
	}
	defer errs.Close()
	ctx, cancel := v.c.Context, context.CancelFunc(func() {})
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	cmd := client.Command{Args: left.command(v.tool.client), Env: left.env(env), Stdout: out, Stderr: errs,
		Console: &console.Console{Err: errs, Quiet: v.c.Bool("quiet")}}
	begun := time.Now()
	e.status, err = cmd.Run(ctx)
	e.took, e.late = time.Since(begun), ctx.Err() != nil && v.c.Context.Err() == nil
	if err != nil || v.c.Context.Err() != nil {
		return e, err
	}
	if e.results, err = left.read(); err != nil {
		v.say(v.c, "flaketap: %s", message(err)) // what could be read counts
	}
	if len(e.results) == 0 {
		e.silent, e.words = true, cmp.Or(lastWords(left.stderr), lastWords(left.stdout))
		r := results.FromStatus(filepath.Base(v.tool.client[0]), e.status, e.took)
		if r.Failed() && e.words != "" {
			r.Message += ": " + e.words
		}
		e.results = []results.Result{r}
	}
	return e, nil
}

// keptFile makes a file for what a run prints, which may be answers with secrets in them.
func keptFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
}

// lastWords returns the last line of a file that is not blank.
func lastWords(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-4<<10), io.SeekStart) // the beginning tells as well as the end where that fails
	}
	tail, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(tail), "?")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// leavings are the places where a run leaves its results.
type leavings struct {
	suite          string   // what {} stands for; "" where there is none
	file           string   // what {results} stands for
	own            bool     // the command names that, or the user names the places
	stdout, stderr string   // files
	places         []string // where the runner leaves them by itself
	before         map[string]time.Time
}

// leavings makes room for what a run leaves.
func (v *verifier) leavings(s *verified, id string) (*leavings, error) {
	dir := v.dir
	if v.c.String("keep") != "" {
		dir = v.c.String("keep")
	}
	name := strconv.Itoa(slices.Index(v.suites, s)+1) + "-" + id
	dir, err := filepath.Abs(filepath.Join(dir, name))
	if err == nil {
		err = os.RemoveAll(dir) // of an earlier run that --force lets go
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "left"), 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder for results: %w", err)
	}
	l := &leavings{file: filepath.Join(dir, "left", "results"), stdout: filepath.Join(dir, "stdout.txt"), stderr: filepath.Join(dir, "stderr.txt"),
		before: map[string]time.Time{}}
	if v.c.Args().Present() {
		l.suite = s.name
	}
	for _, place := range v.c.StringSlice("results") {
		l.places = append(l.places, strings.ReplaceAll(place, "{}", l.suite))
	}
	l.own = len(l.places) > 0 || strings.Contains(strings.Join(v.tool.client, "\x00"), "{results}")
	if !l.own {
		for _, usual := range []string{"target/surefire-reports", "target/failsafe-reports", "build/test-results"} {
			l.places = append(l.places, filepath.Join(l.suite, usual))
		}
	}
	for _, file := range l.found() {
		if info, err := os.Stat(file); err == nil {
			l.before[file] = info.ModTime()
		}
	}
	return l, nil
}

// command is the command line of a run.
func (l *leavings) command(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(w, "{}", l.suite), "{results}", l.file)
	}
	return out
}

// env adds to an environment what a run's command may ask for. pytest, which leaves no results unasked, is asked.
func (l *leavings) env(env []string) []string {
	if !l.own {
		env = append(slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "PYTEST_ADDOPTS=") }),
			"PYTEST_ADDOPTS="+client.WithOptions(env, "PYTEST_ADDOPTS", "'--junitxml="+l.file+"'"))
	}
	return append(env, "FLAKETAP_SUITE="+l.suite, "FLAKETAP_RESULTS="+l.file)
}

// maxResultFiles bounds how many files of results one run may leave.
const maxResultFiles = 10_000

// found lists the files that may hold results in the places where the runner leaves them.
func (l *leavings) found() []string {
	var out []string
	for _, place := range l.places {
		matches, err := filepath.Glob(place)
		if err != nil || len(matches) == 0 {
			matches = []string{place}
		}
		for _, m := range matches {
			out = append(out, filesBelow(m)...)
		}
	}
	return out
}

// filesBelow lists a file, or the files of a folder that may hold results.
func filesBelow(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || !d.Type().IsRegular():
			return nil // what is not there, or not to be read, holds none
		case len(out) >= maxResultFiles:
			return filepath.SkipAll
		case path == root || slices.Contains([]string{".xml", ".json", ".tap", ""}, filepath.Ext(path)):
			out = append(out, path)
		}
		return nil
	})
	return out
}

// read reads what a run has left: in the file that it was told of, else where its runner leaves results, and else on
// stdout. An error is of a file that could not be read to its end.
func (l *leavings) read() ([]results.Result, error) {
	fresh := slices.DeleteFunc(l.found(), func(file string) bool {
		info, err := os.Stat(file)
		before, was := l.before[file]
		return err != nil || was && info.ModTime().Equal(before)
	})
	var damage []error
	for _, files := range [][]string{filesBelow(filepath.Dir(l.file)), fresh, {l.stdout}} {
		var all []results.Result
		for _, file := range files {
			found, err := readLeft(file)
			all = results.Join(all, found)
			if err != nil && !errors.Is(err, results.ErrUnknown) {
				damage = append(damage, err)
			}
		}
		if len(all) > 0 {
			return all, errors.Join(damage...)
		}
	}
	return nil, errors.Join(damage...)
}

func readLeft(file string) ([]results.Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	defer f.Close()
	return results.Read(f, file)
}
