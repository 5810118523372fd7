package python

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// dialect is EvoMaster's Python format: unittest, requests, bare assert statements.
type dialect struct{}

// Dialect is EvoMaster's Python format.
func Dialect() script.Dialect {
	return script.Dialect{Name: "EvoMaster's tests in Python (.py)", Extensions: []string{".py"}, Mark: "# ",
		Read: dialect{}.read}
}

func (l dialect) writer() script.Writer {
	return script.Writer{Assert: l.write, Disable: l.disable, Path: l.path, Behind: script.Lines, CountsMembers: true,
		Optional: l.optional,
		Guard:    l.guarded, Define: l.define, Skip: l.skip,
		Graft: &script.Grafter{SetUp: l.setUp, URL: l.url, Body: l.payload, Header: l.header, Fresh: freshText}}
}

// write keeps an assertion one line that begins with assert.
func (dialect) write(_ *script.Script, _ *script.Test, _ *script.Assertion, x expr.Expr) (string, bool) {
	text, ok := source.Source(x)
	return "assert " + text, ok && !strings.ContainsAny(text, "\r\n")
}

func (dialect) disable(s *script.Script, a *script.Assertion) []script.Edit {
	return s.CommentOut(a.At)
}

// optional reads a header with get: a subscript raises where there is none.
func (dialect) optional(s *script.Script, k *script.Extraction) (string, expr.Expr, bool) {
	index, ok := k.Value.(expr.Index)
	if !ok || script.ExtractedHeader(k.Value) == "" {
		return "", nil, false
	}
	x := expr.Get{X: index.X, Key: index.I, Default: expr.Str{}}
	before := s.Text[k.At.Start:k.At.End]
	return strings.Replace(strings.TrimSuffix(before, "]"), "headers[", "headers.get(", 1) + ", '')", x, true
}

// guarded takes an empty text where the answer has another status than the one that has what is taken.
func (dialect) guarded(s *script.Script, k *script.Extraction, c *script.Call) (string, expr.Expr) {
	cond := expr.Cmp(expr.Answer{Var: c.Var}, expr.Eq, expr.Numeral(c.ExpectedStatus))
	return s.Text[k.At.Start:k.At.End] + " if " + source.Write(cond) + " else ''", expr.If{Cond: cond, Then: k.Value,
		Else: expr.Str{}}
}

// define knows that the generator writes the assignment of a body only where there is a payload to write, so that none
// was sent.
func (dialect) define(c *script.Call) ([]string, bool) {
	return []string{"body = {}"}, c.Unset == "body"
}

func (dialect) skip(reason string) string {
	return "@unittest.skip(" + literal.Python("flaketap: "+reason) + ")"
}

func (dialect) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	return strings.TrimPrefix(source.Write(subject), t.Calls[a.Call].Var+".json()")
}

// setUp hands the clean-up to unittest at once, which sends it whatever becomes of the test.
func (dialect) setUp(s *script.Script, _ *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	timeout := "60"
	if strings.Contains(s.Text, emTimeout) {
		timeout = emTimeout
	}
	for _, x := range before {
		open = append(append(open, sending(s, x, timeout)...), "")
	}
	for _, x := range clean {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		open = append(open, "self.addCleanup("+
			strings.Join(append([]string{"requests.request"}, arguments(x, timeout)...), ", ")+")")
	}
	if len(clean) > 0 {
		open = append(open, "")
	}
	return open, nil
}

// emTimeout is the generator's constant for how long a call may take, in seconds; older suites have none.
const emTimeout = "EM_HTTP_TIMEOUT_S"

// sending writes one request of a set-up.
func sending(s *script.Script, x script.SetUpRequest, timeout string) []string {
	var out []string
	if x.Comment != "" {
		out = append(out, s.Comment(x.Comment))
	}
	out = append(out, x.Var+" = requests.request("+strings.Join(arguments(x, timeout), ", ")+")")
	if x.Status != 0 {
		out = append(out, s.Comment(script.SetUpMustSucceed), fmt.Sprintf("assert %s.status_code == %d", x.Var, x.Status))
	}
	for _, k := range x.Captures {
		out = append(out, k.Name+" = "+taken(x.Var, k))
	}
	return out
}

// arguments are what requests.request takes to send it.
func arguments(x script.SetUpRequest, timeout string) []string {
	args := []string{literal.Python(x.Method), "self.baseUrlOfSut + " + pyParts(x.Target)}
	if len(x.Headers) > 0 {
		var pairs []string
		for _, f := range x.Headers {
			pairs = append(pairs, literal.Python(f.Name)+": "+pyParts(f.Value))
		}
		args = append(args, "headers={"+strings.Join(pairs, ", ")+"}")
	}
	if len(x.Body) > 0 {
		args = append(args, "data=("+pyParts(x.Body)+").encode()")
	}
	return append(args, "timeout="+timeout, "verify=False", "allow_redirects=False")
}

// pyParts writes a text of which parts are variables.
func pyParts(parts []script.TextPart) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.Variable; p.Variable == "" {
			out[i] = literal.Python(p.Text)
		}
	}
	return strings.Join(out, " + ")
}

// taken writes the text that is taken from an answer.
func taken(name string, k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return name + ".text.strip()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		return fmt.Sprintf("requests.utils.unquote(requests.utils.urlparse(%s.headers[%s]).path.split(\"/\")[%s + 1])", name,
			literal.Python(s[1]), s[3])
	case s[0] == "header":
		return name + ".headers[" + literal.Python(s[1]) + "]"
	}
	x := name + ".json()"
	for _, step := range k.Steps {
		x += "[" + source.Write(step) + "]"
	}
	return "str(" + x + ")"
}

func (dialect) url(_ *script.Script, _ *script.Call, target []script.TextPart) string {
	return "self.baseUrlOfSut + " + pyParts(target)
}

func (dialect) header(_ *script.Script, _ *script.Call, value []script.TextPart) string {
	return pyParts(value)
}

func (dialect) payload(_ *script.Script, _ *script.Call, body []script.TextPart) string {
	return pyParts(body)
}

// Parse reads one expression.
func Parse(text string) (expr.Expr, error) {
	st, err := syntax.Statements("", text)
	if err != nil {
		return nil, err
	}
	if len(st) != 1 {
		return nil, errors.New("want one expression")
	}
	x, err := syntax.ParseExpr(st[0].Tokens)
	if err != nil {
		return nil, err
	}
	return meaning.Of(x), nil
}
