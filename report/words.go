package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// categories returns the categories in the order in which they are listed.
func categories() []mapfile.Category {
	return []mapfile.Category{
		mapfile.Time, mapfile.Rand, mapfile.Crypt, mapfile.Unord, mapfile.RunMsg,
		mapfile.State, mapfile.Env, mapfile.GenErr, mapfile.Unk,
	}
}

// why says what a category means, as the end of a sentence that begins with "the value".
func why(c mapfile.Category) string {
	switch c {
	case mapfile.Time:
		return "follows the clock"
	case mapfile.Rand:
		return "is another with every send"
	case mapfile.Crypt:
		return "is a digest, cipher text, signature or token"
	case mapfile.Unord:
		return "has the same elements in another order"
	case mapfile.RunMsg:
		return "is a message with names made at run time"
	case mapfile.State:
		return "follows what was sent before"
	case mapfile.Env:
		return "follows the machine or its settings"
	case mapfile.GenErr:
		return "is asserted wrongly by the suite itself"
	case mapfile.Unk:
		return "moves for a reason not found"
	}
	return ""
}

// verdict names a judgement in words.
func verdict(j mapfile.Judgement) string {
	if j == mapfile.WouldMove {
		return "would move"
	}
	return show(string(j), 20)
}

// conditions says in what state an API was, and what was done to it.
func conditions(start exchange.Start, perturb []string) string {
	var s string
	switch start {
	case exchange.StartFresh:
		s = "fresh instance"
	case exchange.StartReset:
		s = "after a reset"
	case exchange.StartContinued:
		s = "continued after earlier requests"
	default:
		s = "start unknown"
	}
	for _, p := range first(perturb, 10) {
		s += ", " + show(p, 40)
	}
	return s
}

// kind says how a run came about.
func kind(k exchange.RunKind) string {
	switch k {
	case exchange.RunReplay:
		return "replayed"
	case exchange.RunClient:
		return "client ran again"
	case exchange.RunRepeat:
		return "each safe request several times in a row"
	case exchange.RunImport:
		return "imported"
	}
	return show(string(k), 20)
}

// statements says what holds of a place, the strongest first; limit bounds each value that is quoted.
func statements(h *mapfile.Holds, limit int) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case len(h.Equal) > 0:
		say("equals %s", token(h.Equal, limit))
	case len(h.OneOf) > 0:
		say("one of %s", alternatives(h.OneOf, limit))
	case h.Type != "" || h.Format != "":
		say("%s", written(h, limit))
	}
	if h.Order == "any" {
		say("the recorded elements in any order")
	} else if h.Order == "set" {
		say("the recorded elements in any order, each once or several times")
	}
	if h.Bound != "" {
		say("given earlier by %s", showEnds(h.Bound, limit))
	}
	switch {
	case h.Echo == string(exchange.HeaderPlace("Host")):
		say("names the host that was asked")
	case h.Echo != "":
		say("repeats the request's %s", showEnds(h.Echo, limit))
	}
	if h.Clock > 0 {
		say("within %d s of the answer", h.Clock)
	}
	if r := between(number(h.Min), number(h.Max)); r != "" {
		say("%s", r)
	}
	if r := between(length(h.MinLength), length(h.MaxLength)); r != "" && r != "at least 0" {
		say("length %s", r)
	}
	if h.Pattern != "" {
		say("matches %s", show(h.Pattern, limit))
	}
	if h.Monotone != "" {
		say("never smaller than before")
	}
	for _, r := range h.Relations {
		say("%s", related(r, limit))
	}
	if h.Optional {
		say("not always there")
	}
	if len(out) == 0 {
		say("only that it is there")
	}
	return out
}

// related says how a value follows from others.
func related(r relation.Relation, limit int) string {
	var of [2]string
	for i, p := range first(r.Of, 2) {
		of[i] = showEnds(string(p), limit)
	}
	a, b := of[0], of[1]
	switch r.Is {
	case relation.Equal:
		return "is " + a
	case relation.Sum:
		return "is " + a + " + " + b
	case relation.Difference:
		return "is " + a + " − " + b
	case relation.Product:
		return "is " + a + " × " + b
	case relation.Offset:
		return "is " + a + " + " + number(r.By)
	case relation.Ratio:
		return "is " + a + " × " + number(r.By)
	case relation.AtLeast:
		return "at least " + a
	case relation.AtMost:
		return "at most " + a
	case relation.Count:
		return "counts " + a
	case relation.Total:
		if b != "" {
			return "adds up " + a + " × " + b
		}
		return "adds up " + a
	case relation.Contains:
		return "holds " + a
	case relation.Ascending, relation.Descending:
		return show(string(r.Is), limit) + " by " + a
	}
	return show(string(r.Is), limit) + " " + a
}

// written says of what type a value is and how it is written: "string (uuid4)".
func written(h *mapfile.Holds, limit int) string {
	words := strings.ReplaceAll(show(h.Type, limit), "|", " or ")
	switch {
	case h.Format == "":
		return words
	case words == "":
		return "written as " + show(h.Format, limit)
	}
	return fmt.Sprintf("%s (%s)", words, show(h.Format, limit))
}

func alternatives(values []json.RawMessage, limit int) string {
	shown, more := head(values, 8)
	var out []string
	for _, v := range shown {
		out = append(out, token(v, limit))
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

func number(n json.Number) string { return show(n.String(), 30) }

func length(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// between words a range of which either end may be open.
func between(low, high string) string {
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return "at least " + low
	case low == "":
		return "at most " + high
	case low == high:
		return low
	}
	return low + " to " + high
}

// first returns at most n of s.
func first[T any](s []T, n int) []T { return s[:min(n, len(s))] }

// head returns at most n of s, and how many that leaves out.
func head[T any](s []T, n int) (shown []T, more int) {
	shown = first(s, n)
	return shown, len(s) - len(shown)
}
