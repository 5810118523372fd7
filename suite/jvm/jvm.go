package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// define declares a location that the generator uses and nothing sets: the helpers take an empty one for none.
func (j *dialect) define(c *script.Call) ([]string, bool) {
	if !strings.HasPrefix(c.Unset, "location_") {
		return nil, false
	}
	if j.kotlin {
		return []string{"val " + c.Unset + `: String? = ""`}, true
	}
	return []string{"String " + c.Unset + ` = "";`}, true
}

func (j *dialect) skip(reason string) string {
	name := "@org.junit.jupiter.api.Disabled("
	if j.old {
		name = "@org.junit.Ignore("
	}
	return name + j.literal("flaketap: "+reason) + ")"
}

// path is the path of a field as a literal within quotes, but where it is the size that is asserted.
func (*dialect) path(_ *script.Test, a *script.Assertion, subject expr.Expr) string {
	p := meaning.Source(subject)
	if p == "" || strings.Contains(a.Text, "size()") || strings.Contains(a.Text, "isEmpty()") {
		return p
	}
	return `"` + p + `"`
}
