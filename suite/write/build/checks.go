package build

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// asserting makes the checks of one answer.
type asserting struct {
	*builder
	context    *context
	step       *exchange.Step
	e          *exchange.Exchange
	op         *mapfile.Operation // nil where the map says nothing
	fp         exchange.Fingerprint
	own        bool // the answer is that of the test's own trials
	dependence *dependence
	out        []plan.Check
	only       int // the If of checks
}

// checks lists what is asserted of a step's answer.
func (b *builder) checks(step *exchange.Step, ctx *context) []plan.Check {
	step, own := b.ownAnswer(step)
	a := &asserting{builder: b, context: ctx, step: step, own: own, e: step.Exchange, op: b.operation(step.Exchange)}
	if own {
		a.op = b.unmovedOperation(b.doneOperation(ownOperation(a.op), a.e), a.e)
	}
	a.fp = exchange.Exact(a.e)
	a.dependence = b.dependenceOf(a)
	a.status()
	a.headers()
	a.body()
	a.relations()
	a.applyTrials()
	a.near()
	a.measured()
	a.narrow()
	a.since()
	a.digests()
	a.products()
	a.unique()
	a.applyTrials() // of what was added since, and of what the recording alone says
	return a.out
}

func (a *asserting) add(c plan.Check) {
	c.If = a.only
	a.out = append(a.out, c)
}

// status asserts the status. What else is known of the answer is known of those with the recorded status.
func (a *asserting) status() {
	recorded := a.e.Response.Status
	c := plan.Check{Kind: plan.CheckStatus, Place: exchange.PlaceStatus, Statuses: []int{recorded}}
	f := a.volatile(exchange.PlaceStatus)
	switch {
	case f != nil:
		c.Why, c.Statuses = a.why(f, strconv.Itoa(recorded)), nil
		if a.mode == suite.Comment {
			c.Off = "/status == " + strconv.Itoa(recorded)
		}
		for _, raw := range f.Holds.OneOf {
			if n, err := strconv.Atoi(string(raw)); err == nil && a.mode == suite.Relax && !f.Apart() {
				c.Statuses = append(c.Statuses, n)
			}
		}
		if len(c.Statuses) > 0 {
			c.Statuses = firstOf(recorded, c.Statuses)
		}
	case len(a.dependence.statuses) > 0:
		c.Statuses = firstOf(recorded, a.dependence.statuses)
		c.Why = whyState
		if a.mode == suite.Comment {
			c.Why, c.Off, c.Statuses = fmt.Sprintf("Flaky value of field /status: %d vs. %d", recorded, c.Statuses[1]),
				"/status == "+strconv.Itoa(recorded), nil
		}
	}
	a.out = append(a.out, c)
	if len(c.Statuses) != 1 || f != nil {
		a.only = recorded
	}
}

// firstOf lists statuses with the recorded one first, which writers may rely on, the others in order.
func firstOf(recorded int, statuses []int) []int {
	out := []int{recorded}
	for _, s := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		if s != recorded {
			out = append(out, s)
		}
	}
	return out
}

// volatile returns the field that says that a place moves in this answer; nil where it does not, or where the mode is
// to assert it all the same.
func (a *asserting) volatile(place exchange.Place) *mapfile.Field {
	if a.mode == suite.Exact || a.waits[a.e.Seq].Tells(place) {
		return nil
	}
	if a.op != nil {
		if f := a.op.At(place); f != nil && f.AppliesTo(a.fp) {
			return f
		}
	}
	return a.dependence.field(place)
}

