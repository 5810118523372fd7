package analysis

import (
	"iter"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/outside"
)

// outsideOf gathers what external services answered the API, by the exchange that asked: that is told in each run by
// itself. nil where services were asked nothing.
func outsideOf(db source) (*outside.Book, error) {
	asked, err := causesOf(db)
	if err != nil || len(asked) == 0 {
		return nil, err
	}
	sent, positions := make([]*exchange.Exchange, len(asked)), make(map[uint64]int, len(asked))
	for i, a := range asked {
		sent[i], positions[a.sent.Seq] = a.sent, i
	}
	book, templates := &outside.Book{}, flow.Templates(sent)
	for x := range readExternals(db) {
		i, known := positions[x.Seq]
		if !known || asked[i].cause == 0 { // what came meanwhile is not
			continue
		}
		at := i
		if of, again := x.Again(); again {
			at = recordedAt(asked, positions, of, i)
		}
		book.Add(asked[i].cause, x.Run, x, strings.TrimSuffix(templates[at].Template, "/"))
	}
	return book, nil
}

// recordedAt is the position of the recorded call whose answer one at a position was given, by whatever value the API
// named it then; its own where the recording does not have that call of the service.
func recordedAt(asked []caused, positions map[uint64]int, of uint64, own int) int {
	at, known := positions[of]
	if !known || asked[at].run != 0 {
		return own
	}
	if was, is := asked[at].sent, asked[own].sent; was.Scheme != is.Scheme || was.Addr != is.Addr {
		return own
	}
	return at
}

// caused is what a service was asked, and for which exchange of the recording, or its counterpart in the run; 0 where
// that is not known.
type caused struct {
	sent  *exchange.Exchange // its outline
	run   int
	cause uint64
}

// causesOf returns what services were asked, in order.
func causesOf(db source) (all []caused, err error) {
	var (
		outliner  flow.Outliner
		asked     = map[int][]exchange.Outgoing{} // by the run; without what was said
		positions = map[int][]int{}               // the same in all
	)
	for x := range readExternals(db) {
		o := outliner.Outline(&x.Exchange)
		positions[x.Run] = append(positions[x.Run], len(all))
		all = append(all, caused{sent: o, run: x.Run})
		asked[x.Run] = append(asked[x.Run],
			exchange.Outgoing{External: &exchange.External{Exchange: *o, Run: x.Run}, Carried: flow.Carried(&x.Request)})
	}
	if len(all) == 0 {
		return nil, nil
	}
	incoming, err := observedIn(db, asked)
	if err != nil {
		return nil, err
	}
	for run := range asked {
		for n, cause := range exchange.Causes(incoming[run], asked[run]) {
			all[positions[run][n]].cause = cause.Seq
		}
	}
	return all, nil
}

// readExternals goes over those that can be read.
func readExternals(db source) iter.Seq[*exchange.External] {
	return func(yield func(*exchange.External) bool) {
		for x, err := range db.Externals() {
			if err == nil && !yield(x) {
				return
			}
		}
	}
}

// observedIn returns, of the recording and the runs in which services were asked something, the exchanges that asked.
func observedIn(db source, asked map[int][]exchange.Outgoing) (map[int][]exchange.Incoming, error) {
	out := map[int][]exchange.Incoming{}
	if asked[0] != nil {
		for e, err := range store.Readable(db.Exchanges(), nil) {
			if err != nil {
				return nil, err
			}
			out[0] = append(out[0], flow.Incoming(e.Seq, e.Start, e.Latency, &e.Request))
		}
		if len(asked) == 1 {
			return out, nil
		}
	}
	for s, err := range store.Readable(db.Steps(), nil) {
		if err != nil {
			return nil, err
		}
		for _, o := range s.Observations {
			if len(asked[o.Run]) > 0 {
				out[o.Run] = append(out[o.Run], flow.Incoming(o.Seq, o.Start, o.Latency, &o.Sent))
			}
		}
	}
	return out, nil
}
