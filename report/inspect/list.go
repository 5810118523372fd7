package inspect

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/report"
)

// Passes lists the passes of the client.
func (in *Inspector) Passes() error {
	l := in.listing(report.Column{Name: "PASS", Right: true}, report.Column{Name: "STARTED"},
		report.Column{Name: "TOOK", Right: true},
		report.Column{Name: "SOURCE"}, report.Column{Name: "START"}, report.Column{Name: "LABEL", Max: 30},
		report.Column{Name: "TARGET", Max: 40},
		report.Column{Name: "COMMAND", Max: 40})
	if err := in.maskMarks(); err != nil {
		return err
	}
	targets, err := in.targets()
	if err != nil {
		return err
	}
	for _, p := range in.recording.Passes {
		if err := l.Add(p, fmt.Sprint(p.Number), moment(p.Started), took(p.Started, p.Ended), p.Source, string(p.Start),
			labeled(p), targets[p.Number], strings.Join(p.Command, " ")); err != nil {
			return err
		}
	}
	return l.Close()
}

// labeled is the label of a pass, with the machine that it was collected from.
func labeled(p exchange.Pass) string {
	if p.Origin == nil || p.Origin.Machine == "" {
		return p.Label
	}
	return strings.TrimSpace(p.Label + " @" + p.Origin.Machine)
}

// maxTargets bounds how many targets of a pass are named.
const maxTargets = 3

// targets returns where the requests of each pass went: the target of a reverse proxy, and of a forward proxy those
// that its client chose. Only people are told the latter, for it takes the exchanges to know.
func (in *Inspector) targets() (map[int]string, error) {
	targets, chosen := map[int]string{}, map[int][]string{}
	for _, p := range in.recording.Passes {
		targets[p.Number] = p.Target
	}
	if in.Form != report.FormText || !slices.Contains(slices.Collect(maps.Values(targets)), "") {
		return targets, nil
	}
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return nil, err
		}
		base := e.Scheme + "://" + e.Addr
		if targets[e.Pass] == "" && !slices.Contains(chosen[e.Pass], base) && len(chosen[e.Pass]) <= maxTargets {
			chosen[e.Pass] = append(chosen[e.Pass], base)
		}
	}
	for pass, list := range chosen {
		if len(list) > maxTargets {
			list = append(list[:maxTargets], "…")
		}
		targets[pass] = strings.Join(list, " ")
	}
	return targets, nil
}

// Runs lists the runs; as text, with what they say of sequences that depend on others.
func (in *Inspector) Runs() error {
	runs, err := in.db.Runs()
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "RUN", Right: true}, report.Column{Name: "STARTED"},
		report.Column{Name: "TOOK", Right: true},
		report.Column{Name: "KIND"}, report.Column{Name: "START"}, report.Column{Name: "STEPS", Right: true},
		report.Column{Name: "LOST", Right: true},
		report.Column{Name: "ADDED", Right: true}, report.Column{Name: "LABEL", Max: 30},
		report.Column{Name: "CONDITIONS", Max: 60})
	for _, r := range runs {
		if err := l.Add(r, fmt.Sprint(r.Number), moment(r.Started), took(r.Started, r.Ended), string(r.Kind),
			string(r.Conditions.Start),
			fmt.Sprint(r.Steps), fmt.Sprint(r.Lost), fmt.Sprint(r.Added), r.Label,
			strings.Join(r.Conditions.Perturb, " ")); err != nil {
			return err
		}
	}
	if err := l.Close(); err != nil || in.Form != report.FormText {
		return err
	}
	for _, r := range runs {
		for _, d := range r.Dependences {
			fmt.Fprintf(in.Out, "run %d: %s\n", r.Number, dependence(d))
		}
	}
	return nil
}

