package search

import (
	"strings"

	"github.com/flaketap/flaketap/mock/search/shape"
)

// Finding names what is wrong with a behavior.
type Finding string

// The findings.
const (
	ServerError  Finding = "5xx"             // but 502, 503, 504 where services were asked, or would have been
	HangFinding  Finding = "hang"            // no answer, however long it was waited for: see [Behavior.Wait]
	Slow         Finding = "slow"            // it came, but not within the patience
	BrokenOff    Finding = "broken off"      // the connection ended without an answer
	LeakedTrace  Finding = "stack trace"     // the answer holds one
	WrongSuccess Finding = "success"         // 2xx though an external call failed
	Endless      Finding = "endless retries" // one call was made over and over
	Unverified   Finding = "unverified"      // a service was asked whose certificate nobody trusts
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

// findings says what is wrong with an outcome of a setting. A status of 502, 503 or 504 says whose failure it is, if a
// service was asked, or was not for the certificate that it showed.
func findings(o Outcome, set setting) (out []Finding) {
	failed, endless := false, false
	for _, c := range o.Calls {
		failed = failed || c.Status == 0 || c.Status >= 400
		endless = endless || c.Times >= manyTimes
	}
	shown, unverified := set.untrusted(o.Calls)
	says := o.Status >= 502 && o.Status <= 504 && (len(o.Calls) > 0 || shown)
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
	add(unverified, Unverified)
	return out
}
