package polling

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/script"
)

// Read is an expression that sends a read and gives its answer.
type Read struct {
	Call *ast.CallExpr
	Pair bool // it gives an error too
}

// Site is where a test sends a read.
type Site struct {
	*source.File
	Test   *script.Test
	Body   *ast.BlockStmt // of the test
	Tester string         // the expression of its *testing.T
	Read   Read           // what gives its answer to the test; none where nothing does
	Sent   Sent           // what sends it
}

// Write returns the edits. There are none where the read stands in a way that is not understood.
func (s Site) Write(w script.Wait) []script.Edit {
	at := slices.IndexFunc(s.Body.List, func(st ast.Stmt) bool { return s.Offset(st.Pos()) == w.Call.At.Start })
	ready, said := condition(w.Ready)
	failed, saidToo := condition(w.Failed)
	name, helper := s.helper()
	if at < 0 || !said || !saidToo || name == "" || s.Tester == "" || !s.OwnLines(w.Call.At) {
		return nil
	}
	poll := func(sends string) string {
		line := s.Script.EOL() + w.Call.At.Indent
		return strings.Join([]string{
			fmt.Sprintf("%s(%s, %d*time.Millisecond, %d*time.Millisecond,", name, s.Tester,
				w.Atmost.Milliseconds(), w.Every.Milliseconds()),
			"\tfunc() (*http.Response, error) {" + strings.ReplaceAll(sends, "\n", line+"\t") + "},", "\t" + ready + ",",
			"\t" + failed + ")"}, line)
	}
	edits := s.around(w, s.Body.List[at], poll)
	if edits == nil {
		edits = s.ahead(w, s.Body.List[at], poll)
	}
	if edits == nil {
		return nil
	}
	return slices.Concat(helper, s.sleeps(w.Call, at), s.imports(), edits)
}

// around are the edits by which the read is sent again where it stands: the statement has the last answer. There are
// none where nothing gives that answer to the statement, or only after somebody has looked into it.
func (s Site) around(w script.Wait, st ast.Stmt, poll func(sends string) string) []script.Edit {
	if s.Read.Call == nil || !s.untouched() || !isAlways(st, s.Read.Call) || !isOneOf(st) {
		return nil
	}
	read, line := s.Source(s.Read.Call), s.Script.EOL()+w.Call.At.Indent
	if strings.ContainsAny(read, "\r\n") {
		return nil
	}
	start, end := s.Offset(s.Read.Call.Pos()), s.Offset(s.Read.Call.End())
	comment := s.Script.Comment(w.Comment) + line
	put := func(at int, text string) script.Edit { return script.Edit{Start: at, End: at, Text: text} }
	if s.Read.Pair {
		if !s.assigns(st) {
			return nil
		}
		return []script.Edit{put(w.Call.At.Start, comment), {Start: start, End: end, Text: poll(" return " + read + " ")}}
	}
	call := poll(" return " + read + ", nil ")
	if given, ok := st.(*ast.AssignStmt); ok && s.assigns(given) { // the one name that it gives
		given := s.Text(given.Pos(), given.Lhs[0].End()) + ", _" + s.Text(given.Lhs[0].End(), s.Read.Call.Pos())
		return []script.Edit{{Start: w.Call.At.Start, End: end, Text: comment + given + call}}
	}
	answer := fmt.Sprintf("answer%d", 1+slices.Index(s.Test.Calls, w.Call))
	if strings.Contains(s.Script.Text, answer) || !s.isSeen(s.Read.Call, st) {
		return nil
	}
	return []script.Edit{put(w.Call.At.Start, comment+answer+", _ := "+call+line), {Start: start, End: end, Text: answer}}
}

// ahead are the edits by which the read is sent, as the function sends it that looks into its answer, until that is
// ready; then the statement has the function send it once more. It is the only request of the statement.
func (s Site) ahead(w script.Wait, st ast.Stmt, poll func(sends string) string) []script.Edit {
	if !isOneOf(st) || slices.ContainsFunc(s.Test.Calls, func(c *script.Call) bool {
		return c != w.Call && c.At.Start == w.Call.At.Start
	}) {
		return nil
	}
	sends, ok := s.request(st)
	if !ok {
		return nil
	}
	line := s.Script.EOL() + w.Call.At.Indent
	text := s.Script.Comment(w.Comment) + line + "_, _ = " + poll(sends) + line
	return []script.Edit{{Start: w.Call.At.Start, End: w.Call.At.Start, Text: text}}
}

// assigns reports whether a statement, or the head of one, gives what the read gives to names, and does no more.
func (s Site) assigns(st ast.Stmt) bool {
	if head, ok := st.(*ast.IfStmt); ok && s.Read.Pair {
		st = head.Init
	}
	given, ok := st.(*ast.AssignStmt)
	return ok && len(given.Rhs) == 1 && given.Rhs[0] == ast.Expr(s.Read.Call) &&
		(given.Tok == token.DEFINE || given.Tok == token.ASSIGN && s.Read.Pair)
}

// isOneOf reports whether a statement is one before which another may stand.
func isOneOf(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.AssignStmt, *ast.DeclStmt, *ast.ExprStmt, *ast.IfStmt, *ast.SwitchStmt:
		return true
	}
	return false
}

