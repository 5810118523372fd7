package suite

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Source is a recording with all that is known of it, from which suites are written and against which they are held.
// Only Steps is needed; without a Map nothing is known to be volatile but what the steps themselves show.
type Source struct {
	Steps []exchange.Step // in recorded order, with the observations of all runs
	// the steps are those of the session that a suite was generated from, not of the suite itself
	Session    bool
	Operations map[uint64]exchange.Operation
	Bindings   []exchange.Binding
	Sequences  []exchange.Sequence
	Map        *mapfile.Map
	Redactor   exchange.Redactor
}

// operation returns what the map says of a recorded exchange's operation; nil where it says nothing.
func (s *Source) operation(e *exchange.Exchange) *mapfile.Operation {
	op, ok := s.Operations[e.Seq]
	if !ok || s.Map == nil {
		return nil
	}
	status := 0
	if e.Response != nil {
		status = e.Response.Status
	}
	return s.Map.Operation(op, status)
}

// Mode says what becomes of an assertion about a volatile place.
type Mode string

// The modes.
const (
	Relax   Mode = "relax"   // weakened to the strongest statement that holds; the default
	Comment Mode = "comment" // commented out, in FlakyCatch's style
	Exact   Mode = "exact"   // as recorded, for comparison
)

// File is one file of a suite that is written; its name is a slash-separated path within the suite.
type File = outfile.File

// known lists the secrets of the recording, where the caller did not.
func (s *Source) known() {
	if s.Redactor.Known != nil || s.Redactor.Reveal {
		return
	}
	var secrets exchange.Secrets
	for _, step := range s.Steps {
		secrets.Step(step)
	}
	s.Redactor.Known = secrets.Known()
}
