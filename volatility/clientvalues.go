package volatility

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

// The bounds on what is remembered of what came to be other in a run.
const (
	maxOrigins      = 1 << 16 // recorded values that a run had another for
	maxOriginFields = 64      // words of one text
	maxOriginText   = 4 << 10 // bytes of one text
)

// clientValues knows, of the values that a run had others for, who said them first: the client, which ran anew and made
// them up, or the API. It is for runs of the client itself; a replay makes nothing up.
type clientValues struct {
	client  map[int]bool // the runs in which the client itself ran
	byValue map[string][]*clientValue
	order   []string // the keys of byValue, oldest first
}

// clientValue is where one value came from.
type clientValue struct {
	label string // "POST /users /body/name"; "" for an answer
	runs  map[int]string
}

func newClientValues(runs []exchange.Run) *clientValues {
	o := &clientValues{client: make(map[int]bool), byValue: make(map[string][]*clientValue)}
	for _, r := range runs {
		if r.Kind == exchange.RunClient || r.Kind == exchange.RunImport {
			o.client[r.Number] = true
		}
	}
	return o
}

// learn takes in what a request of the client held in a run, and nobody had said in it before.
func (o *clientValues) learn(op exchange.Operation, rec, run *answerView) {
	if !o.client[run.run] || !run.adapted {
		return
	}
	now := make(map[exchange.Place]string, len(run.values))
	for value, places := range run.values {
		for _, p := range places {
			now[p] = value
		}
	}
	for _, value := range slices.Sorted(maps.Keys(rec.values)) { // the map's own order is another each time
		for _, p := range rec.values[value] {
			if after, ok := now[p]; ok && after != value && p != request.HostPlace && !o.said(value, after, run.run) {
				o.add(value, after, run.run, op.String()+" "+string(p))
			}
		}
	}
}

// said reports whether anybody has said the one value in the recording and the other in a run.
func (o *clientValues) said(before, after string, run int) bool {
	return slices.ContainsFunc(o.byValue[before], func(one *clientValue) bool { return one.runs[run] == after })
}

func (o *clientValues) add(before, after string, run int, label string) {
	for _, one := range o.byValue[before] {
		if one.label == label && one.runs[run] == "" {
			one.runs[run] = after
			return
		}
	}
	if _, again := o.byValue[before]; !again {
		if len(o.order) == maxOrigins {
			delete(o.byValue, o.order[0])
			o.order = o.order[1:]
		}
		o.order = append(o.order, before)
	}
	if len(o.byValue[before]) < maxSources {
		o.byValue[before] = append(o.byValue[before], &clientValue{label: label, runs: map[int]string{run: after}})
	}
}

// made returns the requests that held the one value in the recording and the other in a run, before anything else did.
func (o *clientValues) made(before, after string, run int) (labels []string) {
	for _, one := range o.byValue[before] {
		if one.label != "" && one.runs[run] == after {
			labels = append(labels, one.label)
		}
	}
	return labels
}

// follow sees whether a value of an answer changed in nothing but what the client made up. What nobody had said before
// is the API's from now on.
func (o *clientValues) follow(c *fromClient, before, after notation.Scalar, run int) {
	if !o.client[run] || before.Kind == notation.Null || before.Kind >= notation.Array {
		return
	}
	x, y := before.Plain(), after.Plain()
	if labels := o.made(x, y, run); len(labels) > 0 {
		c.changes++
		c.labels.narrow(labels)
		return
	}
	if before.Kind == notation.String && after.Kind == notation.String && o.within(x, y, run) {
		c.changes++
		c.labels.narrow(nil)
		return
	}
	if len(x) <= request.MaxLen && len(y) <= request.MaxLen && !o.said(x, y, run) {
		o.add(x, y, run, "")
	}
}

// within reports whether two texts differ in nothing but words that the client made up.
func (o *clientValues) within(before, after string, run int) bool {
	if len(before) > maxOriginText || len(after) > maxOriginText {
		return false
	}
	split := func(c rune) bool {
		return c <= ' ' || strings.ContainsRune(`/\"'<>()[]{},;=&?!|`, c)
	}
	x, y := strings.FieldsFunc(before, split), strings.FieldsFunc(after, split)
	if len(x) != len(y) || len(x) > maxOriginFields {
		return false
	}
	for i := range x {
		a, b := request.Unescape(strings.TrimRight(x[i], ".:")), request.Unescape(strings.TrimRight(y[i], ".:"))
		if x[i] != y[i] && len(o.made(a, b, run)) == 0 {
			return false
		}
	}
	return true
}

// fromClient counts the changes of one place that are the client's doing.
type fromClient struct {
	changes int
	labels  candidates[string] // the places of requests that every such value is from
}

// evidence returns the code for a place whose every change is the client's doing; nothing for any other.
func (c *fromClient) evidence(moves int) []mapfile.Evidence {
	switch {
	case c.changes == 0 || c.changes < moves:
		return nil
	case len(c.labels.list) > 0:
		return saysOf(mapfile.SignClient, slices.Min(c.labels.list))
	}
	return says(mapfile.SignClient)
}
