package gotest

import (
	"embed"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

//go:embed runtime/flaketap_client_test.go runtime/flaketap_answer_test.go runtime/flaketap_digest_test.go
//go:embed runtime/flaketap_checks_test.go runtime/flaketap_related_test.go runtime/flaketap_token_test.go
//go:embed runtime/flaketap_mocks_test.go
var runtime embed.FS

// mod is the module of the generated project: it needs no other.
const mod = "module apitest\n\ngo 1.24\n"

// mocksFile is that of the runtime which only tests need that say what external services answer.
const mocksFile = "flaketap_mocks_test.go"

// Write writes a plan as a Go module of tests, which needs the standard library only.
func Write(p plan.Plan) ([]suite.File, error) {
	w := &writer{plan: p, common: plan.CommonOf(p), names: map[string]bool{}, headers: p.SharedHeaders()}
	var steps []plan.Step
	steps, w.shared = plan.SharedSetUps(p.Tests)
	sources := map[string]string{"flaketap_recorded_test.go": w.recorded() + w.setUps(steps)}
	if len(w.common.Headers) > 0 {
		sources["flaketap_common_test.go"] = w.commonChecks()
	}
	names, by := plan.Groups(p.Tests)
	for _, group := range names {
		var b strings.Builder
		b.WriteString("// Made by flaketap from a recording. Each test runs by itself: it creates what it needs.\n" +
			w.whereCommon() + "\npackage apitest\n\nimport \"testing\"\n")
		for _, t := range by[group] {
			w.test(&b, t)
		}
		// so that no name ends in that of a system, which would be a condition
		sources[group+"_api_test.go"] = b.String()
	}
	var files []suite.File
	entries, err := runtime.ReadDir("runtime")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == mocksFile && len(p.Mocks) == 0 {
			continue
		}
		data, err := runtime.ReadFile("runtime/" + e.Name())
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
	secrets, err := plan.SecretsFile(p)
	return append(files, secrets, suite.File{Name: "go.mod", Data: []byte(mod), Perm: 0o644},
		suite.File{Name: ".gitignore", Data: []byte("secrets.json\n"), Perm: 0o644}), err
}

// writer writes one module.
type writer struct {
	plan    plan.Plan
	common  plan.Common
	shared  map[uint64]string // the names of the shared set-ups, by exchange
	names   map[string]bool   // those of functions that are taken
	headers []plan.Header     // those that go with each request
}

// recorded writes what was recorded: where, and the values that answers gave.
func (w *writer) recorded() string {
	var b strings.Builder
	b.WriteString("// Where the recording was made, the values that its answers gave, and what tests share.\n\npackage apitest\n\n")
	fmt.Fprintf(&b, "// target is the API that was recorded; FLAKETAP_URL names another.\nconst target = %s\n\n",
		literal.Go(w.plan.Target))
	b.WriteString("// usual returns the headers that go with each request.\nfunc (c *client) usual() []header {\nreturn " +
		goHeaders(w.headers) + "\n}\n\n")
	b.WriteString("// recorded returns a recorded value, which is used until an answer gives another.\n" +
		"func (c *client) recorded(name string) string {\n\tswitch name {\n")
	for _, v := range w.plan.Bound {
		value := goText(v.Recorded)
		if v.Fresh {
			value = "thisRun"
		}
		fmt.Fprintf(&b, "case %s: // %s\nreturn %s\n", literal.Go(v.Name), plan.OneLine(v.From), value)
	}
	b.WriteString("}\nreturn \"\"\n}\n\n// formats are the regular expressions of notations, by name.\nvar formats = map[string]string{\n")
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
func (w *writer) setUps(steps []plan.Step) string {
	var b strings.Builder
	for _, s := range steps {
		name := w.setUpName(s)
		fmt.Fprintf(&b, "\n// %s is %s, sent once for all tests.\nvar %s = once{%s, func(c *client) {\n", name,
			plan.OneLine(s.Title), name, literal.Go(name))
		w.step(&b, s, ":=")
		b.WriteString("}}\n")
	}
	return b.String()
}

func (w *writer) setUpName(s plan.Step) string { return "setUp" + plan.Camel(w.shared[s.Seq]) }

// test writes one test.
func (w *writer) test(b *strings.Builder, t plan.Test) {
	name := "Test" + plan.Camel(t.Name)
	if w.names[name] {
		name = "Test_" + t.Name
	}
	w.names[name] = true
	b.WriteString("\n")
	for _, line := range t.About {
		b.WriteString("// " + plan.OneLine(line) + "\n")
	}
	args := "t"
	for _, s := range t.Steps {
		if s.Once {
			args += ", " + w.setUpName(s)
		}
	}
	fmt.Fprintf(b, "func %s(t *testing.T) {\nc := begin(%s)\n", name, args)
	if t.Mock != "" {
		how := "mocks"
		if t.Hangs() {
			how = "mocksHang"
		}
		fmt.Fprintf(b, "c.%s(%s)\n", how, literal.Go(t.Mock))
	}
	for _, s := range slices.Backward(t.Steps) { // what is to be done last is said first
		if s.Role == plan.CleanUp {
			w.cleanUp(b, s)
		}
	}
	assign := ":="
	for _, s := range t.Steps {
		if s.Once || s.Role == plan.CleanUp {
			continue
		}
		if s.Left == "" {
			s.Left = unsendable(s)
		}
		b.WriteString("\n")
		w.step(b, s, assign)
		if s.Left == "" && s.Ending == plan.Answered {
			assign = "="
		}
	}
	if assign == ":=" {
		b.WriteString("_ = c\n")
	}
	b.WriteString("}\n")
}

// cleanUp writes a request that takes away what the test made, if it was made.
func (w *writer) cleanUp(b *strings.Builder, s plan.Step) {
	names := ""
	for _, name := range s.Given {
		names += ", " + literal.Go(name)
	}
	fmt.Fprintf(b, "// Clean-up: %s\nc.after(func() request { return %s }%s)\n", plan.OneLine(s.Title),
		w.request(s), names)
}

// unsendable says why net/http does not send a request; "" where it does.
func unsendable(s plan.Step) string {
	token := func(name string) bool {
		return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
			return r <= ' ' || r > '~' ||
				strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
		})
	}
	if !token(s.Method) {
		return "net/http does not send this method"
	}
	for _, h := range s.Headers {
		bad := slices.ContainsFunc(h.Value, func(p plan.Piece) bool {
			return strings.ContainsFunc(p.Literal, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
		})
		if bad || !token(h.Name) {
			return "net/http does not send this header"
		}
	}
	if len(s.Target) > 0 && !strings.HasPrefix(s.Target[0].Literal, "/") || strings.HasPrefix(s.Target[0].Literal, "//") {
		return "net/http does not send this target"
	}
	return ""
}

// step writes the sending of one request, what is kept of the answer, and what is asserted. assign is the operator that
// gives the answer its name.
func (w *writer) step(b *strings.Builder, s plan.Step, assign string) {
	if s.Left != "" {
		fmt.Fprintf(b, "// %s is left out: %s.\n", plan.OneLine(s.Title), plan.Visible(s.Left))
		return
	}
	head := plan.OneLine(s.Title)
	if s.Role == plan.SetUp {
		head = "Set-up: " + head
	}
	fmt.Fprintf(b, "// %s\n", head)
	if len(s.Given) > 0 {
		names := make([]string, len(s.Given))
		for i, name := range s.Given {
			names[i] = literal.Go(name)
		}
		fmt.Fprintf(b, "c.require(%s)\n", strings.Join(names, ", "))
	}
	if s.Ending != plan.Answered {
		fmt.Fprintf(b, "c.ends(%s, %d, %s)\n", w.request(s), s.EndsWithin(), literal.Go(string(s.Ending)))
		return
	}
	if seen := s.Wait.Comment(); seen != "" {
		fmt.Fprintf(b, "// %s\n", seen)
	}
	fmt.Fprintf(b, "res %s c.send(%s)\n", assign, w.request(s))
	s = w.common.Fold(s)
	statements := s.Statements()
	if len(statements) == 0 {
		b.WriteString("_ = res\n")
	}
	w.statements(b, statements)
}

// statements writes what is kept of an answer, and what is asserted.
func (w *writer) statements(b *strings.Builder, list []plan.Statement) {
	for _, s := range list {
		switch {
		case s.Keep != nil:
			how := "take"
			if s.Keep.Find {
				how = "find"
			}
			fmt.Fprintf(b, "c.%s(%s, res, %s)\n", how, literal.Go(s.Keep.Name), literal.Go(string(s.Keep.Place)))
		case s.Gone != "":
			fmt.Fprintf(b, "c.gone(%s, res)\n", literal.Go(s.Gone))
		case s.Assert != nil:
			w.check(b, s.Assert)
		case s.SkipUnless != 0:
			fmt.Fprintf(b, "if res.code != %d {\nc.t.Skip(%s)\n}\n", s.SkipUnless, literal.Go(plan.NotMade))
		default:
			fmt.Fprintf(b, "if res.code == %d {\n", s.Only)
			w.statements(b, s.Then)
			b.WriteString("}\n")
		}
	}
}

// goHeaders writes headers as a list.
func goHeaders(headers []plan.Header) string {
	var b strings.Builder
	if len(headers) == 0 {
		return "nil"
	}
	b.WriteString("[]header{\n")
	for _, h := range headers {
		if strings.EqualFold(h.Name, "Accept-Encoding") {
			h.Value = codings(h.Value)
		}
		fmt.Fprintf(&b, "{%s, %s},\n", literal.Go(h.Name), goText(h.Value))
	}
	b.WriteString("}")
	return b.String()
}

// request writes a request.
func (w *writer) request(s plan.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "request{\nmethod: %s, target: %s,\n", literal.Go(s.Method), goText(s.Target))
	sent, without := plan.Without(s.OwnHeaders(w.headers))
	if len(sent) > 0 {
		b.WriteString("headers: " + goHeaders(sent) + ",\n")
	}
	if len(without) > 0 {
		fmt.Fprintf(&b, "without: %#v,\n", without)
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
	switch s.Base {
	case "":
	case plan.MocksBase:
		b.WriteString("base: c.services(),\n")
	default:
		fmt.Fprintf(&b, "base: %s,\n", literal.Go(s.Base))
	}
	if s.Wait != nil {
		b.WriteString("until: " + until(s.Wait) + ",\n")
	}
	return b.String() + "}"
}

// codings leaves the content codings that the standard library reads.
func codings(t plan.Text) plan.Text {
	if len(t) != 1 || !t[0].IsLiteral() {
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
	return plan.Text{{Literal: strings.Join(out, ", ")}}
}

// goText writes a text as an expression.
func goText(t plan.Text) string {
	parts := make([]string, len(t))
	for i, p := range t {
		parts[i] = piece(p)
	}
	if len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, " + ")
}

func piece(p plan.Piece) string {
	x := "c.bound(" + literal.Go(p.Bound) + ")"
	switch {
	case p.Host:
		return "res.host"
	case p.Secret != "":
		x = "c.secret(" + literal.Go(p.Secret) + ")"
	case p.Bound == "":
		if strings.ContainsAny(p.Literal, `"\`) {
			return goRaw(p.Literal)
		}
		return literal.Go(p.Literal)
	}
	switch p.Escape {
	case plan.InPath:
		return "inPath(" + x + ")"
	case plan.InQuery:
		return "inQuery(" + x + ")"
	case plan.InJSON:
		return "inJSON(" + x + ")"
	case plan.AsJSON:
		return "asJSON(" + x + ")"
	case plan.FromBase64:
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
