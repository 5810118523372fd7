package steady

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// maxNames bounds the values that are translated, each way.
const maxNames = 1 << 18

// names knows which live value stands for which recorded one. What was given to the client in the place of something
// else comes back in its requests; what the API gave comes back in its answers.
type names struct {
	live     map[string]string   // of a recorded value that is particular enough to stand for itself
	sent     map[string]string   // of one that a client has from answers alone: no time is among them
	recorded map[string]string   // of a live one
	bound    map[string][]string // of a recorded value that bindings carry: small numbers and words among them
	own      map[string]string   // of a recorded value that the client makes up anew each time
	scoped   map[string]string   // of a recorded value in one place: a cookie, an entity tag, a segment below a path
}

func newNames() *names {
	return &names{live: map[string]string{}, sent: map[string]string{}, recorded: map[string]string{},
		bound: map[string][]string{},
		own:   map[string]string{}, scoped: map[string]string{}}
}

// put notes that live stands for recorded wherever either is met. It reports false where that cannot be told from the
// value. A time does so in answers alone: what a client asks for may be a time of its own.
func (n *names) put(recorded, live string, time bool) bool {
	if recorded == live || !telling(recorded) || !telling(live) || midnight.MatchString(recorded) ||
		len(n.live) >= maxNames {
		return false
	}
	n.live[recorded], n.recorded[live] = live, recorded
	if !time && !timeText.MatchString(recorded) {
		n.sent[recorded] = live
	}
	return true
}

// given reports whether an answer gave a recorded value.
func (n *names) given(recorded string) bool {
	_, held := n.live[recorded]
	return held || len(n.bound[recorded]) > 0
}

// putOwn notes what the client made up anew.
func (n *names) putOwn(recorded, live string) {
	if len(n.own) < maxNames {
		n.own[recorded] = live
	}
}

// timeText are the times that people read; midnight those of them that say no more than a day.
var (
	timeText = regexp.MustCompile(`\A(?:` + notation.FormatPattern("datetime") + `|` +
		notation.FormatPattern("rfc1123") + `)\z`)
	midnight = regexp.MustCompile(
		`\A(\d{4}-\d\d-\d\d[Tt ]|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} )00:00(:00([.,]0+)?)?( ?[A-Z]{3}|[Zz]| ?[+-]\d\d:?\d\d)?\z`)
)

// timed reports whether a place holds times, in whichever form. An id that is made of the time is none.
func timed(f *mapfile.Field) bool {
	if f == nil {
		return false
	}
	switch f.Holds.Format {
	case "rfc3339", "rfc1123", "datetime", "date", "time":
		return true
	case "":
		return f.Category == mapfile.Time || f.Holds.Clock > 0
	}
	return f.Holds.Clock > 0 || notation.IsEpoch(f.Holds.Format)
}

// telling reports whether a client that sends a value can only have it from where it was given: particular values, and
// times to the second.
func telling(value string) bool {
	if words.Particular(value) {
		return true
	}
	digits := 0
	for i := range len(value) {
		if c := value[i]; c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= 14 && len(value) <= 40
}

// putText notes what two texts say of each other: as a whole, or piece by piece where they have the same pieces.
func (n *names) putText(recorded, live string, time bool) {
	if n.put(recorded, live, time) || len(recorded) > maxPieced || len(live) > maxPieced {
		return
	}
	a, b := strings.FieldsFunc(recorded, separates), strings.FieldsFunc(live, separates)
	if len(a) < 2 || len(a) != len(b) {
		return
	}
	for i := range a {
		n.put(a[i], b[i], time)
	}
}

// maxPieced bounds, in bytes, the texts that are looked at piece by piece.
const maxPieced = 2 << 10

func separates(r rune) bool { return strings.ContainsRune(" \t\r\n/?&=#,;\"'<>()[]{}|", r) }

// bind notes what a binding carries.
func (n *names) bind(recorded, live string) {
	if list := n.bound[recorded]; !slices.Contains(list, live) && len(n.bound) < maxNames && len(list) < 64 {
		n.bound[recorded] = append(list, live)
	}
}

// putScoped notes what a value stands for in one place.
func (n *names) putScoped(scope, recorded, live string) {
	if recorded != live && len(n.scoped) < maxNames {
		n.scoped[scope+"\x00"+recorded] = live
	}
}

// inScope returns the live value of a recorded one in one place.
func (n *names) inScope(scope, recorded string) (string, bool) {
	live, ok := n.scoped[scope+"\x00"+recorded]
	return live, ok
}

// toLive translates a text that the client sends. ok is false where nothing in it is known.
func (n *names) toLive(text string) (string, bool) { return translate(text, n.sent) }

// toRecorded translates a text that the API gave.
func (n *names) toRecorded(text string) (string, bool) { return translate(text, n.recorded) }

func translate(text string, known map[string]string) (string, bool) {
	if len(known) == 0 {
		return text, false
	}
	if to, ok := known[text]; ok {
		return to, true
	}
	if len(text) > maxTranslated {
		return text, false
	}
	var b strings.Builder
	changed := false
	for pos := 0; pos < len(text); {
		piece, to := longestAt(text, pos, known)
		if piece == "" {
			n := runLength(text, pos)
			b.WriteString(text[pos : pos+n])
			pos += n
			continue
		}
		b.WriteString(to)
		changed = true
		pos += len(piece)
	}
	if !changed {
		return text, false
	}
	return b.String(), true
}

// maxTranslated bounds the texts that are looked through, in bytes.
const maxTranslated = 64 << 10

// runLength returns how far a stretch of letters and digits goes from pos; 1 where there is none.
func runLength(text string, pos int) int {
	n := 0
	for pos+n < len(text) && alnum(text[pos+n]) {
		n++
	}
	return max(1, n)
}

func alnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80 }

