package experiment

import (
	"fmt"
	"iter"
	"net/url"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// survey is what a replay has to know of a recording before it begins. It is made in one pass over the exchanges, none
// of which it keeps.
type survey struct {
	*analysis.Bound
	db     *store.Store
	total  int // exchanges
	rules  flow.Rules
	order  *flow.Order
	first  spoken  // to whom the first exchange spoke
	writes bool    // a request may have changed something
	other  *spoken // and the first that spoke to somebody else; nil where none did
}

// spoken is whom an exchange spoke to.
type spoken struct {
	seq  uint64
	addr string
}

// newSurvey reads the recording, and its runs where it has any: what they refuse is not carried over. gc is tuned on
// the way, for the replay too: what is kept of each exchange adds up.
func newSurvey(db *store.Store, rules flow.Rules, gc *analysis.GC) (*survey, error) {
	s := &survey{db: db, rules: rules, order: flow.NewOrder()}
	var err error
	s.Bound, err = analysis.Bind(db, rules, func(e *exchange.Exchange) {
		s.total++
		gc.Exchanges(s.total)
		s.order.Add(e)
		s.writes = s.writes || !e.Request.Safe()
		switch to := (spoken{e.Seq, e.Addr}); {
		case s.total == 1:
			s.first = to
		case s.other == nil && e.Addr != s.first.addr:
			s.other = &to
		}
	})
	if err != nil {
		return nil, err
	}
	s.Binder = nil // it holds all that answers gave, and a replay asks it nothing
	s.order.Bind(s.Kept)
	return s, nil
}

// exchanges goes over the recording again; what cannot be read ends it, and is told where it is played.
func (s *survey) exchanges() iter.Seq[*exchange.Exchange] {
	return func(yield func(*exchange.Exchange) bool) {
		for e, err := range s.db.Exchanges() {
			if err != nil || !yield(e) {
				return
			}
		}
	}
}

// operations names the operation of each exchange by its position. It holds an outline of each meanwhile.
func (s *survey) operations() (map[uint64]exchange.Operation, error) {
	var (
		outliner flow.Outliner
		all      []*exchange.Exchange
	)
	for e, err := range s.db.Exchanges() {
		if err != nil {
			return nil, err
		}
		all = append(all, outliner.Outline(e))
	}
	return s.rules.Operations(all, s.Kept), nil
}

// restarts tells the passes that began with an API that was reset or new.
func restarts(recording exchange.Recording) func(pass int) bool {
	known := map[int]bool{}
	for _, p := range recording.Passes {
		known[p.Number] = p.Start == exchange.StartReset || p.Start == exchange.StartFresh
	}
	return func(pass int) bool { return known[pass] }
}

// target is the base URL to replay to, if one is asked for, and the address that was recorded in its place. Without,
// each request goes where it went when it was recorded: a client may have spoken to other hosts beside its target, and
// what it told them is not for the target.
func (s *survey) target(asked string, recording exchange.Recording) (target *url.URL, recorded string, err error) {
	target, err = service.BaseURL(asked)
	if err != nil || target == nil {
		return nil, "", err
	}
	for _, pass := range recording.Passes {
		if u, err := service.BaseURL(pass.Target); err == nil && u != nil {
			return target, service.HostPort(u), nil
		}
	}
	if s.other != nil {
		return nil, "", console.Advise(
			fmt.Errorf("replay to %s: the recording went to several hosts, exchange %d to %s and exchange %d to %s",
				target, s.first.seq, s.first.addr, s.other.seq, s.other.addr),
			"without --target, each request goes to its recorded host")

	}
	return target, "", nil
}
