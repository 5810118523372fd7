package suite

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// learned gives what the map says will hold of the subject l.
func (w *weakening) learned(l string) []string {
	h := w.field.Holds
	var out []string
	if n := len(h.OneOf); n > 0 && n <= maxSet && !w.p.src.Redactor.Secret(w.a.Place) {
		var values []string
		for _, raw := range h.OneOf {
			v, err := pyJSON(raw)
			if err != nil {
				return nil
			}
			values = append(values, pyShow(v))
		}
		slices.Sort(values)
		comma := ""
		if n == 1 {
			comma = ","
		}
		out = append(out, l+" in ("+strings.Join(values, ", ")+comma+")")
	}
	pattern := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
	if pattern == "" {
		pattern = notation.FormatPattern(h.Format)
	}
	if pattern != "" {
		match := `__import__("re").fullmatch(` + literal.PythonRaw(pattern) + ", " + l + ")"
		out = append(out, match, l+" is None or "+match)
	}
	whole := ""
	if h.Type == "integer" {
		whole = "isinstance(" + l + ", int) and "
	}
	switch {
	case h.Min != "" && h.Max != "":
		out = append(out, whole+h.Min.String()+" <= "+l+" <= "+h.Max.String())
	case h.Min != "":
		out = append(out, whole+l+" >= "+h.Min.String())
	}
	return out
}

// learnedOf gives what of that is true of some values too, which no trial needs to have.
func (w *weakening) learnedOf(l string, values ...any) []string {
	return slices.DeleteFunc(w.learned(l), func(c string) bool {
		return slices.ContainsFunc(values, func(v any) bool { return !holdsOf(c, l, v) })
	})
}

// shapes gives what can be said of values by their types, and of strings by the way they are written.
func shapes(l string, values []any) []string {
	types := map[string]bool{}
	var texts []string
	for _, v := range values {
		types[pyType(v)] = true
		if s, ok := v.(string); ok && !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	null := ""
	if types["None"] {
		null = l + " is None or "
		delete(types, "None")
	}
	names := make([]string, 0, len(types))
	for t := range types {
		names = append(names, t)
	}
	slices.Sort(names)
	var out []string
	if len(names) == 1 && names[0] == "str" {
		for _, c := range stringShapes(l, texts) {
			out = append(out, null+c)
		}
	}
	switch len(names) {
	case 0:
		return append(out, l+" is None")
	case 1:
		return append(out, null+"isinstance("+l+", "+names[0]+")")
	}
	return append(out, null+"isinstance("+l+", ("+strings.Join(names, ", ")+"))")
}

// minDigits is how many digits must be seen in a row, over all texts, before they are taken for the digits of numbers: hex
// would have shown a letter, but for once in 80 thousand times.
const minDigits = 24

// stringShapes gives what can be said of strings by the way they are written: a known format, a digest, digits, letters
// that were drawn. Of their lengths nothing is said where no rule fixes them: a time loses its last zeros, a random number its first.
func stringShapes(l string, texts []string) []string {
	every := func(ok func(s string) bool) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return !ok(s) })
	}
	for _, f := range []string{"rfc3339", "rfc1123", "datetime", "date", "uuid4", "uuid", "hex:32", "hex:40", "hex:64", "hex:128"} {
		re := regexp.MustCompile(`\A(?:` + notation.FormatPattern(f) + `)\z`)
		if (len(texts) > 1 || !strings.HasPrefix(f, "hex")) && every(re.MatchString) {
			return []string{`__import__("re").fullmatch(` + literal.PythonRaw(notation.FormatPattern(f)) + ", " + l + ")"}
		}
	}
	if len(strings.Join(texts, "")) >= minDigits && every(func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }) {
		return []string{l + ".isdigit()"}
	}
	if pattern := notation.SpellingOf(texts); pattern != "" {
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
		return []string{`__import__("re").fullmatch(` + literal.PythonRaw(pattern) + ", " + l + ")"}
	}
	return nil
}

func pyType(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case pyItems:
		return "list"
	case map[string]any:
		return "dict"
	}
	return "None"
}