// why says why less is asserted than was recorded. In comment mode that is in FlakyCatch's words.
func (a *asserting) why(f *mapfile.Field, recorded string) string {
	if a.mode == suite.Comment {
		other := "(would move)"
		if !f.Volatile() {
			other = "(ignored)"
		}
		if a.dependence.is(f) {
			other = "(follows what was sent before)"
		}
		for _, s := range f.Samples {
			if string(s) != recorded && string(s) != literal.JSON(recorded) {
				other = string(s)
				break
			}
		}
		return flaky(f, recorded, other)
	}
	if a.dependence.is(f) {
		return dependenceWhy(f)
	}
	how := fmt.Sprintf("moved in %d of %d", f.Changed, f.Of)
	switch {
	case f.Judgement == mapfile.WouldMove:
		how = fmt.Sprintf("would move, did not in %d", f.Of)
	case !f.Volatile(): // the user ignores it
		how = fmt.Sprintf("did not move in %d", f.Of)
	}
	if f.Category != "" {
		how = string(f.Category) + ", " + how
	}
	if f.Rule != nil {
		how += "; a rule: " + string(f.Rule.Kind)
	}
	return how
}

// flaky is why in FlakyCatch's words: what was recorded, and what was seen beside it.
func flaky(f *mapfile.Field, recorded, other string) string {
	return fmt.Sprintf("Flaky value of field %s: %s vs. %s", plan.OneLine(string(f.Place)), plan.OneLine(recorded),
		plan.OneLine(other))
}

// maxBeside bounds each of two arrays or objects that a comment shows beside each other, in characters.
const maxBeside = 60

// beside is the beginning of a value that stands beside another one in a comment.
func beside(value string) string {
	if runes := []rune(plan.Visible(value)); len(runes) > maxBeside {
		return string(runes[:maxBeside]) + "…"
	}
	return value
}

// dependenceWhy says why a place is weakened that never moved between runs.
func dependenceWhy(f *mapfile.Field) string {
	if f.Category == mapfile.Env {
		return "Env, names the host that was asked"
	}
	return whyState
}

// whyState says why something is weakened that never moved between runs.
const whyState = "State, follows what was sent before"

// off says of a place that moves that it is not asserted, and why; in comment mode with the assertion that is not made.
func (a *asserting) off(f *mapfile.Field, place exchange.Place, recorded, exact string) {
	if !a.writable(place) {
		return
	}
	c := plan.Check{Kind: plan.CheckHolds, Place: place, Why: a.why(f, recorded), Optional: true}
	if kind := plan.KindOf(recorded); a.mode == suite.Comment && (kind == "array" || kind == "object") {
		if other := a.seenElse(place, recorded); other != "" {
			c.Why = flaky(f, beside(recorded), beside(other))
		}
	}
	if a.mode == suite.Comment && exact != "" {
		c.Off = plan.OneLine(string(place) + " == " + exact)
	}
	a.add(c)
}

func (a *asserting) headers() {
	seen := map[string]bool{}
	for _, f := range a.e.Response.Header {
		name := strings.ToLower(strings.TrimSpace(f.Name))
		if seen[name] || !suite.AssertedHeader(name) {
			continue
		}
		seen[name] = true
		a.header(name)
	}
}

// header asserts one header, all its lines.
func (a *asserting) header(name string) {
	place := exchange.HeaderPlace(name)
	f := a.volatile(place)
	if f != nil && f.Apart() {
		return
	}
	values := a.e.Response.Header.Values(name)
	if name == "set-cookie" {
		a.cookies(f, values)
		return
	}
	value := wire.Latin1(strings.Join(values, "\n")) // the map joins them so
	switch {
	case f != nil && a.mode == suite.Comment:
		shown := a.src.Redactor.Show(place, value)
		a.off(f, place, shown, unlessHidden(shown, value, literal.JSON(value)))
	case f != nil:
		if f.Holds.Optional || !a.carried(f, place, literal.JSON(value)) {
			a.holds(f, place, f.Holds)
		}
	default:
		c := plan.Check{Kind: plan.CheckHeader, Place: place}
		for _, v := range values {
			if a.src.Redactor.Secret(place) {
				c.Lines = append(c.Lines, plan.Text{a.secret(wire.Latin1(v))})
				continue
			}
			c.Lines = append(c.Lines, a.text(v, wire.Latin1))
		}
		a.add(c)
	}
}

func unlessHidden(shown, value, exact string) string {
	if shown != value {
		return ""
	}
	return exact
}

