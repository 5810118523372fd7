package jest

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// commonChecks writes the module of what most answers have in common.
func (w *writer) commonChecks() string {
	f := &testFile{used: map[string]bool{}}
	b := &block{file: f, indent: 2}
	b.line("expect(res.status).toBe(status);")
	for _, h := range w.common.Headers {
		if w.common.Excepts {
			b.line("if (!except.includes(" + literal.PrettyJavaScript(h.Name) + ")) {")
			b.indent += 2
		}
		for i := range h.Checks {
			b.check(&h.Checks[i])
		}
		if w.common.Excepts {
			b.indent -= 2
			b.line("}")
		}
	}
	head := "// What most answers have in common. A test calls expectCommon, and expects all else by itself.\n\n"
	if len(f.used) > 0 {
		head += f.imports() + "\n"
	}
	if w.common.Excepts {
		head += "/**\n * Expects the status, and the headers that most answers have in common; except names those that\n" +
			" * this answer lacks, or has otherwise.\n */\nfunction expectCommon(res, status, { except = [] } = {}) {\n"
	} else {
		head += "/** Expects the status, and the headers that most answers have in common. */\n" +
			"function expectCommon(res, status) {\n"
	}
	return head + strings.Join(b.lines, "") + "}\n\nmodule.exports = { expectCommon };\n"
}

// commonCall is the call of that module's function.
func commonCall(c *plan.Check) javascript.Node {
	args := []javascript.Node{javascript.Name("res"), javascript.Int(c.Statuses[0])}
	if len(c.Except) > 0 {
		names := javascript.List(javascript.Strings(c.Except)...)
		args = append(args, javascript.Node{}.With("except", names))
	}
	return javascript.Call("expectCommon", args...)
}
