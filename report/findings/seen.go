package findings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// differing gathers what the observations of one exchange differ in.
type differing struct {
	g        *gathering
	op       *operationSeen
	exchange *exchange.Exchange
	at       map[*fieldSeen][]difference // of the places that are still to be shown
	order    []*fieldSeen                // in which they came
}

// difference is that of one run at a place: the first one, where several elements of an array differ.
type difference struct {
	column int
	compare.Difference
}

// observe takes one observation, and says how it went.
func (d *differing) observe(column int, recorded, answer *compare.Answer) state {
	how := same
	d.op.answers[column]++
	if recorded.SameStatus(answer) {
		d.op.same[column]++
	} else {
		how = otherwise
	}
	told := map[*fieldSeen]bool{}
	for _, x := range recorded.Differences(answer) {
		if x.Kind == compare.Notation || how == otherwise && x.Place != exchange.PlaceStatus {
			continue
		}
		f := d.op.field(x)
		if f == nil || told[f] {
			continue
		}
		told[f] = true
		f.moved[column]++
		how = max(how, moved)
		if len(f.seen) < maxSeen {
			if d.at[f] == nil {
				d.order = append(d.order, f)
			}
			d.at[f] = append(d.at[f], difference{column, x})
		}
	}
	return how
}

// field returns what is gathered of the place that differs; nil where nothing is told of it.
func (o *operationSeen) field(x compare.Difference) *fieldSeen {
	if f, known := o.at[x.General]; known {
		return f
	}
	var f *fieldSeen
	for _, place := range []exchange.Place{x.General, x.Place} {
		if field := o.of.At(place); f == nil && field != nil {
			f = o.fields[field]
		}
	}
	o.at[x.General] = f
	return f
}

// keep keeps what the exchange had at the places that differed. states say how it went in each run.
func (d *differing) keep(states []state, outcome func(column int) string) {
	e := d.exchange
	for _, f := range d.order {
		all := d.at[f]
		first := all[0]
		s := Seen{Seq: e.Seq, Request: d.g.show.request(e), Place: d.g.show.redactor.ShowPlace(first.Place),
			Runs: []SeenRun{}}
		show := func(raw string) string { return d.g.show.token(f, first.Place, raw) }
		before, after := show(first.Before), show(first.After)
		from := begin(before, after)
		s.Recorded = excerpt(before, from)
		for c, how := range states {
			if how == missing {
				continue
			}
			run := SeenRun{Run: d.g.columns[c].Number, Value: s.Recorded}
			i := slices.IndexFunc(all, func(x difference) bool { return x.column == c })
			switch {
			case how == otherwise && f.field.Place != exchange.PlaceStatus:
				run.Value, run.Otherwise = "", outcome(c)
			case i >= 0:
				run.Moved, run.Value = true, excerpt(show(all[i].After), from)
				if all[i].Place != first.Place { // another element of the array
					run.Value = excerpt(show(all[i].After), 0)
				}
			}
			s.Runs = append(s.Runs, run)
		}
		f.seen = append(f.seen, s)
	}
}

// shower shows what stands in messages with tokens in the place of secrets.
type shower struct{ redactor exchange.Redactor }

// hides reports whether all that stands at a place is secret.
func (s shower) hides(f *mapfile.Field) bool {
	return s.redactor.Secret(f.Place) || slices.ContainsFunc(f.Samples, func(sample json.RawMessage) bool {
		var text string
		return !s.redactor.Reveal && json.Unmarshal(sample, &text) == nil && exchange.IsToken(text)
	})
}

// token is a raw JSON token at a place, as it may be shown; "" stays it.
func (s shower) token(f *fieldSeen, place exchange.Place, raw string) string {
	if f.secret && raw != "" {
		return redact.Hidden(s.redactor, raw)
	}
	return redact.Token(s.redactor, place, raw)
}

// request is the method and the target of an exchange.
func (s shower) request(e *exchange.Exchange) string {
	return report.Show(e.Request.Method, 20) + " " + report.ShowEnds(redact.Target(s.redactor, e.Request.Target), 160)
}

// outcome is a status, or in its place the kind of a fault.
func outcome(r *exchange.Response, f *exchange.Fault) string {
	if f != nil {
		return string(f.Kind)
	}
	return fmt.Sprint(exchange.StatusOf(r))
}

// begin returns where an excerpt of two values begins that shows how they differ: at the beginning where that is
// enough, else somewhat before the first difference.
func begin(a, b string) int {
	if max(len(a), len(b)) <= MaxValue {
		return 0
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return max(0, n-MaxValue/4)
}

// ellipsis stands for what an excerpt leaves out.
const ellipsis = "…"

// excerpt returns at most MaxValue bytes of a text, with an ellipsis for what is left out before and behind.
func excerpt(s string, from int) string {
	if len(s) <= MaxValue && from == 0 {
		return s
	}
	from = min(from, max(0, len(s)-MaxValue/4))
	end := min(len(s), from+MaxValue-2*len(ellipsis))
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	for end < len(s) && end > from && !utf8.RuneStart(s[end]) {
		end--
	}
	out := strings.Clone(s[from:end])
	if from > 0 {
		out = ellipsis + out
	}
	if end < len(s) {
		out += ellipsis
	}
	return out
}
