package suite

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// unittest is EvoMaster's Python format: unittest, requests, bare assert statements.
type unittest struct{}

func (unittest) mark() string { return "# " }

// write keeps an assertion one line that begins with assert.
func (unittest) write(_ *Script, _ *Test, _ *Assertion, x expr.Expr) (string, bool) {
	text, ok := pySource(x)
	return "assert " + text, ok && !strings.ContainsAny(text, "\r\n")
}

func (unittest) disable(s *Script, a *Assertion) []edit { return s.commentOut(a.at) }

// lenient reads a header with get: a subscript raises where there is none.
func (unittest) lenient(s *Script, k *taking) (string, expr.Expr, bool) {
	index, ok := k.x.(expr.Index)
	if !ok || takenFrom(k.x) == "" {
		return "", nil, false
	}
	x := expr.Get{X: index.X, Key: index.I, Default: expr.Str{}}
	before := s.text[k.at.start:k.at.end]
	return strings.Replace(strings.TrimSuffix(before, "]"), "headers[", "headers.get(", 1) + ", '')", x, true
}

// guarded takes an empty text where the answer has another status than the one that has what is taken.
func (unittest) guarded(s *Script, k *taking, c *Call) (string, expr.Expr) {
	cond := expr.Cmp(expr.Answer{Var: c.Var}, expr.Eq, expr.Numeral(c.expected))
	return s.text[k.at.start:k.at.end] + " if " + pyWrite(cond) + " else ''", expr.If{Cond: cond, Then: k.x, Else: expr.Str{}}
}

// unset knows that the generator writes the assignment of a body only where there is a payload to write, so that none
// was sent.
func (unittest) unset(c *Call) ([]string, bool) { return []string{"body = {}"}, c.Unset == "body" }

func (unittest) skip(reason string) string {
	return "@unittest.skip(" + literal.Python("flaketap: "+reason) + ")"
}

func (unittest) path(t *Test, a *Assertion, subject expr.Expr) string {
	return strings.TrimPrefix(pyWrite(subject), t.Calls[a.Call].Var+".json()")
}

// setUp hands the clean-up to unittest at once, which sends it whatever becomes of the test.
func (unittest) setUp(s *Script, _ *Test, before, clean []sending) (open, end []string) {
	timeout := "60"
	if strings.Contains(s.text, emTimeout) {
		timeout = emTimeout
	}
	for _, x := range before {
		open = append(append(open, pySending(x, timeout)...), "")
	}
	for _, x := range clean {
		if x.about != "" {
			open = append(open, remark(unittest{}, x.about))
		}
		open = append(open, "self.addCleanup("+strings.Join(append([]string{"requests.request"}, x.pyArguments(timeout)...), ", ")+")")
	}
	if len(clean) > 0 {
		open = append(open, "")
	}
	return open, nil
}

// emTimeout is the generator's constant for how long a call may take, in seconds; older suites have none.
const emTimeout = "EM_HTTP_TIMEOUT_S"

// pySending writes one request of a set-up.
func pySending(x sending, timeout string) []string {
	var out []string
	if x.about != "" {
		out = append(out, remark(unittest{}, x.about))
	}
	out = append(out, x.name+" = requests.request("+strings.Join(x.pyArguments(timeout), ", ")+")")
	if x.status != 0 {
		out = append(out, remark(unittest{}, setUpSucceeds), fmt.Sprintf("assert %s.status_code == %d", x.name, x.status))
	}
	for _, k := range x.takes {
		out = append(out, k.name+" = "+pyTaken(x.name, k))
	}
	return out
}

// pyArguments are what requests.request takes to send it.
func (x sending) pyArguments(timeout string) []string {
	args := []string{literal.Python(x.method), "self.baseUrlOfSut + " + pyParts(x.target)}
	if len(x.headers) > 0 {
		var pairs []string
		for _, f := range x.headers {
			pairs = append(pairs, literal.Python(f.name)+": "+pyParts(f.value))
		}
		args = append(args, "headers={"+strings.Join(pairs, ", ")+"}")
	}
	if len(x.body) > 0 {
		args = append(args, "data=("+pyParts(x.body)+").encode()")
	}
	return append(args, "timeout="+timeout, "verify=False", "allow_redirects=False")
}

// pyParts writes a text of which parts are variables.
func pyParts(parts []part) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.variable; p.variable == "" {
			out[i] = literal.Python(p.text)
		}
	}
	return strings.Join(out, " + ")
}

// pyTaken writes the text that is taken from an answer.
func pyTaken(name string, k take) string {
	s := k.place.Segments()
	switch {
	case k.place == exchange.PlaceBody:
		return name + ".text.strip()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		return fmt.Sprintf("requests.utils.unquote(requests.utils.urlparse(%s.headers[%s]).path.split(\"/\")[%s + 1])", name, literal.Python(s[1]), s[3])
	case s[0] == "header":
		return name + ".headers[" + literal.Python(s[1]) + "]"
	}
	x := name + ".json()"
	for _, step := range k.steps {
		x += "[" + pyWrite(step) + "]"
	}
	return "str(" + x + ")"
}

func (unittest) url(_ *Script, _ *Call, target []part) string {
	return "self.baseUrlOfSut + " + pyParts(target)
}

func (unittest) header(_ *Script, _ *Call, value []part) string { return pyParts(value) }

func (unittest) payload(_ *Script, _ *Call, body []part) string { return pyParts(body) }
