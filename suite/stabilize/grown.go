package stabilize

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
)

// NotReset is a request by whose answers the runs of the suite as it was did not begin from the same start.
type NotReset struct {
	Request string `json:"request"` // "POST /users"
	Place   string `json:"place"`   // "/status"; of a list, whose lengths saw tells
	Saw     []int  `json:"saw"`     // by run
}

// manyRuns is how many runs a list has to grow in, each time, before it is told: fewer do so by chance.
const manyRuns = 4

// grown finds what runs have left for those after them. A request that changes something, done in the first runs and
// refused from then on, alike to the byte; a list that is longer in each run than in the one before.
func grown(tracks [][]*exchange.Exchange) (out []NotReset) {
	runs := make([]map[string]*exchange.Exchange, len(tracks))
	for i, track := range tracks {
		runs[i] = keyed(track)
	}
	keys, told := map[*exchange.Exchange]string{}, map[string]bool{}
	for key, e := range runs[0] {
		keys[e] = key
	}
	for _, e := range tracks[0] {
		asked := suite.Asked(&e.Request)
		if e.Response == nil || told[asked] {
			continue
		}
		answers := sameAsked(runs, keys[e])
		one := NotReset{asked, "/status", refusedSince(answers)}
		if e.Request.Safe() {
			one.Place, one.Saw = longer(answers)
		}
		if one.Saw != nil {
			told[asked] = true
			out = append(out, one)
		}
	}
	return out
}

// sameAsked are the answers that a request got, run by run; nil where a run has it not.
func sameAsked(runs []map[string]*exchange.Exchange, key string) (out []*exchange.Exchange) {
	for _, run := range runs {
		if run[key] == nil {
			return nil
		}
		out = append(out, run[key])
	}
	return out
}

// refusedSince are the statuses of the answers where each is one of success, up to some run, and the same refusal from
// then on; else nil.
func refusedSince(answers []*exchange.Exchange) (saw []int) {
	refused := 0
	for i, e := range answers {
		status := e.Response.Status
		saw = append(saw, status)
		switch {
		case status < 300 && refused == 0:
		case i > 0 && refuses(status) && (refused == 0 || refused == status):
			refused = status
		default:
			return nil
		}
	}
	if refused == 0 {
		return nil
	}
	return saw
}

// refuses reports whether a status says that something cannot be done as things are: not that there was no time for it.
func refuses(status int) bool {
	return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429
}

// longer is a place that holds a longer list in each answer than in the one before, and how long these are.
func longer(answers []*exchange.Exchange) (place string, saw []int) {
	if len(answers) < manyRuns {
		return "", nil
	}
	var all []map[string]int
	for _, e := range answers {
		all = append(all, lengths(e))
	}
	for at := range all[0] {
		var grew []int
		for i, one := range all {
			if n, there := one[at]; !there || i > 0 && n <= grew[i-1] {
				break
			}
			grew = append(grew, one[at])
		}
		if len(grew) == len(all) && (place == "" || at < place) {
			place, saw = at, grew
		}
	}
	return place, saw
}

// lengths are those of the arrays of a JSON answer, by place.
func lengths(e *exchange.Exchange) map[string]int {
	out := map[string]int{}
	for at, n := range measures(e) {
		if n.list {
			out["/body"+at] = int(n.value)
		}
	}
	return out
}

// tellGrown says, before anything is weakened by what earlier runs have left, that they do.
func (s *session) tellGrown(r *round) error {
	if !r.failing() || len(r.runs) < 2 {
		return nil
	}
	tracks, err := s.tracks(r)
	if err != nil {
		return err
	}
	s.grown = grown(tracks)
	for _, g := range s.grown {
		s.console.Say("flaketap: %s", g.text())
	}
	if len(s.grown) > 0 {
		s.console.Say("flaketap: %s", s.resetAdvice())
	}
	return nil
}

// refused are the requests that runs refuse for what those before them have left.
func (s *session) refused() (out []string) {
	for _, g := range s.grown {
		if g.Place == "/status" {
			out = append(out, g.Request)
		}
	}
	return out
}

func (g NotReset) text() string {
	saw := strings.Trim(fmt.Sprint(g.Saw), "[]")
	if g.Place == "/status" {
		return fmt.Sprintf("what a run changes is there in the next: %s was answered %s, from run to run", g.Request,
			strings.ReplaceAll(saw, " ", ", "))
	}
	return fmt.Sprintf("what a run changes is there in the next: %s holds more at %s from run to run: %s", g.Request,
		g.Place, strings.ReplaceAll(saw, " ", ", "))
}

// resetAdvice is what to do about it.
func (s *session) resetAdvice() string {
	if s.o.Started {
		return "the API keeps its data when it is started anew: have --start begin with new data, or give a --reset " +
			"that removes it, and begin anew with --force"
	}
	return "the reset does not reset: have --reset put all data back to the start, or use --start with new data, " +
		"and begin anew with --force"
}

// notResetText writes what runs have left for those after them.
func (r *Result) notResetText(w io.Writer) {
	for _, g := range r.NotReset {
		fmt.Fprintf(w, "not reset: %s\n", g.text())
	}
	if len(r.NotReset) > 0 {
		fmt.Fprintf(w, "   do: %s\n", r.resetAdvice)
	}
}

// notResetLine is what the table says of it.
func (r *Result) notResetLine() string {
	if len(r.NotReset) == 0 {
		return "not seen"
	}
	return "by " + console.Count(len(r.NotReset), "request")
}
