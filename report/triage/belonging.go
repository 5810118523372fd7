package triage

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/volatility/compare"
)

// belonging says whether a run belongs to what it is judged by. A recording of another API may have a request in common
// with it, as GET /health: that it answers otherwise there is no regression.
type belonging struct {
	doubt string // why it may not, as a sentence; "" where nothing says so
	// apart are the operations that have their names alone in common: that an answer is none of those seen tells nothing.
	apart map[exchange.Operation]bool
}

// belongs compares the operations of the run with those that are known. It takes two signs for an answer to say
// nothing: most operations of the run are not known, and an answer to one that is has no member of those seen.
func (in *Input) belongs() belonging {
	if !in.Basis.Recorded {
		return belonging{doubt: in.unnamed()}
	}
	known, asked := 0, map[exchange.Operation]bool{}
	for op := range in.answers {
		if !asked[op] && len(in.known(op)) > 0 {
			known++
		}
		asked[op] = true
	}
	of := console.Count(len(asked), "operation")
	switch {
	case known*2 >= len(asked):
		return belonging{}
	case known == 0:
		return belonging{doubt: fmt.Sprintf("none of the %s of this run is known to what it is judged by: is that of another "+
			"API?", of)}
	}
	doubt := fmt.Sprintf("%d of the %s of this run %s known to what it is judged by", known, of, isOrAre(known))
	apart := in.namesakes()
	if len(apart) > 0 {
		doubt += ", and answers have no member of those seen: is that of another API?"
	}
	return belonging{doubt, apart}
}

// namesakes are the operations that are known by name, but whose answers of this run have no member of those seen.
func (in *Input) namesakes() map[exchange.Operation]bool {
	alike, apart := map[exchange.Operation]bool{}, map[exchange.Operation]bool{}
	for op, r := range in.answers {
		if len(in.known(op)) == 0 || r == nil || r.Status >= 400 {
			continue
		}
		switch members, seen := in.common(op, r); {
		case seen > 0:
			alike[op] = true
		case members > 0:
			apart[op] = true
		}
	}
	maps.DeleteFunc(apart, func(op exchange.Operation, _ bool) bool { return alike[op] })
	return apart
}

// unnamed says that the suite names none of the requests that are known; "" where it does, or was not given.
func (in *Input) unnamed() string {
	if len(in.Flaky.Sources) == 0 || len(in.Flaky.Judged.Map.Operations) == 0 {
		return ""
	}
	for _, op := range in.Flaky.Judged.Map.Operations {
		words := strings.FieldsFunc(op.Template, func(r rune) bool { return r == '/' })
		for _, w := range words {
			if w[0] != '{' && slices.ContainsFunc(in.Flaky.Sources, func(s flaky.SourceFile) bool {
				return bytes.Contains(s.Data, []byte(w))
			}) {
				return ""
			}
		}
		if len(words) == 0 {
			return "" // the root is named by nothing
		}
	}
	return "the suite names none of the requests that it is judged by: are these of another API?"
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// answers ranges over those of the run, with the operations that they are of.
func (in *Input) answers(yield func(exchange.Operation, *exchange.Response) bool) {
	if !in.Basis.Recorded {
		return
	}
	for _, s := range in.Flaky.Judged.Steps {
		if e := in.now(s); e != nil && !yield(in.Flaky.Judged.Operations[s.Exchange.Seq], e.Response) {
			return
		}
	}
	if in.Beside == nil {
		return
	}
	for _, e := range in.Beside.Added {
		if !yield(in.Beside.Operations[e.Seq], e.Response) {
			return
		}
	}
}

// common counts the members of an answer's body, and those that answers of the operation were seen to have.
func (in *Input) common(op exchange.Operation, r *exchange.Response) (members, known int) {
	compare.Walk(r, func(p exchange.Place, _ string) {
		if _, _, part := p.Text(); part || p.Root() != "body" || p == exchange.PlaceBody {
			return
		}
		members++
		for _, o := range in.known(op) {
			if o.At(p) != nil {
				known++
				return
			}
		}
	})
	return members, known
}

// foreign tells that an answer of the test says nothing, since it is compared with what may be of another API.
func (t *judging) foreign([]tied) bool {
	own := func(op exchange.Operation) bool { return len(t.known(op)) == 0 || t.apart[op] }
	step := func(s exchange.Step) bool { return own(t.Flaky.Judged.Operations[s.Exchange.Seq]) }
	added := func(e *exchange.Exchange) bool { return own(t.Beside.Operations[e.Seq]) }
	if t.doubt == "" || t.Basis.Recorded && !slices.ContainsFunc(t.Steps, step) &&
		!slices.ContainsFunc(t.Failed.Added, added) {
		return false
	}
	t.is(Unknown, t.doubt, nil)
	t.lacks("recordings of earlier runs of this API (--db), or a map of them (--map)")
	return true
}
