package write

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/notation"
)

//go:embed golang/flaketap_client_test.go golang/flaketap_answer_test.go golang/flaketap_checks_test.go golang/flaketap_related_test.go
var golang embed.FS

// goMod is the module of the generated project: it needs no other.
const goMod = "module apitest\n\ngo 1.24\n"

// writeGo writes a plan as a Go module of tests, which needs the standard library only.
func writeGo(plan Plan) ([]suite.File, error) {
	w := &goWriter{plan: plan, names: map[string]bool{}}
	var steps []Step
	steps, w.shared = shared(plan.Tests)
	sources := map[string]string{"flaketap_recorded_test.go": w.recorded() + w.setUps(steps)}
	names, by := groups(plan.Tests)
	for _, group := range names {
		var b strings.Builder
		b.WriteString("// Made by flaketap from a recording. Each test stands alone: it makes what it needs.\n\npackage apitest\n\nimport \"testing\"\n")
		for _, t := range by[group] {
			w.test(&b, t)
		}
		sources[group+"_api_test.go"] = b.String() // so that no name ends in that of a system, which would be a condition
	}
	var files []suite.File
	entries, err := golang.ReadDir("golang")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := golang.ReadFile("golang/" + e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, suite.File{Name: e.Name(), Data: data, Perm: 0o644})
	}
	for name, text := range sources {
		data, err := format.Source([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("format %s: %w", name, err)
		}
		files = append(files, suite.File{Name: name, Data: data, Perm: 0o644})
	}
	secrets, err := secretsFile(plan)
	return append(files, secrets, suite.File{Name: "go.mod", Data: []byte(goMod), Perm: 0o644},
		suite.File{Name: ".gitignore", Data: []byte("secrets.json\n"), Perm: 0o644}), err
}

// goWriter writes one module.
type goWriter struct {
	plan   Plan
	shared map[uint64]string // the names of the shared set-ups, by exchange
	names  map[string]bool   // those of functions that are taken
}

// recorded writes what was recorded: where, and the values that answers gave.
func (w *goWriter) recorded() string {
	var b strings.Builder
	b.WriteString("// Where the recording was made, the values that its answers gave, and what tests share.\n\npackage apitest\n\n")
	fmt.Fprintf(&b, "// target is the API that was recorded; FLAKETAP_URL names another.\nconst target = %s\n\n", literal.Go(w.plan.Target))
	b.WriteString("// recorded returns the values that answers gave: used until an answer gives another.\nfunc recorded() map[string]string {\n\treturn map[string]string{\n")
	for _, v := range w.plan.Bound {
		fmt.Fprintf(&b, "%s: %s, // %s\n", literal.Go(v.Name), goText(v.Recorded), oneLine(v.From))
	}
	b.WriteString("}\n}\n\n// formats are the regular expressions of the ways in which values are written.\nvar formats = map[string]string{\n")
	patterns := notation.FormatPatterns()
	names := make([]string, 0, len(patterns))
	for name := range patterns {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s,\n", literal.Go(name), goRaw(patterns[name]))
	}
	b.WriteString("}\n")
	return b.String()
}

// setUps writes the set-ups that tests share.
func (w *goWriter) setUps(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		name := w.setUpName(s)
		fmt.Fprintf(&b, "\n// %s is %s, sent once for all tests.\nvar %s = once{%s, func(c *client) {\n", name, s.Title, name, literal.Go(name))
		w.step(&b, s, true)
		b.WriteString("}}\n")
	}
	return b.String()
}

func (w *goWriter) setUpName(s Step) string { return "setUp" + camel(w.shared[s.Seq]) }

// test writes one test.
func (w *goWriter) test(b *strings.Builder, t Test) {
	name := "Test" + camel(t.Name)
	if w.names[name] {
		name = "Test_" + t.Name
	}
	w.names[name] = true
	b.WriteString("\n")
	for _, line := range t.About {
		b.WriteString("// " + oneLine(line) + "\n")
	}
	args := "t"
	for _, s := range t.Steps {
		if s.Once {
			args += ", " + w.setUpName(s)
		}
	}
	fmt.Fprintf(b, "func %s(t *testing.T) {\nc := begin(%s)\n", name, args)
	for _, s := range slices.Backward(t.Steps) { // what is to be done last is said first
		if s.Role == CleanUp {
			w.cleanUp(b, s)
		}
	}
	first := true
	for _, s := range t.Steps {
		if s.Once || s.Role == CleanUp {
			continue
		}
		if s.Left == "" {
			s.Left = goUnsendable(s)
		}
		b.WriteString("\n")
		w.step(b, s, first)
		first = first && s.Left != ""
	}
	if first {
		b.WriteString("_ = c\n")
	}
	b.WriteString("}\n")
}

// cleanUp writes a request that takes away what the test made, if it was made.
func (w *goWriter) cleanUp(b *strings.Builder, s Step) {
	names := ""
	for _, p := range s.Target {
		if p.Bound != "" {
			names += ", " + literal.Go(p.Bound)
		}
	}
	fmt.Fprintf(b, "// Clean-up: %s\nc.after(func() request { return %s }%s)\n", oneLine(s.Title), w.request(s), names)
}

