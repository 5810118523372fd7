package stabilize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/order"
	"github.com/flaketap/flaketap/suite/probe"
	"github.com/flaketap/flaketap/suite/verify"
)

// Probing says when a suite is run with its assertions muted, so that all its calls are sent in the first round.
type Probing int

// When a suite is probed.
const (
	ProbeSafely Probing = iota // where its further calls can do no harm: see [session.harmful]
	ProbeAlways
	ProbeNever
)

// series are runs of the suite of one round: as it is, muted, or with its tests in another order.
type series struct {
	round  int
	muted  bool
	turned bool
	order  order.Order // where it is turned
}

// word is what a run of the series is called.
func (s series) word() string {
	switch {
	case s.muted:
		return "muted run"
	case s.turned:
		return "run " + s.order.String()
	}
	return "run"
}

// title is what the progress of the series is called.
func (s series) title() string { return fmt.Sprintf("round %d: %s", s.round, s.word()) }

// file is the name of the files of a run of the series, without their ends.
func (s series) file(run int) string {
	switch {
	case s.muted:
		return fmt.Sprintf("muted-%02d", run)
	case s.turned:
		return fmt.Sprintf("order-%d-%02d", s.order, run)
	}
	return fmt.Sprintf("run-%02d", run)
}

// name names a run of the series.
func (s series) name(run int) string { return fmt.Sprintf("round-%d-%s", s.round, s.file(run)) }

// probed is what the muted runs of a round came to.
type probed struct {
	Refused    string      // why nothing is judged by them; "" where the round is
	NotReached []probe.End // where tests ended behind an assertion that failed
}

func (p *probed) used() bool { return p != nil && p.Refused == "" }

// judged is what a round is judged by: its muted runs, if there are any.
func (r *round) judged() (series, []execution) {
	if r.probed.used() {
		return series{round: r.number, muted: true}, r.muted
	}
	return series{round: r.number}, r.runs
}

// probe runs the suite of the first round muted, where a test that failed may have hidden what comes behind: calls, or
// assertions that nothing but a run tells of.
func (s *session) probe(ctx context.Context, r *round) (err error) {
	if r.number != 1 || s.o.Probe == ProbeNever {
		return nil
	}
	if r.probed, err = s.work.probed(r.number); err != nil {
		return err
	}
	if r.probed != nil {
		r.muted, err = s.work.runs(series{round: r.number, muted: true})
		return err
	}
	p, ok := probe.For(fileNames(r))
	if !ok || sentAll(r) && followsAll(r) {
		return nil
	}
	if why, err := s.harmful(r); why != "" || err != nil {
		if err != nil {
			return err
		}
		show, err := s.show(r)
		if err == nil {
			s.console.Say("round %d: assertions are not muted: %s (--probe always does it all the same)", r.number, show(why))
		}
		return err
	}
	if r.probed, err = s.mute(ctx, r, p); err != nil {
		return err
	}
	if !r.probed.used() {
		s.console.Say("round %d: muted runs are not judged by: %s", r.number, r.probed.Refused)
	}
	for _, end := range r.probed.NotReached {
		s.console.Say("round %d: not reached: what stands in %s behind %s:%d", r.number, console.OneLine(end.Test),
			console.OneLine(end.File), end.Line)
	}
	return s.work.keepProbed(r.number, r.probed)
}

