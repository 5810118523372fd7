package mocked

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/shape"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// weakenTraces has the map say of each text of the answer that holds a stack trace that it does, and no more: a trace
// names lines of the API's own files, which move with each of its versions, though they never do between two trials.
func weakenTraces(src *suite.Source) {
	step := src.Steps[0]
	op := src.Map.Operation(src.Operations[step.Exchange.Seq], step.Exchange.Response.Status)
	payload, err := step.Exchange.Response.Payload()
	if op == nil || err != nil {
		return
	}
	if root := plan.ReadNode(payload); root != nil {
		root.Walk(func(n *plan.Node) bool {
			if n.Kind() == "string" {
				weakenTrace(op, n.Place, plan.TextOf(n.Raw), len(step.Observations))
			}
			return true
		})
	} else {
		weakenTrace(op, exchange.PlaceBody, string(payload), len(step.Observations))
	}
	op.Index()
}

// weakenTrace says it of one text of so many trials. What is true of one that moved in them is not true of the next
// start: addresses of memory are told, too.
func weakenTrace(op *mapfile.Operation, place exchange.Place, text string, trials int) {
	form := shape.Trace(text)
	if form == "" {
		return
	}
	f := op.At(place)
	if f == nil {
		f = &mapfile.Field{Place: place, Of: trials}
		op.Fields = append(op.Fields, f)
	}
	if !f.Volatile() {
		f.Judgement, f.Category = mapfile.WouldMove, mapfile.RunMsg
	}
	f.Holds = mapfile.Holds{Type: "string", Pattern: `^[\s\S]*` + form + `[\s\S]*$`}
}
