package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
)

// tracedRecord is the JSON of an exchange that belongs to a trace.
type tracedRecord struct {
	Trace    exchange.TraceID `json:"trace"`
	CausedBy uint64           `json:"caused_by"` // the position of an exchange of another pass; 0 where that is not known
	report.Entry
}

// Traces lists the exchanges of each trace of which several passes have some, the earliest trace first: what several
// services did for one request. They are read twice; between that, 100 bytes are held for each that belongs to a trace.
func (in *Inspector) Traces() error {
	if err := in.learnSecrets(); err != nil {
		return err
	}
	traces, err := in.traces()
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "TRACE"}, report.Column{Name: "SEQ", Right: true}, report.Column{Name: "PASS", Right: true},
		report.Column{Name: "CAUSED BY", Right: true}, report.Column{Name: "STARTED"}, report.Column{Name: "MS", Right: true},
		report.Column{Name: "METHOD"}, report.Column{Name: "TARGET", Max: 60})
	for _, id := range traces.order {
		of := traces.of[id]
		for i, cause := range exchange.TraceCauses(of) {
			if in.enough(l) {
				return l.Close()
			}
			e, err := in.db.Exchange(of[i].Seq)
			if err != nil {
				return err
			}
			r := tracedRecord{Trace: id, CausedBy: cause, Entry: in.mask.entry(e)}
			by := ""
			if cause > 0 {
				by = fmt.Sprint(cause)
			}
			if err := l.Add(r, string(id), fmt.Sprint(r.Seq), fmt.Sprint(r.Pass), by, r.Start.UTC().Format(time.TimeOnly+".000"),
				fmt.Sprint(e.Latency.Milliseconds()), r.Method, r.RequestTarget); err != nil {
				return err
			}
		}
	}
	if l.Count() == 0 && in.Form == report.FormText {
		in.Console.Say("flaketap: no trace has exchanges in several passes: have clients and services pass on the header " +
			"traceparent, and put the recordings of all together with flaketap collect")
	}
	return l.Close()
}

// spans are the exchanges of traces.
type spans struct {
	of    map[exchange.TraceID][]exchange.Traced // as they began
	order []exchange.TraceID
}

// traces finds those that several passes have exchanges of.
func (in *Inspector) traces() (spans, error) {
	s := spans{of: map[exchange.TraceID][]exchange.Traced{}}
	for e, err := range in.db.Exchanges() {
		if err != nil {
			return s, err
		}
		if id := e.Request.TraceID(); id != "" {
			s.of[id] = append(s.of[id], exchange.Traced{Seq: e.Seq, Pass: e.Pass, Start: e.Start, End: e.Start.Add(e.Latency)})
		}
	}
	for id, of := range s.of {
		slices.SortFunc(of, func(a, b exchange.Traced) int {
			return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Seq, b.Seq))
		})
		if slices.ContainsFunc(of, func(x exchange.Traced) bool { return x.Pass != of[0].Pass }) {
			s.order = append(s.order, id)
		}
	}
	slices.SortFunc(s.order, func(a, b exchange.TraceID) int {
		return cmp.Or(s.of[a][0].Start.Compare(s.of[b][0].Start), cmp.Compare(a, b))
	})
	return s, nil
}