func fileNames(r *round) []string {
	var out []string
	for _, f := range r.files {
		if suite.Readable(f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

// followsAll reports whether all assertions of a round's suite are followed to answers, as far as its files are read.
// Of others no answer tells whether they hold, and the runs as they are tell only of those that end a test.
func followsAll(r *round) bool {
	for _, f := range readForms(r.files) {
		if len(f.unknown) > 0 {
			return false
		}
	}
	return true
}

// sentAll reports whether each run of a round sent at least as many requests as its suite has calls: no test can have
// hidden any. Of calls that stand for any number of requests that is not known.
func sentAll(r *round) bool {
	calls := 0
	for _, f := range r.files {
		if !suite.Readable(f.Name) {
			continue
		}
		if script, err := suite.ReadAmong(f.Path, f.Data, mend.OnDisk); err == nil {
			if script.Repeats() {
				return false
			}
			calls += script.Calls()
		}
	}
	return !slices.ContainsFunc(r.runs, func(x execution) bool { return x.Requests < calls })
}

// mute runs a copy of the suite with its assertions muted, as often as a round is judged by.
func (s *session) mute(ctx context.Context, r *round, p probe.Probe) (*probed, error) {
	m := &muting{session: s, round: r, probe: p, series: series{round: r.number, muted: true}}
	if err := m.prepare(); err != nil {
		return nil, fmt.Errorf("mute suite: %w", err)
	}
	defer m.clear()
	done, err := s.work.runs(m.series)
	if err != nil {
		return nil, err
	}
	r.muted, err = s.runAbreast(ctx, abreast{series: m.series, done: done, enough: m.enough, do: m.once})
	switch m.enough(r.muted); {
	case m.damaged != nil:
		return nil, m.damaged
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil && m.out.Refused == "":
		m.out.Refused = console.OneLine(err.Error())
	}
	return &m.out, nil
}

// enough is how many muted runs count, by the first of them: as many as a round is judged by, and none after one by
// which nothing is judged.
func (m *muting) enough(runs []execution) int {
	for m.out.Refused == "" && m.damaged == nil && m.looked < min(len(runs), m.o.Learn) {
		m.look(runs[m.looked])
		m.looked++
	}
	if m.out.Refused != "" || m.damaged != nil {
		return m.looked
	}
	return m.o.Learn
}

// look takes in a muted run.
func (m *muting) look(x execution) {
	log, err := probe.Read(m.log(m.looked + 1))
	if err != nil {
		m.damaged = err
		return
	}
	if m.out.Refused = m.refused(x, log); m.out.Refused != "" {
		return
	}
	for _, end := range log.Ended {
		if !slices.Contains(m.out.NotReached, end) {
			m.out.NotReached = append(m.out.NotReached, end)
		}
	}
}

// muting is the muted running of one round's suite.
type muting struct {
	*session
	round  *round
	probe  probe.Probe
	series series
	suite  string // the folder of the copy
	loaded string // the folder of what its runner loads

	looked  int    // the muted runs that were looked at so far
	out     probed // what they came to
	damaged error  // why one of them could not be looked at
}

// prepare copies the suite, and writes what its runner loads.
func (m *muting) prepare() (err error) {
	if m.suite, err = filepath.Abs(m.work.suite(m.round.number)); err != nil {
		return err
	}
	m.loaded = filepath.Join(filepath.Dir(m.suite), "probe")
	return errors.Join(os.RemoveAll(m.suite), writeFiles(m.suite, m.copied()), mend.PutLinks(m.suite, m.o.Links),
		m.probe.Install(m.loaded))
}

// copied are the files of the copy.
func (m *muting) copied() []suite.File {
	var out []suite.File
	texts := map[string][]byte{}
	for _, f := range m.round.files {
		out = append(out, suite.File{Name: f.Name, Data: f.Data, Perm: f.Perm})
		texts[filepath.ToSlash(f.Name)] = f.Data
	}
	muted := m.probe.Mute(texts)
	for i, f := range out {
		if text, ok := muted[filepath.ToSlash(f.Name)]; ok {
			out[i].Data = text
		}
	}
	for _, name := range slices.Sorted(maps.Keys(muted)) {
		if _, ok := texts[name]; !ok {
			out = append(out, suite.File{Name: filepath.FromSlash(name), Data: muted[name], Perm: 0o644})
		}
	}
	return out
}

// clear takes both away.
func (m *muting) clear() {
	if err := errors.Join(os.RemoveAll(m.suite), os.RemoveAll(m.loaded)); err != nil {
		m.console.Say("flaketap: %s", console.OneLine(err.Error()))
	}
}

func (m *muting) log(run int) string { return m.work.run(m.series, run) + ".log" }

// once does one muted run.
func (m *muting) once(ctx context.Context, by Runner, b begun) (execution, error) {
	log, err := filepath.Abs(m.log(b.number))
	if err == nil {
		err = removeFile(log)
	}
	if err != nil {
		return execution{}, err
	}
	in := probe.Run{Dir: m.loaded, Suite: m.suite, Log: log}
	one := verify.Suite{Name: m.o.Suite, Arg: m.suite}
	if isFile(m.o.Suite) {
		one.Arg = filepath.Join(m.suite, filepath.Base(m.o.Suite))
	}
	x, err := m.session.once(ctx, by, job{series: m.series, begun: b, suite: one, timeout: m.patience(),
		env: func(env []string) []string { return m.probe.Env(env, in) }, pause: m.pause(b.number)})
	if x.TimedOut && ctx.Err() == nil {
		err = nil // what else is to be said of it follows from that
	}
	return x, err
}

// How long one answer is held back at most, and about how long all of them are.
const (
	longestPause = 500 * time.Millisecond
	allPauses    = 15 * time.Second
)

// pause is how long each answer of a muted run is held back that may have changed something; 0 but in the last one.
// What the API made moves on by itself, as an order that is pending and then ships: tests that read it at once see the
// same in each run, and another thing on a machine that is slower.
func (m *muting) pause(number int) time.Duration {
	if number != m.o.Learn || number == 1 {
		return 0
	}
	return min(longestPause, allPauses/time.Duration(max(1, m.round.runs[0].Requests)))
}

// patience is how long a muted run may take: one that waits for what never comes is cut off.
func (m *muting) patience() time.Duration {
	longest := 5 * time.Minute
	for _, x := range m.round.runs {
		longest = max(longest, 10*x.Took)
	}
	if m.o.Timeout > 0 {
		return min(longest, m.o.Timeout)
	}
	return longest
}

func (m *muting) slow() string { return fmt.Sprintf("one took more than %s", m.patience()) }

// refused is why nothing is judged by a muted run; "" where something is.
func (m *muting) refused(x execution, log probe.Log) string {
	switch as := m.round.runs[0]; {
	case x.TimedOut:
		return m.slow()
	case log.Tests == 0:
		return "the command's runner did not load what mutes them"
	case x.Silent && !as.Silent || len(x.Results) < len(as.Results):
		return fmt.Sprintf("only %s left results, of %d of the suite as it is",
			console.Count(len(x.Results), "test"), len(as.Results))
	case !slices.ContainsFunc(m.round.runs, func(was execution) bool { return x.Distinct >= was.Distinct }):
		return fmt.Sprintf("one sent only %s", console.Count(x.Requests, "request"))
	}
	return ""
}

// keepProbed keeps what the muted runs of a round came to.
func (w work) keepProbed(number int, p *probed) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("keep muted runs: %w", err)
	}
	return put(filepath.Join(w.round(number), "muted.json"), data)
}

// probed is what the muted runs of a round came to; nil where there were none, or not all.
func (w work) probed(number int) (*probed, error) {
	data, err := os.ReadFile(filepath.Join(w.round(number), "muted.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var p probed
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("read muted runs of round %d: %w", number, err)
	}
	return &p, nil
}
