package request

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
)

// The bounds on what is remembered of what came to be other in a run.
const (
	maxLabels       = 8       // requests that said one value first
	maxOrigins      = 1 << 16 // recorded values that a run had another for
	maxOriginFields = 64      // words of one text
	maxOriginText   = 4 << 10 // bytes of one text
)

// MadeUp knows, of the values that a run had others for, who said them first: the client, which ran anew and made
// them up, or the API. It is for runs of the client itself; a replay makes nothing up.
type MadeUp struct {
	client  map[int]bool // the runs in which the client itself ran
	byValue map[string][]*clientValue
	order   []string // the keys of byValue, oldest first
}

// clientValue is where one value came from.
type clientValue struct {
	label string // "POST /users /body/name"; "" for an answer
	runs  map[int]string
}

// NewMadeUp knows nothing yet but in which runs the client itself ran.
func NewMadeUp(runs []exchange.Run) *MadeUp {
	o := &MadeUp{client: make(map[int]bool), byValue: make(map[string][]*clientValue)}
	for _, r := range runs {
		if ofClient(r) {
			o.client[r.Number] = true
		}
	}
	return o
}

func ofClient(r exchange.Run) bool {
	return r.Kind == exchange.RunClient || r.Kind == exchange.RunImport
}

// OfClients reports whether the client itself ran in one of the runs.
func OfClients(runs []exchange.Run) bool { return slices.ContainsFunc(runs, ofClient) }

// Learn takes in what a request of the client held in a run, beside the recorded one, and nobody had said in it before.
func (o *MadeUp) Learn(op exchange.Operation, rec, sent Values, run int) {
	if !o.client[run] {
		return
	}
	now := make(map[exchange.Place]string, len(sent))
	for value, places := range sent {
		for _, p := range places {
			now[p] = value
		}
	}
	for _, value := range slices.Sorted(maps.Keys(rec)) { // the map's own order is another each time
		for _, p := range rec[value] {
			if after, ok := now[p]; ok && after != value && p != HostPlace && !o.said(value, after, run) {
				o.add(value, after, run, op.String()+" "+string(p))
			}
		}
	}
}

// said reports whether anybody has said the one value in the recording and the other in a run.
func (o *MadeUp) said(before, after string, run int) bool {
	return slices.ContainsFunc(o.byValue[before], func(one *clientValue) bool { return one.runs[run] == after })
}

func (o *MadeUp) add(before, after string, run int, label string) {
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
	if len(o.byValue[before]) < maxLabels {
		o.byValue[before] = append(o.byValue[before], &clientValue{label: label, runs: map[int]string{run: after}})
	}
}

// made returns the requests that held the one value in the recording and the other in a run, before anything else did.
func (o *MadeUp) made(before, after string, run int) (labels []string) {
	for _, one := range o.byValue[before] {
		if one.label != "" && one.runs[run] == after {
			labels = append(labels, one.label)
		}
	}
	return labels
}

// Follow reports whether a value of an answer changed in nothing but what the client made up, and which requests held
// it first; none where it is a text that holds it. What nobody had said before is the API's from now on.
func (o *MadeUp) Follow(before, after notation.Scalar, run int) (labels []string, made bool) {
	if !o.client[run] || before.Kind == notation.Null || before.Kind >= notation.Array {
		return nil, false
	}
	x, y := before.Plain(), after.Plain()
	if labels = o.made(x, y, run); len(labels) > 0 {
		return labels, true
	}
	if before.Kind == notation.String && after.Kind == notation.String && o.within(x, y, run) {
		return nil, true
	}
	if len(x) <= MaxLen && len(y) <= MaxLen && !o.said(x, y, run) {
		o.add(x, y, run, "")
	}
	return nil, false
}

// within reports whether two texts differ in nothing but words that the client made up.
func (o *MadeUp) within(before, after string, run int) bool {
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
		a, b := Unescape(strings.TrimRight(x[i], ".:")), Unescape(strings.TrimRight(y[i], ".:"))
		if x[i] != y[i] && len(o.made(a, b, run)) == 0 {
			return false
		}
	}
	return true
}
