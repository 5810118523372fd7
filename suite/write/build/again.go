package build

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// A request that is sent again may be answered otherwise because it was sent before: a limit is reached, an account is
// locked, a key was used, a counter stands higher. Each of these exchanges alone tells nothing of that. Where the
// recording holds them one after the other, and its runs bear each of them out, they are one test.

const (
	// minBorneOut is how many runs have to answer an exchange as it was recorded.
	minBorneOut = 2
	// maxCounted is how many exchanges of one status a test sends to see a value go on.
	maxCounted = 3
)

// againTogether puts exchanges that are tests by themselves into one where their outcome lies in their repetition.
// What comes behind the last other outcome is left out, if not all exchanges are to be tested.
func (b *builder) againTogether(all []draft) []draft {
	var out []draft
	for i := 0; i < len(all); {
		n := b.again(all[i:])
		keep := 1
		if n > 1 {
			keep = telling(all[i : i+n])
		}
		if keep > 1 && b.all {
			keep = n
		}
		if keep < 2 || keep > maxSteps {
			out = append(out, all[i])
			i++
			continue
		}
		d := all[i]
		d.tested = slices.Clone(d.tested)
		for _, next := range all[i+1 : i+keep] {
			d.tested = append(d.tested, next.tested...)
		}
		for _, next := range all[i+keep : i+n] {
			b.leave(leftRepeated, next.tested)
		}
		i += n
		for ; i < len(all) && b.refusedToo(d, all[i]); i++ {
			d.tested = append(d.tested, all[i].tested...)
		}
		out = append(out, d)
	}
	return out
}

// again counts the drafts from the first on that send the same request, one after the other.
func (b *builder) again(all []draft) int {
	n := 0
	for n < len(all) && len(all[n].tested) == 1 && b.borneOut(all[n].tested[0]) &&
		b.session.Same(all[n].tested[0].Exchange.Seq)[0] == b.session.Same(all[0].tested[0].Exchange.Seq)[0] {
		n++
	}
	return n
}

// borneOut reports whether each run gave an exchange the recorded status, and some did.
func (b *builder) borneOut(s *exchange.Step) bool {
	if setup.Unsendable(s.Exchange) != "" || b.waits[s.Exchange.Seq] != nil || len(s.Observations) < minBorneOut {
		return false
	}
	return !slices.ContainsFunc(s.Observations, func(o *exchange.Observation) bool {
		return o.Response == nil || o.Response.Status != s.Exchange.Response.Status
	})
}

// telling is how many exchanges that send the same tell all that their repetition does: up to the last status that is
// another, and of one status as many as show a value that goes on. It is 1 where the answers are alike.
func telling(all []draft) int {
	keep, since := 1, 1
	for i := 1; i < len(all); i++ {
		before, after := all[i-1].tested[0], all[i].tested[0]
		switch {
		case before.Exchange.Response.Status != after.Exchange.Response.Status:
			keep, since = i+1, 1
		case since < maxCounted && goesOn(before, after):
			since++
			keep = i + 1
		}
	}
	return keep
}

// goesOn reports whether the second of two answers to the same request says something else in the body, as each run
// heard it too.
func goesOn(before, after *exchange.Step) bool {
	moved := map[exchange.Place]bool{}
	for _, o := range after.Observations {
		for _, d := range compare.Responses(after.Exchange.Response, o.Response) {
			moved[d.Place] = true
		}
	}
	return slices.ContainsFunc(compare.Responses(before.Exchange.Response, after.Exchange.Response),
		func(d compare.Difference) bool {
			return d.Place.Root() == "body" && d.Kind != compare.Reordered && !moved[d.Place]
		})
}

// refusedToo reports whether a draft is refused as the last of a repetition is, by the same operation: the right
// password of an account that wrong ones have locked.
func (b *builder) refusedToo(d, next draft) bool {
	first, last := d.tested[0].Exchange, d.tested[len(d.tested)-1].Exchange
	if len(next.tested) != 1 || len(d.tested) == maxSteps || !b.borneOut(next.tested[0]) {
		return false
	}
	e := next.tested[0].Exchange
	return last.Response.Status >= 400 && last.Response.Status != first.Response.Status &&
		e.Response.Status == last.Response.Status && b.operationName(e) == b.operationName(last)
}

// idempotencyKey is the header by which a client says that it sends a request again
// (draft-ietf-httpapi-idempotency-key-header).
const idempotencyKey = "Idempotency-Key"

// ownKey gives a set-up a key of its test, in the form of the recorded one: with that, the API would take it for the
// same request of another test sent again.
func ownKey(s *plan.Step, test string) {
	for i := range s.Headers {
		h := &s.Headers[i]
		recorded, ok := h.Value.Constant()
		if !ok || !strings.EqualFold(h.Name, idempotencyKey) {
			continue
		}
		own := fmt.Sprintf("%x", sha256.Sum256([]byte(recorded+" "+test)))
		if m := uuidForm.FindString(recorded); m != "" { // another of version 4
			own = strings.Replace(recorded, m, own[:8]+"-"+own[8:12]+"-4"+own[13:16]+"-8"+own[17:20]+"-"+own[20:32], 1)
		}
		h.Value = plan.Text{{Literal: own}}
	}
}

var uuidForm = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
