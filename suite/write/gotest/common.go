package gotest

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// whereCommon tells readers of a file of tests where the shared checks are.
func (w *writer) whereCommon() string {
	if len(w.common.Headers) == 0 {
		return ""
	}
	return "// What most answers have in common is asserted by common, in flaketap_common_test.go.\n"
}

// commonChecks writes what most answers have in common: a method of answer, which the tests call.
func (w *writer) commonChecks() string {
	var b strings.Builder
	b.WriteString("// What most answers have in common. A test calls common, and asserts all else by itself.\n\n" +
		"package apitest\n\n")
	if w.common.Excepts {
		b.WriteString("import \"slices\"\n\n// except is the name of a header, in lower case.\ntype except string\n\n")
	}
	b.WriteString("// common asserts the status, and the headers that most answers have in common")
	if w.common.Excepts {
		b.WriteString("; but names those that\n// this answer lacks, or has otherwise.\n" +
			"func (res *answer) common(status int, but ...except) {\n")
	} else {
		b.WriteString(".\nfunc (res *answer) common(status int) {\n")
	}
	b.WriteString("res.t.Helper()\nres.status(status)\n")
	for _, h := range w.common.Headers {
		if w.common.Excepts {
			fmt.Fprintf(&b, "if !slices.Contains(but, %s) {\n", literal.Go(h.Name))
		}
		for i := range h.Checks {
			w.check(&b, &h.Checks[i])
		}
		if w.common.Excepts {
			b.WriteString("}\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}