// untouched reports whether nothing that the read calls looks into its answer.
func (s Site) untouched() bool {
	seen, plain := map[*ast.FuncDecl]bool{}, true
	var follow func(n ast.Node)
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Cleanup" {
				return false // it runs at the end of the test
			}
		case *ast.SelectorExpr:
			plain = plain && !slices.Contains([]string{"Body", "StatusCode", "Status"}, n.Sel.Name)
		case *ast.Ident:
			if d := s.Functions[s.Info.Uses[n]]; d != nil && !seen[d] {
				seen[d] = true
				follow(d.Body)
			}
		}
		return plain
	}
	follow = func(n ast.Node) { ast.Inspect(n, inspect) }
	follow(s.Read.Call)
	return plain
}

// sleeps are the edits that take the sleeps away that stood between a write and the read.
func (s Site) sleeps(c *script.Call, at int) []script.Edit {
	var out []script.Edit
	for _, st := range slices.Backward(s.Body.List[:at]) {
		where := s.Span(st)
		if !s.Test.SleepsBetween(where.Start, c) {
			break
		}
		if edit, ok := s.Script.WithoutLine(where); ok && s.isSleep(st) {
			out = append(out, edit)
		}
	}
	return out
}

// isSleep reports whether a statement does nothing but sleep.
func (s Site) isSleep(st ast.Stmt) bool {
	alone, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := alone.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	of, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.PkgOf(of.X) == "time" && of.Sel.Name == "Sleep"
}

// packages are those that the function is written with.
func packages() []string {
	return []string{"bytes", "encoding/json", "io", "net/http", "testing", "time"}
}

// imports are the edits that import what the function needs.
func (s Site) imports() []script.Edit {
	var out []script.Edit
	for _, pkg := range packages() {
		if _, isNew := s.Library(pkg, s.Body.Pos()); isNew {
			out = append(out, s.Import(pkg))
		}
	}
	return out
}

// helper returns the name of the function, and the edit that defines it where the file does not; "" where its name, or
// one that it is written with, stands for something else. All files of a package share their names: so this one has
// that of the file in it.
func (s Site) helper() (string, []script.Edit) {
	name := "poll" + camel(s.Script.File)
	for _, pkg := range packages() {
		if called, _ := s.Library(pkg, s.Body.Pos()); called != pkg[strings.LastIndexByte(pkg, '/')+1:] {
			return "", nil
		}
	}
	if o := s.Pkg.Scope().Lookup(name); o != nil {
		if isPoll(s.File, s.Functions[o]) && s.Holds(o.Pos()) {
			return name, nil
		}
		return "", nil
	}
	text := "\n" + s.Script.Comment(script.PollRemark) + "\nfunc " + name + function
	if !strings.HasSuffix(s.Script.Text, "\n") {
		text = "\n" + text
	}
	at := len(s.Script.Text)
	return name, []script.Edit{{Start: at, End: at, Text: strings.ReplaceAll(text, "\n", s.Script.EOL()), Once: true}}
}

// camel is the name of a file, without _test.go, as a part of a name of Go.
func camel(file string) string {
	file = script.Slashed(file)
	file = strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".go")
	out, first := "", true
	for _, r := range strings.TrimSuffix(file, "_test") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			first = true
			continue
		case first:
			r = unicode.ToUpper(r)
		}
		out, first = out+string(r), false
	}
	return out
}

// Polled is what a call of the function sends; nil where it is no call of it.
func Polled(f *source.File, x *ast.CallExpr) *ast.FuncLit {
	name, ok := x.Fun.(*ast.Ident)
	if !ok || len(x.Args) < 4 || !isPoll(f, f.Functions[f.Info.Uses[name]]) {
		return nil
	}
	read, _ := x.Args[3].(*ast.FuncLit)
	return read
}

// isPoll reports whether a function is the one that is written here.
func isPoll(f *source.File, d *ast.FuncDecl) bool {
	return d != nil && d.Doc != nil && d.Doc.List[len(d.Doc.List)-1].Text == f.Script.Comment(script.PollRemark)
}

const function = `(t testing.TB, atMost, every time.Duration, read func() (*http.Response, error),
	ready, failed func(status int, body func(path ...any) any) bool) (*http.Response, error) {
	t.Helper()
	for end := time.Now().Add(atMost); ; time.Sleep(every) {
		resp, err := read()
		if err != nil {
			return resp, err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return resp, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(text))
		var decoded any
		_ = json.Unmarshal(text, &decoded)
		body := func(path ...any) any {
			v := decoded
			for _, step := range path {
				name, _ := step.(string)
				i, isIndex := step.(int)
				members, _ := v.(map[string]any)
				items, _ := v.([]any)
				if v = members[name]; isIndex && i < len(items) {
					v = items[i]
				}
			}
			return v
		}
		switch {
		case ready(resp.StatusCode, body):
			return resp, nil
		case failed != nil && failed(resp.StatusCode, body):
			t.Fatalf("it came to a bad end: %d %s", resp.StatusCode, text)
		case time.Now().After(end):
			t.Fatalf("not ready after %s: %d %s", atMost, resp.StatusCode, text)
		}
	}
}
`