// goUnsendable says why net/http does not send a request; "" where it does.
func goUnsendable(s Step) string {
	token := func(name string) bool {
		return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) })
	}
	if !token(s.Method) {
		return "net/http sends no such method"
	}
	for _, h := range s.Headers {
		bad := slices.ContainsFunc(h.Value, func(p Piece) bool {
			return strings.ContainsFunc(p.Literal, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
		})
		if bad || !token(h.Name) {
			return "net/http sends no such header"
		}
	}
	if len(s.Target) > 0 && !strings.HasPrefix(s.Target[0].Literal, "/") || strings.HasPrefix(s.Target[0].Literal, "//") {
		return "net/http sends no such target"
	}
	return ""
}

// step writes the sending of one request, what is kept of the answer, and what is asserted.
func (w *goWriter) step(b *strings.Builder, s Step, first bool) {
	if s.Left != "" {
		fmt.Fprintf(b, "// %s is left out: %s.\n", oneLine(s.Title), s.Left)
		return
	}
	head := oneLine(s.Title)
	if s.Role == SetUp {
		head = "Set-up: " + head
	}
	assign := "="
	if first {
		assign = ":="
	}
	fmt.Fprintf(b, "// %s\nres %s c.send(%s)\n", head, assign, w.request(s))
	for _, c := range s.Captures {
		how := "take"
		if c.Find {
			how = "find"
		}
		fmt.Fprintf(b, "c.%s(%s, res, %s)\n", how, literal.Go(c.Name), literal.Go(string(c.Place)))
	}
	if len(s.Captures)+len(s.Checks) == 0 {
		b.WriteString("_ = res\n")
	}
	open := false
	for _, c := range s.Checks {
		if c.If != 0 && !open {
			fmt.Fprintf(b, "if res.code == %d {\n", c.If)
			open = true
		}
		w.check(b, c)
		if c.Kind == CheckStatus && s.Ends && len(c.Statuses) > 1 {
			fmt.Fprintf(b, "if res.code != %d {\nreturn // what follows leans on what was not made\n}\n", c.Statuses[0])
		}
	}
	if open {
		b.WriteString("}\n")
	}
}

// request writes a request.
func (w *goWriter) request(s Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "request{\nmethod: %s, target: %s,\n", literal.Go(s.Method), goText(s.Target))
	if len(s.Headers) > 0 {
		b.WriteString("headers: []header{\n")
		for _, h := range s.Headers {
			if strings.EqualFold(h.Name, "Accept-Encoding") {
				h.Value = goCodings(h.Value)
			}
			fmt.Fprintf(&b, "{%s, %s},\n", literal.Go(h.Name), goText(h.Value))
		}
		b.WriteString("},\n")
	}
	if s.Body != nil {
		body := literal.Go(string(s.Body.Bytes))
		if s.Body.Bytes == nil {
			body = goText(s.Body.Text)
		}
		if body != `""` {
			b.WriteString("body: " + body + ",\n")
		}
		if s.Body.Chunked {
			b.WriteString("chunked: true,\n")
		}
	}
	if s.Base != "" {
		fmt.Fprintf(&b, "base: %s,\n", literal.Go(s.Base))
	}
	return b.String() + "}"
}

// goCodings leaves the content codings that the standard library reads.
func goCodings(t Text) Text {
	if len(t) != 1 || !t[0].literal() {
		return t
	}
	var out []string
	for c := range strings.SplitSeq(t[0].Literal, ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(c)), ";")
		if name = strings.TrimSpace(name); name != "br" && name != "zstd" && name != "*" {
			out = append(out, strings.TrimSpace(c))
		}
	}
	if len(out) == 0 {
		out = []string{"identity"}
	}
	return Text{{Literal: strings.Join(out, ", ")}}
}

// goText writes a text as an expression.
func goText(t Text) string {
	parts := make([]string, len(t))
	for i, p := range t {
		parts[i] = goPiece(p)
	}
	if len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, " + ")
}

func goPiece(p Piece) string {
	x := "c.bound(" + literal.Go(p.Bound) + ")"
	switch {
	case p.Host:
		return "res.host"
	case p.Secret != "":
		x = "secret(" + literal.Go(p.Secret) + ")"
	case p.Bound == "":
		if strings.ContainsAny(p.Literal, `"\`) {
			return goRaw(p.Literal)
		}
		return literal.Go(p.Literal)
	}
	switch p.Escape {
	case InPath:
		return "inPath(" + x + ")"
	case InQuery:
		return "inQuery(" + x + ")"
	case InJSON:
		return "inJSON(" + x + ")"
	case AsJSON:
		return "asJSON(" + x + ")"
	case FromBase64:
		return "fromBase64(" + x + ")"
	}
	return x
}

// goRaw writes a text as a raw string where it can be one on a line.
func goRaw(s string) string {
	if strings.ContainsAny(s, "`\n\r\ufeff") || strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return literal.Go(s)
	}
	return "`" + s + "`"
}

// goLine is how long a JSON text may be, in bytes, to stand on one line.
const goLine = 80

// goJSON writes a JSON text, over several lines where it is long.
func goJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) <= goLine || bytes.ContainsAny(raw, "`\r\ufeff") || json.Indent(&b, raw, "\t", "\t") != nil {
		return goRaw(string(raw))
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return !strconv.IsPrint(r) && r != '\n' && r != '\t' }) {
		return literal.Go(string(raw))
	}
	return "`" + b.String() + "`"
}

