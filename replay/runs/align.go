package runs

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/align"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// Source yields exchanges, and the same when it is gone through again: those of a file, or of a run that is not stored
// yet.
type Source = iter.Seq2[*exchange.Exchange, error]

// TrackOf reads exchanges into what an alignment looks at.
func TrackOf(exchanges Source) (*align.Track, error) {
	t := &align.Track{}
	for e, err := range exchanges {
		if err != nil {
			return nil, err
		}
		t.Add(e)
	}
	return t, nil
}

// OfPass yields the exchanges of one pass of a recording; 0 stands for all.
func OfPass(db *store.Store, pass int) Source {
	return func(yield func(*exchange.Exchange, error) bool) {
		for e, err := range db.Exchanges() {
			if err == nil && pass != 0 && e.Pass != pass {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Alignment puts the exchanges of a run beside those of the recording. It holds none of them.
type Alignment struct {
	recorded, run *align.Track
	matches       []align.Match
	aligned       int
	unreached     int // of these, the ones that without an answer: no observations
	changed       int // of these, the ones that ask with different values
	lost, added   int
}

// Align finds the recorded exchange for each of a run.
func Align(recorded, run *align.Track) *Alignment {
	p := &Alignment{recorded: recorded, run: run, matches: align.Tracks(recorded, run)}
	for _, m := range p.matches {
		switch {
		case m.Run < 0:
			p.lost++
		case m.Recorded < 0:
			p.added++
		default:
			p.aligned++
			if m.Changed {
				p.changed++
			}
		}
	}
	return p
}

// Check returns why this is no run of the recording: none of its exchanges has a recorded one. It is nil if some have.
func (p *Alignment) Check(db *store.Store, exchanges Source) error {
	if p.aligned > 0 {
		return nil
	}
	own, rec := p.run.Len(), p.recorded.Len()
	if own == 0 || rec == 0 {
		return fmt.Errorf("nothing to align: %s in the run, %s in the recording",
			console.Count(own, "exchange"), console.Count(rec, "exchange"))
	}
	recording, err := db.Recording()
	if err != nil {
		return err
	}
	first, err := db.Exchange(p.recorded.Seq(0))
	if err != nil {
		return err
	}
	for e, err := range exchanges {
		if err != nil {
			return err
		}
		if !answered(exchanges) {
			return errors.New("none of its requests was answered")
		}
		redactor := exchange.Redactor{Key: recording.Key}
		return fmt.Errorf("not a run of this recording: none of its %s (the first is %s) matches any of the %d recorded ones (the first is %s)",
			console.Count(own, "exchange"), shown(redactor, e), rec, shown(redactor, first))
	}
	return errors.New("the run changed while it was read")
}

// answered reports whether any of some exchanges has an answer.
func answered(exchanges Source) bool {
	for e, err := range exchanges {
		if err == nil && e.Response != nil {
			return true
		}
	}
	return false
}

// shown names an exchange in a message: without its query, which may hold secrets.
func shown(r exchange.Redactor, e *exchange.Exchange) string {
	path, _ := exchange.SplitTarget(e.Request.Target)
	return console.OneLine(fmt.Sprintf("%.16s %.80s", e.Request.Method, r.Show("", path)))
}

// Asked gives what the API asked of other services in a run.
type Asked = iter.Seq2[*exchange.External, error]

// Store stores the run: what it answered in the place of each recorded exchange that it has, and what the API asked of
// other services meanwhile; nil where that is not known.
func (p *Alignment) Store(db *store.Store, run exchange.Run, exchanges Source, asked Asked) error {
	of := make([]uint64, p.run.Len())
	for _, m := range p.matches {
		if m.Run >= 0 && m.Recorded >= 0 {
			of[m.Run] = p.recorded.Seq(m.Recorded)
		}
	}
	run.Lost, run.Added = p.lost, p.added
	sink := NewSink(db, run, nil)
	i := 0
	for e, err := range exchanges {
		if err == nil && i < len(of) && of[i] != 0 {
			err = sink.Observe(&exchange.Observation{
				Seq: of[i], Start: e.Start, Latency: e.Latency, Sent: e.Request, Response: e.Response, Fault: e.Fault,
			})
		}
		if err != nil {
			return err
		}
		i++
	}
	p.unreached = p.aligned - sink.Stored
	if sink.Stored == 0 {
		return errors.New("none of its requests was answered; no run is stored")
	}
	if asked != nil {
		for x, err := range asked {
			if err != nil {
				return err
			}
			sink.External(x)
		}
	}
	return sink.Finish()
}

// String says how a run and the recording go together.
func (p *Alignment) String() string {
	s := console.Count(p.aligned, "step")
	if p.changed > 0 {
		s += fmt.Sprintf(" (%d with different values)", p.changed)
	}
	s += fmt.Sprintf(", %d lost, %d added", p.lost, p.added)
	if p.unreached > 0 {
		s += fmt.Sprintf("; %d without an answer", p.unreached)
	}
	return s
}

// Differences lists, as lines of text without secrets, which exchanges the run has lost, added and sent with other
// values: at most so many of each.
func (p *Alignment) Differences(db *store.Store, exchanges Source, most int) ([]string, error) {
	if most == 0 || p.lost+p.added+p.changed == 0 {
		return nil, nil
	}
	recording, err := db.Recording()
	if err != nil {
		return nil, err
	}
	d := differences{redactor: exchange.Redactor{Key: recording.Key}, own: map[int]string{}}
	var picked []align.Match
	for _, m := range p.matches {
		if n := d.kind(m); n != nil {
			if *n++; *n <= most {
				picked = append(picked, m)
				d.own[m.Run] = ""
			}
		}
	}
	i := 0
	for e, err := range exchanges {
		if err != nil {
			return nil, err
		}
		if _, ok := d.own[i]; ok {
			d.own[i] = shown(d.redactor, e)
		}
		i++
	}
	var lines []string
	for _, m := range picked {
		line, err := d.line(db, p.recorded, m)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return append(lines, d.more(most)...), nil
}

// differences is what is told of the differences between a run and the recording.
type differences struct {
	redactor             exchange.Redactor
	own                  map[int]string // what is shown of an exchange of the run, by its position there
	lost, added, changed int
}

// kind returns the count of the kind of difference that a match is, nil where it is none.
func (d *differences) kind(m align.Match) *int {
	switch {
	case m.Run < 0:
		return &d.lost
	case m.Recorded < 0:
		return &d.added
	case m.Changed:
		return &d.changed
	}
	return nil
}

func (d *differences) line(db *store.Store, recorded *align.Track, m align.Match) (string, error) {
	if m.Recorded < 0 {
		return "added    " + d.own[m.Run], nil
	}
	seq := recorded.Seq(m.Recorded)
	e, err := db.Exchange(seq)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s (exchange %d)", shown(d.redactor, e), seq)
	if m.Run < 0 {
		return "lost     " + text, nil
	}
	if own := d.own[m.Run]; !strings.HasPrefix(text, own+" (") {
		text += ", now " + own
	}
	return "changed  " + text, nil
}

// more says what is not listed.
func (d *differences) more(most int) []string {
	var out []string
	for _, k := range []struct {
		name string
		n    int
	}{{"lost", d.lost}, {"added", d.added}, {"changed", d.changed}} {
		if k.n > most {
			out = append(out, fmt.Sprintf("%-8s %d more", k.name, k.n-most))
		}
	}
	return out
}
