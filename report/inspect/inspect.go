package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Output is where and how something is shown.
type Output struct {
	Out     io.Writer
	Form    report.Form
	Limit   int // records of a listing at most; 0: all
	Console *console.Console
}

// listing begins a listing in the form that is wanted.
func (o *Output) listing(columns ...report.Column) *report.Listing {
	return report.NewListing(o.Out, o.Form, columns...)
}

// enough reports whether a listing has as many records as are wanted.
func (o *Output) enough(l *report.Listing) bool { return o.Limit > 0 && l.Count() >= o.Limit }

// document writes one JSON document, on one line where lines are wanted.
func (o *Output) document(v any) error {
	if o.Form == report.FormJSON {
		return report.JSON(o.Out, v)
	}
	l := o.listing()
	return errors.Join(l.Add(v), l.Close())
}

// Inspector shows what a recording holds.
type Inspector struct {
	Output
	analysis  analysis.Options
	path      string
	db        *store.Store
	recording exchange.Recording
	secrets   exchange.Secrets // what the masker knows comes from
	mask      masker
}

// Open opens the recording in a database file. The options say what is secret and shown all the same, and what the
// user's rules are. Close ends it.
func Open(path string, a analysis.Options, o Output) (*Inspector, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	rec, err := db.Recording()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Inspector{Output: o, analysis: a, path: path, db: db, recording: rec,
		mask: masker{exchange.Redactor{Key: rec.Key, Reveal: a.Reveal}}}, nil
}

// Close closes the recording.
func (in *Inspector) Close() error { return in.db.Close() }

// Holder returns who is still writing into the recording; nil where nobody is.
func (in *Inspector) Holder() *store.Holder { return in.db.Holder() }

// learnSecrets goes through the recording once: a secret that one exchange names is one wherever another repeats it.
func (in *Inspector) learnSecrets() error {
	if in.analysis.Reveal {
		return nil
	}
	in.secrets.Named, in.secrets.Stored = in.analysis.Secrets, in.recording.Redacted()
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return err
		}
		in.secrets.Exchange(e)
	}
	in.mask.redactor.Known = in.secrets.Known()
	return nil
}

// maskMarks has programs shown the marks of passes as all else that clients sent; people are not shown them.
func (in *Inspector) maskMarks() error {
	marked := func(p exchange.Pass) bool { return len(p.Marks) > 0 }
	if in.Form == report.FormText || !slices.ContainsFunc(in.recording.Passes, marked) {
		return nil
	}
	if err := in.learnSecrets(); err != nil {
		return err
	}
	for _, p := range in.recording.Passes {
		for i, m := range p.Marks {
			p.Marks[i].Name = in.mask.text("", m.Name)
		}
	}
	return nil
}

// learnStep adds the secrets of a step to those that are known.
func (in *Inspector) learnStep(s exchange.Step) {
	if in.analysis.Reveal {
		return
	}
	in.secrets.Step(s)
	in.mask.redactor.Known = in.secrets.Known()
}

// overview is the JSON of [Inspector.Overview].
type overview struct {
	Recording exchange.Recording `json:"recording"`
	Runs      []exchange.Run     `json:"runs"`
	Faults    int                `json:"faults"`
	Statuses  map[string]int     `json:"statuses"` // exchanges by status
	Sequences int                `json:"marked_sequences"`
	Cut       int                `json:"cut"` // exchanges of which a body was not stored whole
}

// mark is a mark within its pass.
type mark struct {
	pass int
	name string
}

// Overview tells what there is: one pass through the recording, which holds no exchange.
func (in *Inspector) Overview() error {
	runs, err := in.db.Runs()
	if err != nil {
		return err
	}
	if err := in.maskMarks(); err != nil {
		return err
	}
	o := overview{Recording: in.recording, Runs: runs, Statuses: map[string]int{}}
	o.Recording.Passes = filled(o.Recording.Passes)
	o.Runs = filled(o.Runs)
	marks := map[mark]struct{}{}
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return err
		}
		if e.Sequence != "" {
			marks[mark{e.Pass, e.Sequence}] = struct{}{}
		}
		switch {
		case e.Fault != nil:
			o.Faults++
		default:
			o.Statuses[strconv.Itoa(e.Response.Status)]++
		}
		if e.Request.Cut > 0 || e.Response != nil && e.Response.Cut > 0 {
			o.Cut++
		}
	}
	o.Sequences = len(marks)
	if in.Form != report.FormText {
		return in.document(o)
	}
	return in.overviewText(o)
}

func (in *Inspector) overviewText(o overview) error {
	line := func(format string, args ...any) { fmt.Fprintf(in.Out, format+"\n", args...) }
	line("%s: %s in %s, %s", in.path, console.Count(o.Recording.Count, "exchange"),
		passes(len(o.Recording.Passes)), console.Count(len(o.Runs), "run"))
	var by []string
	for status, n := range o.Statuses {
		by = append(by, fmt.Sprintf("%s ×%d", status, n))
	}
	slices.Sort(by)
	if len(by) > 0 {
		line("answers: %s", strings.Join(by, ", "))
	}
	if o.Faults > 0 {
		line("faults: %d", o.Faults)
	}
	if o.Cut > 0 {
		line("bodies stored in part: %d", o.Cut)
	}
	if o.Sequences > 0 {
		line("sequences marked by the client: %d", o.Sequences)
	}
	line("")
	if err := in.Passes(); err != nil || len(o.Runs) == 0 {
		return err
	}
	line("")
	return in.Runs()
}

func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// filled returns a list that encodes as one, be it empty.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