// check writes one assertion, with the reason where it asserts less than was recorded.
func (w *goWriter) check(b *strings.Builder, c Check) {
	if c.Why != "" {
		why := c.Why
		if c.Place != "" && c.Off == "" && !strings.HasPrefix(why, "Flaky value") {
			why = oneLine(string(c.Place)) + ": " + why
		}
		b.WriteString("// " + why + "\n")
	}
	if c.Off != "" {
		b.WriteString("// " + c.Off + "\n")
	}
	if line := goAssertion(c); line != "" {
		b.WriteString(line + "\n")
	}
}

func goAssertion(c Check) string {
	place := literal.Go(string(c.Place))
	switch c.Kind {
	case CheckStatus:
		if len(c.Statuses) == 0 {
			return ""
		}
		return "res.status(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Statuses), " ", ", "), "[]") + ")"
	case CheckHeader:
		out := "res.header(" + literal.Go(strings.Join(c.Place.Segments()[1:], "/"))
		for _, l := range c.Lines {
			out += ", " + goText(l)
		}
		return out + ")"
	case CheckCookie:
		return "res.cookie(" + goText(c.Name) + ")"
	case CheckEmpty:
		return "res.empty()"
	case CheckText:
		return "res.text(" + goText(c.Text) + ")"
	case CheckDigest:
		return fmt.Sprintf("res.digest(%d, %s)", c.Length, literal.Go(c.SHA256))
	case CheckSize:
		return fmt.Sprintf("res.size(%d)", c.Length)
	case CheckJSON:
		return "res.json(" + goJSON(c.JSON) + ", " + goPlaces("masks", c.Masks) + ", " + goPlaces("absent", c.Absent) + ")"
	case CheckOutline:
		out := fmt.Sprintf("res.outline(%d", c.Length)
		for _, k := range c.Keys {
			out += ", " + literal.Go(k)
		}
		return out + ")"
	case CheckHolds:
		return goHolds(place, c)
	case CheckItems:
		return fmt.Sprintf("res.items(%s, %s, %s, %s, %t)", place, goJSON(c.JSON), goPlaces("masks", c.Masks), goPlaces("absent", c.Absent), c.AsSet)
	case CheckEqual:
		if c.Suffix {
			return "res.ends(" + place + ", " + goText(c.Text) + ")"
		}
		return "res.equal(" + place + ", " + goText(c.Text) + ")"
	case CheckRelated:
		out := "res.related(" + literal.Go(string(c.Relation)) + ", " + place
		for _, p := range c.Of {
			out += ", " + literal.Go(string(p))
		}
		return out + ")"
	}
	return ""
}

func goPlaces(kind string, places []exchange.Place) string {
	if len(places) == 0 {
		return "nil"
	}
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = literal.Go(string(p))
	}
	return kind + "{" + strings.Join(out, ", ") + "}"
}

// goHolds writes what is true of a value that moves; "" where nothing is.
func goHolds(place string, c Check) string {
	h := c.Holds
	var said []string
	add := func(name, value string) { said = append(said, name+": "+value) }
	text := func(name, value string) {
		if value != "" {
			add(name, goRaw(value))
		}
	}
	text("Type", h.Type)
	text("Equal", string(h.Equal))
	if len(h.OneOf) > 0 {
		values := make([]string, len(h.OneOf))
		for i, raw := range h.OneOf {
			values[i] = string(raw)
		}
		text("OneOf", "["+strings.Join(values, ", ")+"]")
	}
	if h.Pattern != "" {
		text("Pattern", strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$"))
	} else if notation.FormatPattern(h.Format) != "" {
		text("Format", h.Format)
	}
	text("Low", h.Min.String())
	text("High", h.Max.String())
	for _, l := range []struct {
		name  string
		value *int
	}{{"MinLength", h.MinLength}, {"MaxLength", h.MaxLength}} {
		if l.value != nil && *l.value > 0 {
			add(l.name, strconv.Itoa(*l.value))
		}
	}
	if h.Clock > 0 {
		add("Clock", strconv.Itoa(h.Clock))
	}
	if h.Echo == string(hostPlace) {
		add("Host", "true")
	}
	if len(said) == 0 {
		return ""
	}
	if c.Optional {
		add("Optional", "true")
	}
	return "res.holds(" + place + ", says{" + strings.Join(said, ", ") + "})"
}
