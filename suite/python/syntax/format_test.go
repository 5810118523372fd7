package syntax

import (
	"fmt"
	"testing"
)

// What makes a text by % or by format is read as the f-string that makes it; what says more than where a value stands
// stays what it was.
func TestFormatted(t *testing.T) {
	for source, want := range map[string]string{
		`"/cars/%s" % x`:           `f"/cars/{x}"`,
		`"/%s/%d%%" % (x, y)`:      `f"/{x}/{y}%"`,
		`"/cars/{}/{}".format(x)`:  "",
		`"/cars/{}".format(x)`:     `f"/cars/{x}"`,
		`"{1}{0}{{}}".format(x,y)`: `f"{y}{x}{{}}"`,
		`"/{name}".format(name=x)`: `f"/{x}"`,
		`"/{0.a}".format(x)`:       "",
		`"/{:03}".format(x)`:       "",
		`"{}}".format(x)`:          "",
		`"{".format(x)`:            "",
		`"/%05d" % x`:              "",
		`"%s" % (x, y)`:            "",
		`"%s%s" % x`:               "",
		`"100%" % x`:               "",
		`x % y`:                    "",
		`x.format(y)`:              "",
		`"%(name)s" % {"name": x}`: "",
	} {
		x := expression(t, source)
		got := Formatted(x)
		other := x
		if want != "" {
			other = expression(t, want)
		}
		if text(got) != text(other) {
			t.Errorf("%s is %s, want %s", source, text(got), text(other))
		}
	}
}

// text is an expression with the texts that follow each other put together.
func text(x Node) string {
	all, ok := x.(Text)
	if !ok {
		return fmt.Sprintf("%#v", x)
	}
	out := ""
	for _, part := range all.Parts {
		if s, ok := part.(StrLit); ok {
			out += s.S
			continue
		}
		out += fmt.Sprintf("<%#v>", part)
	}
	return out
}

func expression(t *testing.T, source string) Node {
	t.Helper()
	st, err := Statements("", source)
	if err != nil || len(st) != 1 {
		t.Fatal(source, err)
	}
	p := parser{tokens: st[0].Tokens}
	x, err := p.or()
	if err != nil || p.pos < len(p.tokens) {
		t.Fatal(source, err)
	}
	return x
}
