package volatility

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// What varies within a text is found by its template: the gaps, and what each was seen to hold. What stands before a
// gap says what it is, where the fillings alone may be several things.

var (
	reThread    = lazy.Regexp(`(?i)(thread|worker|pool|exec|executor|nio|dispatcher)[\w.-]*[-#]\d+$`)
	reGenerated = lazy.Regexp(`\$\$Lambda|\$Proxy|CGLIB\$\$|\$\$EnhancerBy|\$HibernateProxy`)
)

// madeAtRunTime: what varies within a text is an address, a thread, a line of a stack, a generated name.
func madeAtRunTime(t *fieldStats, _ conditions) []mapfile.Evidence {
	if !t.values.templated() {
		return nil
	}
	var codes []mapfile.Evidence
	for _, g := range t.values.template.Gaps() {
		if code := gapCode(g); code != "" {
			return append(codes, mapfile.SignPattern.Of(code))
		}
	}
	return nil
}

// gapCode names what all that a gap was seen to hold are, "" where they are nothing known.
func gapCode(g compare.Gap) string {
	code := ""
	for i, s := range g.Seen {
		one := fillingCode(g.Before, s)
		if one == "" || i > 0 && one != code {
			return ""
		}
		code = one
	}
	return code
}

func fillingCode(before, s string) string {
	whole := before + s
	switch {
	case strings.HasSuffix(before, "@") && len(s) >= 5 && len(s) <= 16 && notation.AllHex(s):
		return "object-hash"
	case notation.HoldsAddress(s), strings.HasSuffix(before, "0x") && notation.AllHex(s):
		return "address"
	case reGenerated().MatchString(whole):
		return "generated-name"
	case notation.HoldsSourceLine(s), notation.HoldsSourceLine(whole):
		return "source-line"
	case reThread().MatchString(s), strings.HasSuffix(strings.ToLower(strings.TrimRight(before, " -#")), "thread") &&
		notation.AllDigits(s),
		strings.HasSuffix(before, "goroutine ") && notation.AllDigits(s):
		return "thread"
	}
	return ""
}

var (
	// reDigestBefore is how a text says that a digest follows, after four other words at most.
	reDigestBefore = lazy.Regexp(`(?i)\b((content-)?md5|(hmac-?)?sha-?(1|224|256|384|512)(sum)?|md5sum|hmac|digest|` +
		`checksum|hash|signature|fingerprint|etag)\b([^0-9A-Za-z]+[A-Za-z]+){0,4}[^0-9A-Za-z]*$`)
	// reTraceBefore is how a text says that the number of a request or of its trace follows.
	reTraceBefore = lazy.Regexp(
		`(?i)\b(trace|span|request|correlation|incident)[ _-]?(id|no|nr|number|reference|ref)?\b[^0-9A-Za-z]*(is\b[^0-9A-Za-z]*)?$`)
	// reStack is what only the text of a stack has.
	reStack = lazy.Regexp(`(?m)^\s*at [\w$.<>/@:()\[\] -]+[:(]|Traceback \(most recent call last\)|` +
		`goroutine \d+ \[|^#\d+ `)
)

// beforeGap is how much of the text before a gap is looked at.
const beforeGap = 40

// endsWith reports whether the text right before a gap says what an expression looks for. What all fillings begin with
// belongs to it.
func endsWith(g compare.Gap, re *regexp.Regexp) bool {
	before := g.Before[max(0, len(g.Before)-beforeGap):]
	return re.MatchString(before) || re.MatchString(before+notation.CommonPrefix(g.Seen))
}

// digestWithin: what varies within a text is a digest, by its length, or by what the text calls it.
func digestWithin(t *fieldStats, _ conditions) []mapfile.Evidence {
	if !t.values.only(notation.String) || !t.values.templated() {
		return nil
	}
	for _, g := range t.values.template.Gaps() {
		if len(g.Seen) > 1 && holdsDigests(g) {
			return saysOf(mapfile.SignShape, "digest-within")
		}
	}
	return nil
}

// holdsDigests reports whether all that a gap was seen to hold are digests.
func holdsDigests(g compare.Gap) bool {
	each := func(is func(string) bool) bool {
		return !slices.ContainsFunc(g.Seen, func(s string) bool { return !is(s) })
	}
	length := len(g.Seen[0])
	switch {
	case each(reDigest().MatchString):
		return true
	case each(func(s string) bool { return len(s) == length && notation.AllHex(s) }):
		switch length {
		case 40, 56, 64, 96, 128:
			return true
		}
	}
	// a part of what base64 writes: a slash ends a word of a template
	isUUID := func(s string) bool { return notation.ShapesOf(s)&notation.ShapeUUID != 0 }
	return endsWith(g, reDigestBefore()) && notation.DrawnName(g.Seen) && !slices.ContainsFunc(g.Seen, isUUID)
}

// variesInTrace: the text is that of a stack, whatever varies in it, or what varies is the number of a trace.
func variesInTrace(t *fieldStats, _ conditions) []mapfile.Evidence {
	v := &t.values
	if !v.only(notation.String) || t.kinds.value == 0 {
		return nil
	}
	kept := slices.Concat(v.distinct, v.long)
	isStack := func(raw string) bool {
		text := notation.ScalarOf(raw).Text
		return notation.HoldsSourceLine(text) && reStack().MatchString(text)
	}
	if len(kept) > 1 && !slices.ContainsFunc(kept, func(raw string) bool { return raw[0] == '"' && !isStack(raw) }) {
		return saysOf(mapfile.SignPattern, "stack")
	}
	if !v.templated() {
		return nil
	}
	for _, g := range v.template.Gaps() {
		if len(g.Seen) > 1 && endsWith(g, reTraceBefore()) && notation.DrawnName(g.Seen) {
			return saysOf(mapfile.SignPattern, "trace-id")
		}
	}
	return nil
}

// drawnFileName: of the path of a temporary file a name moves that is drawn for each file. The directory that they lie
// in is the machine's, and what a process drew when it began is the same in all its answers.
func drawnFileName(t *fieldStats, c conditions) []mapfile.Evidence {
	v := &t.values
	if !v.only(notation.String) || v.shapes&notation.ShapeTempPath == 0 || !v.templated() {
		return nil
	}
	if t.recorded > 1 && !v.overflow && len(v.distinct)+len(v.long) <= c.runs+1 {
		return nil
	}
	for _, g := range v.template.Gaps() {
		if len(g.Seen) > 1 && notation.DrawnName(g.Seen) {
			return saysOf(mapfile.SignShape, "temp-name")
		}
	}
	return nil
}
