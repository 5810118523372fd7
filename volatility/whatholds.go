package volatility

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

// hold states what is true of every observation of a place, and shows some of its values.
func (j *judge) hold(d *draft) {
	f, t := d.field, d.stats
	v := &t.values
	f.Holds.Type = v.typeName()
	f.Holds.Optional = t.kinds.added+t.kinds.removed > 0
	if t.network.host > 0 && t.network.noHost == 0 && t.network.otherMoves == 0 && v.only(notation.String) {
		f.Holds.Echo = string(request.HostPlace)
	}
	if f.Volatile() {
		d.stateWhatHolds()
	} else if raw, ok := v.constant(); ok && utf8.ValidString(raw) {
		f.Holds.Equal = json.RawMessage(raw)
	}
	if t.keys.besideChosen { // whoever reads the wildcard meets the chosen members too, of which nothing is said here
		f.Holds = mapfile.Holds{Optional: true}
	}
	j.conceal(f, t)
}

// stateWhatHolds finds what is still true of a place that moves.
func (d *draft) stateWhatHolds() {
	f, t := d.field, d.stats
	h, v := &f.Holds, &t.values
	d.stateCarried()
	if f.Category == mapfile.Unord && t.kinds.reordered > 0 {
		h.Order = "any"
	}
	if t.kinds.isSet() {
		h.Order = "set"
	}
	if t.place == exchange.PlaceStatus || v.few() && (v.types[notation.Null] || v.only(notation.Boolean)) {
		h.OneOf = oneOf(v)
	}
	if t.kinds.resized > 0 {
		h.MinLength = new(int)
	}
	timed := stateTime(h, f, t)
	if !timed && t.rising() {
		h.Monotone = "rising"
	}
	switch {
	case v.only(notation.String):
		if stateText(h, v, f.Category) {
			h.Captures = t.captures()
		} else if f.Category == mapfile.Time && reNames().MatchString(h.Pattern) {
			h.Pattern = "" // the days that were seen share their month: tomorrow's is another
		}
	case v.only(notation.Integer, notation.Number) && !timed && t.place != exchange.PlaceStatus:
		stateNumbers(h, f, t)
	}
}

// reNames finds words within a spelling, apart from its sets of letters.
var reNames = lazy.Regexp(`(^|[^0-9A-Za-z\[-])[A-Za-z]{3,}`)

// stateCarried states that every value is one of the request, or of an earlier answer.
func (d *draft) stateCarried() {
	h, t := &d.field.Holds, d.stats
	if len(t.links.echo.list) > 0 {
		h.Echo = string(slices.Min(t.links.echo.list))
		d.evidence = append(d.evidence, mapfile.SignEcho.Of(h.Echo))
	}
	if len(t.links.bound.list) > 0 {
		h.Bound = slices.Min(t.links.bound.list)
		d.evidence = append(d.evidence, mapfile.SignBound.Alone())
	}
}

func oneOf(v *values) []json.RawMessage {
	if v.overflow || len(v.long) > 0 {
		return nil
	}
	var out []json.RawMessage
	for _, raw := range slices.Sorted(slices.Values(v.distinct)) {
		out = append(out, json.RawMessage(raw))
	}
	return out
}

// minClock is the least distance from the answer that is stated: clocks of other machines are off by some. minWait is
// the least for what was not made for that very answer.
const (
	minClock = time.Minute
	minWait  = 10 * time.Minute
)

// stateTime states how far from its answer a time lies at most. Values that count since the epoch get their format too.
func stateTime(h *mapfile.Holds, f *mapfile.Field, t *fieldStats) bool {
	c := t.clock
	if f.Category != mapfile.Time || c.unread > 0 || c.read == 0 || c.inText > 0 || c.daily > 0 || c.strays > 0 {
		return false
	}
	if v := &t.values; c.counts == c.read && v.numbers > 0 {
		h.Format = notation.EpochFormat(v.min, v.max)
	}
	within := max(minClock, 2*c.farthest)
	// made by an earlier request: a suite takes longer from there to here than a replay
	if c.farthest > notation.Slack {
		within = max(within, minWait)
	}
	if c.unzoned > 0 { // a date is of some zone too
		within += 14 * time.Hour
	}
	if c.unit >= notation.Day { // what a day begins with was seen at some hours of it, and at others lies further away
		within += notation.Day
	}
	if within <= 30*notation.Day {
		h.Clock = int((within + time.Second - 1) / time.Second)
	}
	return true
}