// lengths gives what can be said of the length of the subject l.
func (w *weakening) lengths(l string) []string {
	var out []string
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		claimed, _ := new(big.Int).SetString(w.a.Value, 10)
		lo, hi := w.field.Holds.MinLength, w.field.Holds.MaxLength
		if lo != nil && hi != nil && claimed != nil && *lo > 0 && claimed.Cmp(big.NewInt(int64(*lo))) >= 0 &&
			claimed.Cmp(big.NewInt(int64(*hi))) <= 0 {
			counted := pySource(w.a.x.(pyCompare).x) // len(…), or as the language counts
			out = append(out, fmt.Sprintf("%d <= %s <= %d", *lo, counted, *hi))
		}
	}
	seen, _ := w.samples()
	if len(seen) == 0 {
		return append(out, "isinstance("+l+", (dict, list))")
	}
	return append(out, shapes(l, seen)...)
}

// minFragment is the least length of a piece of text that is worth asserting, in bytes.
const minFragment = 4

// texts gives what can be said of a text that does not always hold what the suite looks for.
func (w *weakening) texts(l string) []string {
	seen, _ := w.samples()
	if w.a.Place.Root() == "header" {
		return w.headerTexts(l, seen)
	}
	want, _ := literal.FromJSON(w.a.Value)
	common := sharedPiece(want, seen)
	if len(seen) == 0 {
		return []string{l + ` != ""`}
	}
	var out []string
	if w.field != nil && w.field.Place == exchange.PlaceBody && len(w.active) > 0 {
		out = w.learnedOf(l, want) // of the whole text: no more than the suite says, where that is all of it
	}
	if common != want { // digits that the texts share today may be those of a date
		common = slices.MaxFunc(strings.FieldsFunc("\x00"+common, unicode.IsDigit), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	}
	if common = strings.Trim(common, "\x00 \t\r\n"); len(common) >= minFragment {
		out = append(out, literal.Python(common)+" in "+l)
	}
	return append(out, l+` != ""`)
}

// pieces gives what can be said of a text of the JSON that does not always hold what the suite looks for: what can be said
// of any value, and, before its type alone, the piece that all the texts share. Of times of a day the name of the day is one.
func (w *weakening) pieces(l string) []string {
	out := w.values(l)
	if seen, _ := w.samples(); len(seen) == 0 || w.clock(seen[0]) {
		return out
	}
	texts := w.texts(l)
	return slices.Concat(out[:len(out)-1], texts[:len(texts)-1], out[len(out)-1:])
}

// items gives what can be said of a list that does not always hold all that the suite looks for: those that it always
// holds, or its type.
func (w *weakening) items(l string, xs []expr) []string {
	var always []string
	for _, x := range xs {
		if _, failed := hold(x, w.active); failed == 0 {
			always = append(always, pySource(x))
		}
	}
	var out []string
	if len(always) > 0 && len(w.active) > 0 {
		out = append(out, strings.Join(always, " and "))
	}
	seen, _ := w.samples()
	if len(seen) == 0 {
		return append(out, "isinstance("+l+", list)")
	}
	return append(out, shapes(l, seen)...)
}

// unlisted reports whether the values seen of a header are no list of those that it may have: they are drawn anew each time, or
// secrets, which no suite is to hold.
func (w *weakening) unlisted(seen []any) bool {
	if w.field != nil && slices.Contains([]mapfile.Category{mapfile.Rand, mapfile.Crypt, mapfile.Time}, w.field.Category) {
		return true
	}
	r := w.p.src.Redactor
	return r.Secret(w.a.Place) || slices.ContainsFunc(seen, func(v any) bool {
		s, _ := v.(string)
		return r.Show(w.a.Place, s) != s
	})
}

// headerTexts lists the values seen of a header, without parameters; or gives the piece that all of them share with what the suite
// looks for.
func (w *weakening) headerTexts(l string, seen []any) []string {
	want, _ := literal.FromJSON(w.a.Value)
	if w.unlisted(seen) {
		common := sharedPiece(want, seen)
		if len(common) < minFragment {
			return []string{l + ` != ""`}
		}
		return []string{literal.Python(common) + " in " + l, l + ` != ""`}
	}
	kinds := []string{want}
	for _, v := range seen {
		s, _ := v.(string)
		s, _, _ = strings.Cut(s, ";")
		s = strings.TrimSpace(s)
		if !slices.ContainsFunc(kinds, func(k string) bool { return s == k || k != "" && strings.Contains(s, k) }) {
			kinds = append(kinds, s)
		}
	}
	slices.Sort(kinds[1:])
	var alternatives []string
	for _, k := range kinds {
		if k == "" && want != "" { // every text has an empty one in it
			alternatives = append(alternatives, l+` == ""`)
			continue
		}
		alternatives = append(alternatives, literal.Python(k)+" in "+l)
	}
	if len(kinds) > maxSet {
		return []string{l + ` != ""`}
	}
	return []string{strings.Join(alternatives, " or "), l + ` != ""`}
}

// maxCommon bounds the texts that are searched for a common piece, in bytes.
const maxCommon = 2000

// sharedPiece returns the longest piece of a text that is found in those of the values that are texts, one after the other.
func sharedPiece(want string, seen []any) string {
	for _, v := range seen {
		if s, ok := v.(string); ok {
			want = commonPiece(want, s)
		}
	}
	return want
}

// commonPiece returns the longest piece that two texts share.
func commonPiece(a, b string) string {
	if strings.Contains(b, a) {
		return a
	}
	a, b = a[:min(len(a), maxCommon)], b[:min(len(b), maxCommon)]
	best, end := 0, 0
	prev, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for i := range len(a) {
		for j := range len(b) {
			row[j+1] = 0
			if a[i] == b[j] {
				row[j+1] = prev[j] + 1
			}
			if row[j+1] > best {
				best, end = row[j+1], i+1
			}
		}
		prev, row = row, prev
	}
	return strings.ToValidUTF8(a[end-best:end], "")
}

// maxSearch bounds how many values of an earlier answer are tried as the source of a later one.
const maxSearch = 2000

// bound looks for an earlier answer of the same test that gave the value: in every trial the two are equal, and over the
// trials they differ, so that the one follows the other.
func (w *weakening) bound(l string) []string {
	if len(w.active) < 2 || len(distinct(w.subject, w.active)) < 2 {
		return nil
	}
	v, err := w.active[0].eval(w.subject)
	if err != nil || w.clock(v) {
		return nil
	}
	for _, c := range w.t.Calls[:w.a.Call] {
		a, ok := w.active[0][c.Var].(*answer)
		if !ok || a.response == nil {
			continue
		}
		root, err := a.value()
		if err != nil {
			continue
		}
		tries := maxSearch
		for _, path := range pathsOf(root, v, c.Var+".json()", &tries) {
			if x, err := parseText(l + " == " + path); err == nil {
				if seen, failed := hold(x, w.active); failed == 0 && len(seen) == len(w.active) {
					return []string{l + " == " + path}
				}
			}
		}
	}
	return nil
}

// clock reports whether a value is a reading of a clock: two of one test show the same second nearly always, and then do not.
func (w *weakening) clock(v any) bool {
	if w.field != nil && w.field.Category == mapfile.Time {
		return true
	}
	text, ok := v.(string)
	return ok && slices.ContainsFunc([]string{"rfc3339", "rfc1123", "datetime"}, func(format string) bool {
		h := mapfile.Holds{Type: "string", Format: format}
		return h.Satisfied(literal.JSON(text), time.Time{}) == nil
	})
}

// pathsOf lists the paths of a value within another.
func pathsOf(root, v any, path string, tries *int) []string {
	if *tries--; *tries < 0 {
		return nil
	}
	var out []string
	switch root := root.(type) {
	case pyItems:
		for i, e := range root {
			out = append(out, pathsOf(e, v, fmt.Sprintf("%s[%d]", path, i), tries)...)
		}
	case map[string]any:
		keys := make([]string, 0, len(root))
		for k := range root {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			out = append(out, pathsOf(root[k], v, path+"["+literal.Python(k)+"]", tries)...)
		}
	default:
		if pyEqual(root, v) {
			out = append(out, path)
		}
	}
	return out
}

// unordered returns the step into an array, on the way to the subject, whose elements come in any order; nil where
// there is none.
func (w *weakening) unordered() *pyIndex {
	if w.field == nil || w.field.Holds.Order != "any" {
		return nil
	}
	place := w.a.Place
	for x := w.looksAt(); ; {
		i, ok := x.(pyIndex)
		if !ok {
			return nil
		}
		if place = place.Parent(); w.field.Place.Matches(place) {
			return &i
		}
		x = i.x
	}
}

// member says of an array in any order that one of its elements is, or holds, what the suite expects of the one at a
// position.
func (w *weakening) member(array pyIndex) string {
	list := pySource(array.x)
	rest := strings.TrimPrefix(pySource(w.subject), pySource(array))
	value := pySource(w.literal())
	if rest == "" {
		return value + " in " + list
	}
	return value + " in [e" + rest + " for e in " + list + "]"
}
