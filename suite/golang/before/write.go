package before

import (
	"fmt"
	"go/ast"
	"go/format"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// Grafter writes set-ups as the file writes its own requests: at the head of a test, to its base URL.
func (f *File) Grafter() *script.Grafter {
	return &script.Grafter{SetUp: f.setUp, Bind: f.bind, Refused: f.refused, Sender: f.sender, Shares: f.shares,
		Able: f.able, Place: f.place, Fresh: f.fresh, Everywhere: f.everywhere, Outside: f.outside,
		FreshOutside: f.freshOutside}
}

// refused says why a test is given no set-up.
func (f *File) refused(s *script.Script, t *script.Test) string {
	if t.BodyStart <= t.Head.Start || s.Text[t.BodyStart-1] != '\n' {
		return "its statements do not stand on lines of their own"
	}
	return ""
}

// sender is why no request can be sent at the head of a test.
func (f *File) sender(_ *script.Script, t *script.Test) string {
	_, why := f.modelOf(t)
	return why
}

// able reports whether a request can be written, with all that it needs.
func (f *File) able(_ *script.Script, t *script.Test, x script.SetUpRequest) bool {
	m, why := f.modelOf(t)
	if why != "" {
		return false
	}
	_, ok := m.url(x.Target)
	bodies := 0
	for _, k := range x.Captures {
		if k.Place == exchange.PlaceBody {
			bodies++
		}
	}
	if !ok || bodies > 0 && bodies < len(x.Captures) || strings.Contains(x.Method, `"`) {
		return false
	}
	for _, pkg := range m.needs(x) {
		if name, _ := f.Library(pkg, m.at); name != base(pkg) {
			return false
		}
	}
	return true
}

// base is how a package is called of itself.
func base(pkg string) string { return pkg[strings.LastIndexByte(pkg, '/')+1:] }

// needs are the packages that a request is written with.
func (m model) needs(x script.SetUpRequest) []string {
	out := []string{"net/http"}
	if len(x.Body) > 0 {
		out = append(out, "strings")
	}
	for _, k := range x.Captures {
		switch s := k.Place.Segments(); {
		case k.Place == exchange.PlaceBody:
			out = append(out, "io", "strings")
		case s[0] == "header" && len(s) == 4:
			out = append(out, "net/url", "strings")
		case s[0] != "header":
			out = append(out, "encoding/json", "fmt")
		}
	}
	return out
}

// setUp sends what goes before. What cleans up is handed to the test, which does it at its end.
func (f *File) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	m, _ := f.modelOf(t)
	var b strings.Builder
	say := func(comment string) {
		if comment != "" {
			b.WriteString(s.Comment(comment) + "\n")
		}
	}
	failing := func(name string) string { return "if " + name + " != nil {\n" + m.test + ".Fatal(" + name + ")\n}\n" }
	const failure = script.SetUpPrefix + "err"
	for _, x := range before {
		say(x.Comment)
		b.WriteString(m.sends(x, x.Var, failure, failing(failure)))
		b.WriteString("defer " + x.Var + ".Body.Close()\n")
		if x.Status != 0 {
			say(script.SetUpMustSucceed)
			fmt.Fprintf(&b, "if %s.StatusCode != %d {\n%s.Fatalf(\"the set-up was answered %%d\", %s.StatusCode)\n}\n", x.Var, x.Status, m.test, x.Var)
		}
		b.WriteString(m.captures(x, failure, failing(failure)))
	}
	if len(clean) > 0 {
		say(clean[0].Comment)
		b.WriteString(m.test + ".Cleanup(func() {\n")
		for _, x := range clean {
			b.WriteString(m.sends(x, x.Var, "err", failing("err")))
			b.WriteString(x.Var + ".Body.Close()\n")
		}
		b.WriteString("})\n")
	}
	return laid(b.String()), nil
}

// laid are statements as gofmt lays them out, line by line; the last line is empty.
func laid(statements string) []string {
	const before = "package p\n\nfunc f() {\n"
	text, err := format.Source([]byte(before + statements + "}\n"))
	if err != nil {
		text = []byte(before + statements + "}\n")
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), before), "}\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "\t")
	}
	return lines
}

// sends writes the statements that send a request.
func (m model) sends(x script.SetUpRequest, name, failure, failing string) string {
	url, _ := m.url(x.Target)
	sent := "nil"
	if len(x.Body) > 0 {
		sent = "strings.NewReader(" + body(trimmed(x.Body)) + ")"
	}
	plain := m.client == "http.DefaultClient"
	kind, only := "", len(x.Headers) == 1 && strings.EqualFold(x.Headers[0].Name, "content-type")
	if only {
		kind = text(x.Headers[0].Value)
	}
	switch {
	case plain && x.Method == "GET" && len(x.Body) == 0 && len(x.Headers) == 0:
		return name + ", " + failure + " := http.Get(" + url + ")\n" + failing
	case plain && x.Method == "POST" && only:
		return name + ", " + failure + " := http.Post(" + url + ", " + kind + ", " + sent + ")\n" + failing
	}
	request := name + "_request"
	out := request + ", " + failure + " := http.NewRequest(" + strconv.Quote(x.Method) + ", " + url + ", " + sent + ")\n" + failing
	for _, h := range x.Headers {
		out += request + ".Header.Add(" + literal.Go(h.Name) + ", " + text(h.Value) + ")\n"
	}
	return out + name + ", " + failure + " := " + m.client + ".Do(" + request + ")\n" + failing
}