// dependence says what a search found; sequences are named by their first exchange.
func dependence(d exchange.Dependence) string {
	var after []string
	for _, seq := range d.After {
		after = append(after, fmt.Sprint(seq))
	}
	how := "as recorded only"
	if d.Polluted {
		how = "differently"
	}
	return fmt.Sprintf("from exchange %[2]d on, the sequence that begins with exchange %[1]d goes %[3]s after that of %[4]s",
		d.Victim, d.Step, how, strings.Join(after, " and "))
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// took is how long a pass or run lasted; "cut off" where it has no end.
func took(from, to time.Time) string {
	if to.IsZero() {
		return "cut off"
	}
	return to.Sub(from).Round(time.Millisecond).String()
}

// Exchanges lists the exchanges that a filter lets pass, reading one after the other.
func (in *Inspector) Exchanges(f Filter) error {
	if err := in.learnSecrets(); err != nil {
		return err
	}
	var positions map[uint64]struct{} // nil: all
	if f.Sequence != "" {
		var err error
		if positions, err = in.positions(f.Sequence); err != nil {
			return err
		}
	}
	path := f.pathPattern()
	l := in.listing(report.EntryColumns()...)
	for e, err := range in.candidates(f) {
		if err != nil {
			return err
		}
		if _, there := positions[e.Seq]; positions != nil && !there || !f.matches(e, path) {
			continue
		}
		entry := in.mask.entry(e)
		if in.Form != report.FormText {
			entry.Fingerprint = exchange.Exact(e).String()
		}
		if err := l.Add(entry, entry.Cells()...); err != nil {
			return err
		}
		if in.enough(l) {
			break
		}
	}
	return l.Close()
}

// candidates are the exchanges among which those that were asked for are: by the index where there is one for them.
func (in *Inspector) candidates(f Filter) iter.Seq2[*exchange.Exchange, error] {
	if f.Fingerprint == nil {
		return in.db.Exchanges()
	}
	return func(yield func(*exchange.Exchange, error) bool) {
		seqs, err := in.db.ByFingerprint(*f.Fingerprint)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, seq := range seqs {
			if e, err := in.db.Exchange(seq); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Entry is an exchange as a list shows it, without its fingerprint.
func Entry(e *exchange.Exchange, r exchange.Redactor) report.Entry { return masker{r}.entry(e) }

// entry is an exchange as a list shows it, without its fingerprint: that is a digest of the whole request, and made
// only where wanted.
func (m masker) entry(e *exchange.Exchange) report.Entry {
	r := report.Entry{
		Seq: e.Seq, Pass: e.Pass, Connection: e.Conn, Sequence: m.text("", e.Sequence), Target: e.Target,
		Scheme: e.Scheme, Address: e.Addr,
		Start: e.Start, Latency: inMilliseconds(e.Latency), Method: e.Request.Method,
		RequestTarget: redact.Target(m.redactor, e.Request.Target), RequestBytes: int64(len(e.Request.Body)) +
			e.Request.Cut,
	}
	if r.Target == "" {
		r.Target = exchange.DefaultTarget
	}
	if e.Fault != nil {
		r.Fault = string(e.Fault.Kind)
		return r
	}
	r.Status, r.MediaType = e.Response.Status, e.Response.MediaType()
	r.ResponseBytes = int64(len(e.Response.Body)) + e.Response.Cut
	return r
}

func inMilliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sequenceRecord is the JSON of a sequence.
type sequenceRecord struct {
	Name string `json:"name"`
	// as the client or the recorder set it; "" where the sequence was told by other means
	Mark      string    `json:"mark"`
	Pass      int       `json:"pass"`
	Exchanges int       `json:"exchanges"`
	Faults    int       `json:"faults"`
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Steps     []uint64  `json:"steps"` // positions, in order
}

// Sequences lists the sequences of a pass, or of all where pass is 0. An outline of each exchange is held for it, about
// 1 kB.
func (in *Inspector) Sequences(pass int) error {
	if err := in.learnSecrets(); err != nil {
		return err
	}
	all, sequences, err := in.readSequences()
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "SEQUENCE", Max: 44}, report.Column{Name: "PASS", Right: true},
		report.Column{Name: "EXCHANGES", Right: true},
		report.Column{Name: "FAULTS", Right: true}, report.Column{Name: "FIRST", Right: true}, report.Column{Name: "LAST",
			Right: true},
		report.Column{Name: "STARTED"}, report.Column{Name: "MARK", Max: 60})
	for _, s := range sequences {
		first, last := all[s.Steps[0]-1], all[s.Steps[len(s.Steps)-1]-1]
		if pass != 0 && first.Pass != pass {
			continue
		}
		r := sequenceRecord{Name: in.mask.text("", s.Name), Mark: in.mask.text("", first.Sequence), Pass: first.Pass,
			Exchanges: len(s.Steps), Started: first.Start,
			Ended: last.Start.Add(last.Latency), Steps: s.Steps}
		for _, seq := range s.Steps {
			if all[seq-1].Fault != nil {
				r.Faults++
			}
		}
		if err := l.Add(r, r.Name, fmt.Sprint(r.Pass), fmt.Sprint(r.Exchanges), fmt.Sprint(r.Faults), fmt.Sprint(first.Seq),
			fmt.Sprint(last.Seq),
			moment(r.Started), r.Mark); err != nil {
			return err
		}
		if in.enough(l) {
			break
		}
	}
	return l.Close()
}

// readSequences returns the outlines of all exchanges, by position, and the sequences that they form.
func (in *Inspector) readSequences() ([]*exchange.Exchange, []exchange.Sequence, error) {
	binder := flow.NewBinderWith(in.analysis.Rules.Bindings)
	var (
		outliner flow.Outliner
		all      []*exchange.Exchange
	)
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return nil, nil, err
		}
		binder.Add(e)
		all = append(all, outliner.Outline(e))
	}
	bindings := binder.Bindings()
	return all, flow.Sequences(all, bindings, in.analysis.Rules.Bindings.Operations(all, bindings)), nil
}

// positions are the exchanges of the sequences with a name or mark.
func (in *Inspector) positions(name string) (map[uint64]struct{}, error) {
	all, sequences, err := in.readSequences()
	if err != nil {
		return nil, err
	}
	out := map[uint64]struct{}{}
	for _, s := range sequences {
		if s.Name != name && all[s.Steps[0]-1].Sequence != name {
			continue
		}
		for _, seq := range s.Steps {
			out[seq] = struct{}{}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("unknown sequence %q; flaketap inspect sequences lists them", name)
	}
	return out, nil
}
