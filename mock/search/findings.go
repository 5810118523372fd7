package search

import (
	"strings"

	"github.com/flaketap/flaketap/mock/search/shape"
)

// Finding names what is wrong with a behavior.
type Finding string

// The findings.
const (
	ServerError  Finding = "5xx"             // but 502, 503, 504 where services were asked: these say whose failure it is
	HangFinding  Finding = "hang"            // no answer within the bound
	BrokenOff    Finding = "broken off"      // the connection ended without an answer
	LeakedTrace  Finding = "stack trace"     // the answer holds one
	WrongSuccess Finding = "success"         // 2xx though an external call failed
	Endless      Finding = "endless retries" // one call was made over and over
)

// Listed are findings as people are told them: "5xx, stack trace".
func Listed(all []Finding) string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// manyTimes is how often one call is made when nothing seems to end it.
const manyTimes = 10

// findings says what is wrong with an outcome.
func findings(o Outcome) (out []Finding) {
	failed, endless := false, false
	for _, c := range o.Calls {
		failed = failed || c.Status == 0 || c.Status >= 400
		endless = endless || c.Times >= manyTimes
	}
	says := o.Status >= 502 && o.Status <= 504 && len(o.Calls) > 0
	add := func(is bool, f Finding) {
		if is {
			out = append(out, f)
		}
	}
	add(o.Status >= 500 && !says, ServerError)
	add(o.End == Hung, HangFinding)
	add(o.End == Broke, BrokenOff)
	add(shape.Trace(string(o.Body)) != "", LeakedTrace)
	add(o.Status/100 == 2 && failed, WrongSuccess)
	add(endless, Endless)
	return out
}