// more are the bytes beside letters and digits that a value may have, the kind of value with the most of them first.
var more = [...]string{"-_.:+/=~@%!", "-_.+=~%", "-_.", "-_", ""}

// longestAt returns the longest known value that begins at pos, and what it stands for.
func longestAt(text string, pos int, known map[string]string) (piece, to string) {
	for p := range pieces(text, pos) {
		if to, ok := known[p]; ok {
			return p, to
		}
	}
	return "", ""
}

// pieces gives the stretches that begin at pos and may be a value, the longest first.
func pieces(text string, pos int) func(func(string) bool) {
	return func(yield func(string) bool) {
		if pos > 0 && alnum(text[pos-1]) || !alnum(text[pos]) {
			return
		}
		last := -1
		for _, others := range more {
			end := pos
			for end < len(text) && end-pos < maxPieced && (alnum(text[end]) || strings.IndexByte(others, text[end]) >= 0) {
				end++
			}
			if end != last && !yield(text[pos:end]) {
				return
			}
			last = end
		}
	}
}

// agree reports whether a live text is the recorded one but for values that are known to stand for each other, and
// returns what the client is to see: the recorded one, with the values that it makes up itself as they are now. small
// says whether values may do so that only a binding tells from others: small numbers and words.
func (n *names) agree(recorded, live string, small bool) (shown string, ok bool) {
	if len(recorded) > maxTranslated {
		return "", false
	}
	var b strings.Builder
	i, j := 0, 0
	for i < len(recorded) {
		piece, now, own := n.standsFor(recorded, i, live[j:], small)
		switch {
		case piece != "":
			if own {
				b.WriteString(now)
			} else {
				b.WriteString(piece)
			}
			i, j = i+len(piece), j+len(now)
		case j < len(live) && recorded[i] == live[j]:
			b.WriteByte(recorded[i])
			i, j = i+1, j+1
		default:
			return "", false
		}
	}
	return b.String(), j == len(live)
}

// standsFor returns the recorded value that begins at pos, and the live one that rest begins with in its place.
func (n *names) standsFor(recorded string, pos int, rest string, small bool) (piece, now string, own bool) {
	for p := range pieces(recorded, pos) {
		if to, ok := n.own[p]; ok && begins(rest, to) {
			return p, to, true
		}
		if to, ok := n.live[p]; ok && begins(rest, to) {
			return p, to, false
		}
		for _, to := range n.bound[p] {
			if small && to != p && begins(rest, to) {
				return p, to, false
			}
		}
	}
	return "", "", false
}

// begins reports whether a text begins with a value, with no letter or digit that goes on behind it.
func begins(text, value string) bool {
	if value == "" || !strings.HasPrefix(text, value) {
		return false
	}
	n := len(value)
	return n == len(text) || !alnum(text[n]) || !alnum(value[n-1])
}

// collection names the list that a segment of a path is a member of.
func collection(segments []string, i int) string { return "path " + strings.Join(segments[:i], "/") }

// learnPath notes what the segments of a path stand for that a binding has put in.
func (n *names) learnPath(client, sent *exchange.Request) {
	a, b := pathOf(client), pathOf(sent)
	if len(a) != len(b) {
		return
	}
	for i := range a {
		n.putScoped(collection(a, i), a[i], b[i])
	}
}

// pathOf returns the segments of a request's path, as they are written.
func pathOf(r *exchange.Request) []string {
	path, _ := exchange.SplitTarget(r.Target)
	return strings.Split(path, "/")
}

// idName are the names of what holds ids, or links that hold them: id, orderId, order_ids, selfLink; not paid, valid,
// grid.
var idName = regexp.MustCompile(
	`(^|[^A-Za-z])(?i:(id|ref|href|ur[il]|link|self|location)s?)$|(Id|Ref|Href|Ur[il]|Link|Self|Location)s?$|[a-z0-9](ID|UR[IL])s?$`)

// mayNameOne reports whether a place may hold the small id of something: it moves, it is where an id comes from, or it
// is called as ids are. Anywhere else a small number is a number.
func (a *answering) mayNameOne(p at) bool {
	if a.moves(p.general) != nil {
		return true
	}
	for _, b := range a.s.produced[a.step.seq] {
		if b.Producer.Place.Within(p.recorded) {
			return true
		}
	}
	named := p.general
	for strings.HasSuffix(string(named), "/"+exchange.Wildcard) {
		named = named.Parent() // elements are called as their array is
	}
	segments := named.Segments()
	if named.Root() == "header" && len(segments) > 1 {
		switch segments[1] {
		case "location", "content-location", "link", "set-cookie", "etag":
			return true
		}
		return false
	}
	return idName.MatchString(segments[len(segments)-1])
}