// trimmed is a body of JSON without the line feed that an encoder puts behind it.
func trimmed(body []script.TextPart) []script.TextPart {
	if _, isJSON := handset.JSON(body); !isJSON {
		return body
	}
	out := slices.Clone(body)
	last := &out[len(out)-1]
	if last.Text = strings.TrimRight(last.Text, "\r\n"); last.Text == "" && last.Variable == "" {
		out = out[:len(out)-1]
	}
	return out
}

// url writes a URL with another path.
func (m model) url(target []script.TextPart) (string, bool) {
	target, ok := handset.BelowMount(target, m.mount)
	if !ok {
		return "", false
	}
	target[0].Text = m.host + target[0].Text
	written := text(target)
	switch {
	case m.host != "":
		return written, true
	case written == `""`:
		return m.base, true
	}
	return m.base + " + " + written, true
}

// text writes a text of which parts are variables, and body one that has quotes in it.
func text(parts []script.TextPart) string { return put(parts, literal.Go) }

func body(parts []script.TextPart) string {
	return put(parts, func(text string) string {
		if strconv.CanBackquote(text) {
			return "`" + text + "`"
		}
		return literal.Go(text)
	})
}

// put writes the parts of a text one behind the other.
func put(parts []script.TextPart, quoted func(string) string) string {
	var out []string
	for _, p := range parts {
		switch {
		case p.Variable != "":
			out = append(out, p.Variable)
		case p.Text != "" || len(parts) == 1:
			out = append(out, quoted(p.Text))
		}
	}
	return strings.Join(out, " + ")
}

// captures keeps what is taken from an answer.
func (m model) captures(x script.SetUpRequest, failure, failing string) string {
	out := ""
	decoded := x.Var + "_body"
	for _, k := range x.Captures {
		if s := k.Place.Segments(); s[0] != "header" && len(s) > 1 && out == "" {
			root := "map[string]any"
			if _, isList := k.Steps[0].(expr.Num); isList {
				root = "[]any"
			}
			out = x.Var + "_json := json.NewDecoder(" + x.Var + ".Body)\n" + x.Var + "_json.UseNumber()\nvar " + decoded + " " + root + "\n" +
				"if " + failure + " := " + x.Var + "_json.Decode(&" + decoded + "); " + failing[len("if "):]
		}
	}
	for _, k := range x.Captures {
		switch s := k.Place.Segments(); {
		case k.Place == exchange.PlaceBody:
			out += x.Var + "_text, " + failure + " := io.ReadAll(" + x.Var + ".Body)\n" + failing +
				k.Name + " := strings.TrimSpace(string(" + x.Var + "_text))\n"
		case s[0] == "header" && len(s) == 4:
			n, _ := strconv.Atoi(s[3])
			out += k.Name + "_url, " + failure + " := url.Parse(" + x.Var + ".Header.Get(" + literal.Go(s[1]) + "))\n" + failing +
				k.Name + " := strings.Split(" + k.Name + "_url.Path, \"/\")[" + strconv.Itoa(n+1) + "]\n"
		case s[0] == "header":
			out += k.Name + " := " + x.Var + ".Header.Get(" + literal.Go(s[1]) + ")\n"
		default:
			out += k.Name + " := fmt.Sprint(" + decoded + path(k.Steps) + ")\n"
		}
	}
	return out
}

// path writes the steps into a value of JSON.
func path(steps []expr.Expr) string {
	out := ""
	for i, step := range steps {
		n, isList := step.(expr.Num)
		name, _ := step.(expr.Str)
		switch {
		case isList && i > 0:
			out += ".([]any)"
		case i > 0:
			out += ".(map[string]any)"
		}
		if isList {
			out += "[" + n.Text + "]"
		} else {
			out += "[" + literal.Go(name.Value) + "]"
		}
	}
	return out
}

// place puts a set-up at the head of a test, behind what says that it runs beside others, and imports what it needs.
func (f *File) place(s *script.Script, t *script.Test, open, _, _ []string) []script.Edit {
	m, _ := f.modelOf(t)
	at, eol := f.start(t), script.LineEnd(s.Lines[0])
	lines := ""
	for _, line := range open {
		if line != "" {
			line = t.Indent + line
		}
		lines += line + eol
	}
	edits := []script.Edit{{Start: at, End: at, Text: lines}}
	written := strings.Join(open, "\n")
	for _, pkg := range []string{"encoding/json", "fmt", "io", "net/http", "net/url", "strings", "time"} {
		if _, isNew := f.Library(pkg, m.at); isNew && strings.Contains(written, base(pkg)+".") {
			edits = append(edits, f.Import(pkg))
		}
	}
	return edits
}

// start is where a set-up is put: before the first statement of a test, with the comments above it, but behind
// t.Parallel() and the like.
func (f *File) start(t *script.Test) int {
	at, fn := t.BodyStart, f.Tests[t]
	for i, one := range fn.Body.List {
		call, ok := one.(*ast.ExprStmt)
		if !ok || i+1 == len(fn.Body.List) || !isOfTest(call.X) {
			break
		}
		at = f.Starts[f.Line(f.Offset(fn.Body.List[i+1].Pos()))-1]
	}
	return handset.Above(f.Script.Text, at, "//")
}

// isOfTest reports whether a call says how the test runs.
func isOfTest(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && len(call.Args) == 0 && slices.Contains([]string{"Parallel", "Helper"}, method.Sel.Name)
}
