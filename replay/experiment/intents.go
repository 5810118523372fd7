package experiment

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Intent is what a run would do with the requests of one operation, and the JSON of it.
type Intent struct {
	Host      string `json:"host"` // scheme and address that they would go to
	Method    string `json:"method"`
	Operation string `json:"operation"` // path template
	Requests  int    `json:"requests"`  // in each run
	Unsafe    bool   `json:"unsafe"`    // they may change something
	Skipped   string `json:"skipped"`   // why they would not be sent; "" where they would
	// the scheme of their signature, for which they cannot be replayed faithfully; "" without
	Signed string `json:"signed"`
	First  uint64 `json:"first"` // the first of them in the recording
}

// Preview lists what a replay with these options would send in a run, in order of host and operation, and who is still
// writing into the recording. It sends nothing, and changes nothing.
func Preview(o Options) ([]Intent, *store.Holder, error) {
	db, err := store.OpenReadOnly(o.DB)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	gc := analysis.TuneGC(analysis.Unbounded)
	defer gc.Restore()
	s, err := open(db, o, gc)
	if err != nil {
		return nil, nil, err
	}
	intents, err := s.intents()
	return intents, db.Holder(), err
}

func (s *session) intents() ([]Intent, error) {
	operations, err := s.survey.operations()
	if err != nil {
		return nil, err
	}
	all := map[Intent]*Intent{}
	secrets := exchange.Secrets{Stored: s.recording.Redacted()}
	for e := range s.survey.exchanges() {
		secrets.Exchange(e)
		i := Intent{Method: e.Request.Method, Operation: operations[e.Seq].Template, Unsafe: !e.Request.Safe()}
		i.Host, i.Skipped = s.player.Destination(e)
		if g, signed := s.chosen.signature(e); signed {
			i.Signed = g.Scheme
		}
		if all[i] == nil {
			one := i
			one.First = e.Seq
			all[i] = &one
		}
		all[i].Requests++
	}
	redactor := exchange.Redactor{Key: s.recording.Key, Known: secrets.Known()}
	rows := make([]Intent, 0, len(all))
	for _, i := range all {
		i.Operation = redact.Target(redactor, i.Operation)
		rows = append(rows, *i)
	}
	slices.SortFunc(rows, func(a, b Intent) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Skipped, b.Skipped), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.First, b.First))
	})
	return rows, nil
}