// cookies asserts that an answer sets the cookies that it set in the recording and in each run, not their values, which
// are secrets. A cookie's name may move too: some APIs put the address that they were asked by into it.
func (a *asserting) cookies(f *mapfile.Field, values []string) {
	if f != nil && f.Holds.Optional {
		return
	}
	seen := map[string]bool{}
	for _, v := range values {
		if name, _, ok := strings.Cut(v, "="); ok && !seen[name] && a.alwaysSets(name) {
			seen[name] = true
			a.add(plan.Check{Kind: plan.CheckCookie, Place: exchange.HeaderPlace("set-cookie"),
				Name: a.text(strings.TrimSpace(wire.Latin1(name)), asIs)})
		}
	}
}

// alwaysSets reports whether each run that answered with the recorded status set a cookie.
func (a *asserting) alwaysSets(name string) bool {
	for _, o := range a.step.Observations {
		if o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		sets := func(v string) bool {
			n, _, _ := strings.Cut(v, "=")
			return n == name
		}
		if !slices.ContainsFunc(o.Response.Header.Values("Set-Cookie"), sets) {
			return false
		}
	}
	return true
}

// maxText bounds a text, and maxJSON a JSON body, that is asserted literally, in bytes. A JSON body of more than
// maxShown is asserted by its digest where runs saw the same bytes each time: nobody reads it in a test.
const (
	maxText  = 16 << 10
	maxJSON  = 64 << 10
	maxShown = 8 << 10
)

// body asserts the payload: JSON by its parts, text and anything else as a whole.
func (a *asserting) body() {
	payload, err := a.e.Response.Payload()
	switch {
	case err != nil || a.e.Response.Cut > 0 || a.e.Request.Method == "HEAD":
		return
	case len(payload) == 0 && a.volatile(exchange.PlaceBody) == nil:
		a.add(plan.Check{Kind: plan.CheckEmpty, Place: exchange.PlaceBody})
		return
	}
	if root := plan.ReadNode(payload); root != nil && compare.IsJSON(a.e.Response.MediaType()) {
		same := len(payload) > maxShown && a.sameBytes(payload)
		switch {
		case len(payload) <= maxShown, len(payload) <= maxJSON && (!same || len(a.step.Observations) == 0):
			a.json(root)
			return
		case !same:
			a.outline(root)
			return
		}
	}
	a.plain(payload)
}

// sameBytes reports whether all answers, of runs and of trials, had the recorded body, byte for byte.
func (a *asserting) sameBytes(recorded []byte) bool {
	if a.volatileText() != nil || len(a.dependence.at) > 0 {
		return false
	}
	return !slices.ContainsFunc(a.answered(), func(r *exchange.Response) bool {
		payload, err := r.Payload()
		return err != nil || !bytes.Equal(recorded, payload)
	})
}

// plain asserts a body as a whole.
func (a *asserting) plain(payload []byte) {
	f := a.volatileText()
	switch {
	case f != nil && f.Apart():
	case f != nil && a.mode == suite.Comment:
		a.off(f, exchange.PlaceBody, a.src.Redactor.Show(f.Place, string(payload)), "")
	case f != nil && f.Place != exchange.PlaceBody:
		a.off(f, f.Place, "", "")
	case f != nil && f.Holds.Format == "binary":
		c := plan.Check{Kind: plan.CheckSize, Place: f.Place, Why: a.why(f, "")}
		if h := f.Holds; h.MinLength != nil && h.MaxLength != nil && *h.MinLength == *h.MaxLength {
			c.Length = *h.MinLength
		}
		a.add(c)
	case f != nil:
		a.holds(f, f.Place, f.Holds)
	case len(payload) > maxText || !utf8.Valid(payload) || slices.Contains(payload, 0):
		sum := sha256.Sum256(payload)
		a.add(plan.Check{Kind: plan.CheckDigest, Place: exchange.PlaceBody, Length: len(payload),
			SHA256: hex.EncodeToString(sum[:])})
	default:
		a.add(plan.Check{Kind: plan.CheckText, Place: exchange.PlaceBody, Text: a.text(string(payload), asIs)})
	}
}

