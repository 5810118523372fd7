package request

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Earlier knows the values that one answer gave and later ones may repeat: as recorded, and as each run has them.
type Earlier struct {
	byValue map[string][]*earlierValue
	bySeq   map[uint64][]*earlierValue
	all     []*earlierValue
}

// Learned is the value that a run has for one of those that are bound, which are numbered as they were first named.
type Learned struct {
	Value, Run int
	Text       string
}

// earlierValue is a binding, seen from its producer.
type earlierValue struct {
	exchange.Ref
	number int
	label  string         // "POST /orders /body/id"
	runs   map[int]string // the value by run
}

// maxSources bounds the bindings of one value that are considered.
const maxSources = 8

// NewEarlier knows the values that bindings name, of exchanges of the given operations by Seq.
func NewEarlier(bindings []exchange.Binding, operations map[uint64]exchange.Operation) *Earlier {
	c := &Earlier{byValue: make(map[string][]*earlierValue), bySeq: make(map[uint64][]*earlierValue)}
	for _, b := range bindings {
		if len(c.byValue[b.Value]) >= maxSources || b.Value == "" {
			continue
		}
		label := operations[b.Producer.Seq].String() + " " + string(b.Producer.Place)
		s := &earlierValue{Ref: b.Producer, number: len(c.all), label: label, runs: make(map[int]string)}
		c.byValue[b.Value] = append(c.byValue[b.Value], s)
		c.bySeq[b.Producer.Seq] = append(c.bySeq[b.Producer.Seq], s)
		c.all = append(c.all, s)
	}
	return c
}

// Learn takes in the values that a run has for what its answer produces, and returns them.
func (c *Earlier) Learn(seq uint64, o *exchange.Observation) (all []Learned) {
	for _, s := range c.bySeq[seq] {
		if raw, ok := compare.At(o.Response, s.Place); ok {
			l := Learned{s.number, o.Run, strings.Clone(notation.ScalarOf(raw).Plain())} // not the whole answer
			c.Take(l)
			all = append(all, l)
		}
	}
	return all
}

// Take takes in what was learned elsewhere, by one who knows the same values. One that is not known is passed over.
func (c *Earlier) Take(l Learned) {
	if l.Value >= 0 && l.Value < len(c.all) {
		c.all[l.Value].runs[l.Run] = l.Text
	}
}

// Explain returns the labels of the earlier answers that have a recorded value.
func (c *Earlier) Explain(seq uint64, v notation.Scalar) []string {
	var labels []string
	for _, s := range c.byValue[v.Plain()] {
		if s.Seq < seq && !slices.Contains(labels, s.label) {
			labels = append(labels, s.label)
		}
	}
	return labels
}

// Fits returns the labels of the answers that have the one value in the recording and the other in a run.
func (c *Earlier) Fits(before, after notation.Scalar, run int) []string {
	if len(c.byValue) == 0 {
		return nil
	}
	var labels []string
	for _, s := range c.byValue[before.Plain()] {
		if s.runs[run] == after.Plain() && !slices.Contains(labels, s.label) {
			labels = append(labels, s.label)
		}
	}
	return labels
}
