package settle

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// look is one answer to a read.
type look struct {
	at       time.Time
	response *exchange.Response
	waited   bool // a replay asked again until it came: what was answered just before was not seen
	assumed  bool // all that a replay says is that it was as this one in its words and types: its numbers were not seen
}

// trail is what the reads of a group were answered in one execution.
type trail struct {
	run   int       // 0 is the recording
	wrote time.Time // when the write before them was answered
	looks []look    // one at least
	cut   bool      // its last look is not its end
}

func (t *trail) last() look { return t.looks[len(t.looks)-1] }

// group are the reads of one thing between two writes that may change it.
type group struct {
	operation exchange.Operation
	path      string
	seqs      []uint64
	answers   map[uint64]*exchange.Response // recorded, by exchange
	trails    []*trail
	of        map[int]*trail // by run; 0 is the recording
	vain      int            // reads that replays asked for again in vain
	oracle    *Oracle        // nil where nothing is waited for, and before [Learner.Oracles]
}

// trailOf returns the trail of an execution; nil where the write was not answered in it, or comes after the read.
func (g *group) trailOf(run int, wrote map[int]time.Time) *trail {
	t := g.of[run]
	if t == nil && len(g.trails) < maxTrails {
		at, ok := wrote[run]
		if !ok {
			return nil
		}
		t = &trail{run: run, wrote: at}
		g.of[run] = t
		g.trails = append(g.trails, t)
	}
	return t
}

// see takes in a read with its observations.
func (g *group) see(s exchange.Step, wrote map[int]time.Time) {
	e := s.Exchange
	g.seqs = append(g.seqs, e.Seq)
	g.answers[e.Seq] = e.Response
	if t := g.trailOf(0, wrote); t != nil {
		t.looks = append(t.looks, look{at: e.Start.Add(e.Latency), response: e.Response})
	}
	for _, o := range s.Observations {
		if o.Response == nil || tooLarge(o.Response) {
			continue
		}
		if t := g.trailOf(o.Run, wrote); t != nil {
			t.observe(o, e.Response)
		}
		if settling := o.Settling; settling != nil && !settling.Settled && !settling.Early {
			g.vain++
		}
	}
}

// observe takes in what a run answered to a read that was answered otherwise, or not, in the recording.
func (t *trail) observe(o *exchange.Observation, recorded *exchange.Response) {
	t.looks = append(t.looks, look{at: o.Start.Add(o.Latency), response: o.Response})
	t.cut = false
	switch s := o.Settling; {
	case s == nil, s.Early && s.Looks == 0:
	case s.Settled:
		end := look{at: o.Start.Add(s.After), response: s.End, waited: true}
		if s.End == nil || tooLarge(s.End) {
			end.response, end.assumed = recorded, true
		}
		t.looks = append(t.looks, end)
	default: // what it was answered in the end is not known
		t.cut = true
	}
}

// differences ranges over those of the bodies of each look and the next one, while the status stays.
func (t *trail) differences(yield func(compare.Difference) bool) {
	for i := 1; i < len(t.looks); i++ {
		before, after := t.looks[i-1].response, t.looks[i].response
		if before.Status != after.Status || before == after {
			continue
		}
		for _, d := range compare.Responses(before, after) {
			if _, _, part := d.Place.Text(); !part && d.Place.Root() == "body" && !yield(d) {
				return
			}
		}
	}
}

// maxPlaces bounds the places that a group is judged by.
const maxPlaces = 32

// changed lists the places of the body that change along trails while the status stays, the words first.
func (g *group) changed() []exchange.Place {
	var words, others []exchange.Place
	add := func(to *[]exchange.Place, p exchange.Place) {
		if len(*to) < maxPlaces && !slices.Contains(*to, p) {
			*to = append(*to, p)
		}
	}
	for _, t := range g.trails {
		for d := range t.differences {
			switch {
			case d.Place == exchange.PlaceBody && d.Kind != compare.Resized || d.Place != d.General:
			case IsWord(d.Before) && IsWord(d.After):
				add(&words, d.Place)
			default:
				add(&others, d.Place)
			}
		}
	}
	others = slices.DeleteFunc(others, func(p exchange.Place) bool { return slices.Contains(words, p) })
	slices.Sort(words)
	slices.Sort(others)
	return append(words, others...)
}

// telling lists the places by which answers may tell how far an API is: those that change, and those that a replay
// waited for, as [group.unseen] has them.
func (g *group) telling(unseen []exchange.Place) []exchange.Place {
	places := g.changed()
	for _, p := range unseen {
		if !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places
}

// state is the status and the words of an answer at some places, to be compared.
func state(r *exchange.Response, places []exchange.Place) string {
	out, _ := compare.At(r, exchange.PlaceStatus)
	for _, p := range places {
		raw, _ := compare.At(r, p)
		out += " " + token(raw)
	}
	return out
}

// passed lists the states that trails were seen to go on from.
func (g *group) passed(places []exchange.Place) map[string]bool {
	out := map[string]bool{}
	for _, t := range g.trails {
		for i := 1; i < len(t.looks); i++ {
			before := state(t.looks[i-1].response, places)
			if before != state(t.looks[i].response, places) {
				out[before] = true
			}
		}
	}
	return out
}

// returns reports whether a trail goes back to a state that it has left: that is no progress, and each read may be what
// brings the next state about.
func (g *group) returns(places []exchange.Place) bool {
	for _, t := range g.trails {
		left := map[string]bool{}
		now := ""
		for _, k := range t.looks {
			next := state(k.response, places)
			if next != now {
				if left[next] {
					return true
				}
				left[now], now = true, next
			}
		}
	}
	return false
}

// unseen lists the scalars of an answer that a replay asked for again until it came, where it was answered with another
// status first: what it was answered between these is not known, but what it waited for, these words and types, is.
func (g *group) unseen() []exchange.Place {
	var words, others []exchange.Place
	for _, t := range g.trails {
		last := t.last()
		if !last.waited || t.looks[len(t.looks)-2].response.Status == last.response.Status {
			continue
		}
		compare.Walk(last.response, func(p exchange.Place, raw string) {
			_, _, part := p.Text()
			switch kind := typeOf(raw); {
			case part || p.Root() != "body" || p == exchange.PlaceBody || kind == Object || kind == Array || inArray(p):
			case IsWord(raw) && len(words) < maxPlaces:
				words = append(words, p)
			case len(others) < maxPlaces:
				others = append(others, p)
			}
		})
		break // the others waited for the same answer
	}
	return append(words, others...)
}

// inArray reports whether a place may lie in an array.
func inArray(p exchange.Place) bool {
	return slices.ContainsFunc(p.Segments(), func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" })
}