// outline asserts no more than the outline of a JSON body that is too large to stand in a test.
func (a *asserting) outline(root *plan.Node) {
	c := plan.Check{Kind: plan.CheckOutline, Place: exchange.PlaceBody,
		Why: "The body is too large to be asserted in full."}
	switch {
	case a.volatile(exchange.PlaceBody) != nil || root.Scalar() || len(a.optional(root)) > 0:
		c = plan.Check{Kind: plan.CheckHolds, Place: exchange.PlaceBody, Why: c.Why, Optional: true}
	case root.Raw == "[":
		c.Length = len(root.Kids)
	default:
		for _, k := range root.Keys {
			if !a.holdsSecret(k) {
				c.Keys = append(c.Keys, k)
			}
		}
	}
	a.add(c)
}

// volatileText returns the field that says that a text moves, or a part of it.
func (a *asserting) volatileText() *mapfile.Field {
	if f := a.volatile(exchange.PlaceBody); f != nil || a.op == nil || a.mode == suite.Exact {
		return f
	}
	for _, f := range a.op.Fields {
		if f.Place.Within(exchange.PlaceBody) && f.AppliesTo(a.fp) {
			return f
		}
	}
	return nil
}

// holds asserts what holds of a place that moves, wherever it is there, or says at least why nothing is.
func (a *asserting) holds(f *mapfile.Field, place exchange.Place, h mapfile.Holds) {
	if a.mode != suite.Relax || f.Apart() {
		a.off(f, place, "", "")
		return
	}
	if a.writable(place) {
		c := plan.Check{Kind: plan.CheckHolds, Place: place, Why: a.why(f, ""), Holds: a.statable(h)}
		c.Optional = h.Optional || strings.Contains(string(place), "/*") && !a.always(place)
		a.add(c)
		if h.Format == "jwt" && !c.Optional {
			a.token(place)
		}
	}
}

// always reports whether each answer had something at a place within the elements of a list, as far as it was seen, and
// that in trials of the test itself: elsewhere a list may be empty that never was.
func (a *asserting) always(place exchange.Place) bool {
	if len(withStatus(a.answers.Tested(a.e.Seq), a.e.Response.Status)) < minTrials {
		return false
	}
	return !slices.ContainsFunc(a.answered(), func(r *exchange.Response) bool { return len(refute.Values(r)(place)) == 0 })
}

// statable is what a suite can assert of a value by itself, without what tells a secret.
func (a *asserting) statable(h mapfile.Holds) mapfile.Holds {
	out := mapfile.Holds{
		Type: h.Type, Equal: h.Equal, OneOf: h.OneOf, Format: h.Format, Pattern: h.Pattern, Min: h.Min, Max: h.Max,
		MinLength: h.MinLength, MaxLength: h.MaxLength, Clock: h.Clock,
	}
	if h.Echo == string(plan.HostPlace) {
		out.Echo = h.Echo
	}
	if a.holdsSecret(strings.ReplaceAll(h.Pattern, `\`, "")) ||
		a.context.holdsMade(quantifiers.ReplaceAllString(h.Pattern, "")) {
		out.Pattern = ""
	}
	tells := func(v json.RawMessage) bool {
		_, made := a.context.made[plan.TextOf(string(v))]
		return made || a.holdsSecret(string(v))
	}
	if len(h.Equal) > 0 && tells(h.Equal) || slices.ContainsFunc(h.OneOf, tells) {
		out.Equal, out.OneOf = nil, nil
	}
	return out
}

// quantifiers are the numbers of a pattern that stand for no text.
var quantifiers = regexp.MustCompile(`\{[0-9,]+\}`)

// states reports whether a statement says more of a value than its type.
func states(h mapfile.Holds) bool {
	return cmp.Or(string(h.Equal), h.Type, h.Format, h.Pattern, h.Min.String(), h.Max.String(), h.Echo) != "" ||
		len(h.OneOf) > 0 || h.Clock > 0 || h.MinLength != nil || h.MaxLength != nil
}