// stateText states the format, else a template, else how they are spelled, else that there is something. It reports
// whether it states a template.
func stateText(h *mapfile.Holds, v *values, c mapfile.Category) bool {
	if v.binaries > 0 {
		stateBytes(h, v)
		return false
	}
	if h.Echo == string(request.HostPlace) && v.template != nil && v.merges > 0 && v.merges <= maxMerges {
		h.Pattern = v.pattern()
		return true
	}
	for f := range notation.Formats() {
		// a template says more
		if v.shapes&f.Shape == 0 || v.strings == 0 || f.Shape&(notation.ShapeURI|notation.ShapeBase64URL) != 0 &&
			v.templated() && saysEnough(v) {
			continue
		}
		if f.Shape == notation.ShapeDigits && v.minLen*v.strings < minDigits ||
			// a date: 22.11.26 is a version today, 01.12.26 is none
			f.Shape == notation.ShapeSemver && c == mapfile.Time {
			continue
		}
		h.Format = f.Name
		if f.Shape == notation.ShapeHex && v.fixedLength() {
			h.Format += ":" + strconv.Itoa(v.minLen)
		}
		return false
	}
	if v.templated() && saysEnough(v) {
		h.Pattern = v.pattern()
		return true
	}
	if v.spelling != nil {
		if h.Pattern = v.spelling.Pattern(); h.Pattern != "" {
			return false
		}
	}
	if v.minLen > 0 {
		n := 1
		h.MinLength = &n
		long := v.minLen >= 8 && !spaced(v.distinct) && v.fixedLength()
		if long && (c != mapfile.Time || v.padded) { // a time may be shorter at another hour
			stateLength(h, v.minLen)
		}
	}
	return false
}

// minDigits is how many digits must be seen in a row, over all strings, before they are taken for the digits of
// numbers: hex would have shown a letter, but for once in 80 thousand times.
const minDigits = 24

func stateLength(h *mapfile.Holds, n int) {
	low, high := n, n
	h.MinLength, h.MaxLength = &low, &high
}

// stateBytes states of bodies that are no text how many bytes they have, where they all have as many.
func stateBytes(h *mapfile.Holds, v *values) {
	if v.binaries < v.strings {
		return // bytes and texts: their lengths count different things
	}
	h.Format = "binary"
	if v.minLen == v.maxLen && v.binaries >= minAlike {
		stateLength(h, v.minLen)
	} else if v.minLen > 0 {
		n := 1
		h.MinLength = &n
	}
}

// saysEnough reports whether a template says enough to be worth stating and is likely to fit tomorrow's text: it has
// words of its own, and what varies is one thing each, or was seen often.
func saysEnough(v *values) bool {
	const often = 10
	letters := v.template.Fixed()
	if letters < 4 || 4*letters < v.minLen {
		return false
	}
	for _, g := range v.template.Gaps() {
		if g.Spaces && v.strings < often {
			return false
		}
	}
	return len(v.pattern()) <= maxTemplated
}

// trend sees whether the recorded values of a place grow from each exchange to the next.
type trend struct {
	last       float64
	any, falls bool
	rises      int
}

func (r *trend) add(v notation.Scalar) {
	if v.Kind != notation.Integer {
		r.falls = true
		return
	}
	x := notation.Float(v.Raw)
	switch {
	case r.any && x < r.last:
		r.falls = true
	case r.any && x > r.last:
		r.rises++
	}
	r.last, r.any = x, true
}

// The least that is wanted of a place before its numbers are said to rise for good.
const (
	minRises     = 3 // from exchange to exchange
	minRunsRaise = 8 // from run to run
)

// rising reports whether the number of a place only ever grew: from each exchange of the recording to the next, and
// from each run to the next.
func (t *fieldStats) rising() bool {
	p := t.runs
	return !strings.Contains(string(t.place), "/"+exchange.Wildcard) && t.values.only(notation.Integer) &&
		t.place != exchange.PlaceStatus &&
		!t.trend.falls && t.trend.rises >= minRises && p.rising >= minRunsRaise && p.sinking+p.wavering == 0
}

// stateNumbers states a range with honest margins where the numbers look as though they had one. What grows, or belongs
// to the state or the clock, has none; of times that were measured no more is sure than that they are not negative.
func stateNumbers(h *mapfile.Holds, f *mapfile.Field, t *fieldStats) {
	v := &t.values
	trending := f.Category == mapfile.State || f.Category == mapfile.Time || t.runs.rising > 0 && t.runs.wavering == 0
	if v.min >= 0 && (trending || len(v.drawn) >= minDrawn) { // clocks, counts and ids have no sign, others may
		h.Min = "0"
	}
	span := v.max - v.min
	if span > 0 && (reDuration().MatchString(leaf(t.place)) || notation.InTimeUnit(nameOf(t.place))) {
		if h.OneOf = nil; v.min >= 0 {
			h.Min = "0"
		}
		return // a slower machine measures more
	}
	if trending || !v.bounded() || math.Abs(v.min) > 1<<52 || math.Abs(v.max) > 1<<52 {
		return
	}
	low, high := v.min-span, v.max+span
	if v.min >= 0 {
		low = max(0, low)
	}
	if v.max <= 0 {
		high = min(0, high)
	}
	h.Min, h.Max = decimal(low), decimal(high)
}

func decimal(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'f', -1, 64)) }

// shorten cuts a long string off and makes a token fit for a file.
func shorten(raw string) json.RawMessage {
	if len(raw) <= maxSampleSize && utf8.ValidString(raw) {
		return json.RawMessage(raw)
	}
	text := strings.ToValidUTF8(notation.ScalarOf(raw).Plain(), "\ufffd")
	if len(text) > maxSampleSize {
		text = strings.ToValidUTF8(text[:maxSampleSize], "") + "…"
	}
	return quoted(text)
}

// quoted writes a valid text as a JSON token.
func quoted(text string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil { // a valid string always encodes
		return json.RawMessage(`""`)
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes()))
}
