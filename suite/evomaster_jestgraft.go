package suite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// setUp sends what goes before at the head of the test. What cleans up stands in a finally around the rest.
func (l jest) setUp(s *Script, t *Test, before, clean []sending) (open, end []string) {
	base := l.base(s, t)
	for _, x := range before {
		if x.about != "" {
			open = append(open, remark(l, x.about))
		}
		open = append(open, "const "+x.name+" = "+x.superagent(s, base))
		if x.status != 0 {
			open = append(open, remark(l, setUpSucceeds), fmt.Sprintf("expect(%s.status).toBe(%d);", x.name, x.status))
		}
		for _, k := range x.takes {
			open = append(open, "const "+k.name+" = "+jsTaken(x.name, base, k)+";")
		}
		open = append(open, "")
	}
	if len(clean) == 0 {
		return open, nil
	}
	if clean[0].about != "" {
		open = append(open, remark(l, clean[0].about))
	}
	open = append(open, "try {")
	end = append(end, "} finally {")
	for _, x := range clean {
		end = append(end, "    "+x.superagent(s, base))
	}
	return open, append(end, "}")
}

// emTimeoutJS is the generator's constant for how long a call may take, in milliseconds; older suites have none.
const emTimeoutJS = "EM_HTTP_TIMEOUT_MS"

// superagent writes the statement that sends a request and takes whatever answer it gets.
func (x sending) superagent(s *Script, base string) string {
	method := "." + strings.ToLower(x.method) + "("
	if !isMethod(strings.ToLower(x.method)) {
		method = "(" + jsQuoted(x.method) + ", "
	}
	text := "await superagent" + method + base + " + " + jsParts(x.target) + ")"
	if strings.Contains(s.text, emTimeoutJS) {
		text += ".timeout({response: " + emTimeoutJS + ", deadline: " + emTimeoutJS + "})"
	}
	for _, f := range x.headers {
		text += ".set(" + jsQuoted(f.name) + ", " + jsParts(f.value) + ")"
	}
	if len(x.body) > 0 {
		text += ".send(" + jsParts(x.body) + ")"
	}
	return text + ".redirects(0).ok(res => res.status);"
}

// jsParts writes a text of which parts are variables.
func jsParts(parts []part) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.variable; p.variable == "" {
			out[i] = jsQuoted(p.text)
		}
	}
	return strings.Join(out, " + ")
}

// jsTaken writes the text that is taken from an answer.
func jsTaken(name, base string, k take) string {
	s := k.place.Segments()
	switch {
	case k.place == exchange.PlaceBody:
		return name + ".text.trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, _ := strconv.Atoi(s[3])
		return fmt.Sprintf("decodeURIComponent(new URL(%s.header[%s], %s).pathname.split(\"/\")[%d])", name, jsQuoted(s[1]), base, n+1)
	case s[0] == "header":
		return name + ".header[" + jsQuoted(s[1]) + "]"
	}
	return "String(" + name + ".body" + jsSteps(k.steps) + ")"
}

// jsSteps writes the way to a value within one.
func jsSteps(steps []expr.Expr) string {
	var b strings.Builder
	for _, step := range steps {
		switch step := step.(type) {
		case expr.Num:
			b.WriteString("[" + step.Text + "]")
		case expr.Str:
			b.WriteString(jsKey(step.Value))
		}
	}
	return b.String()
}

// base returns the source of the base URL: what the suite's own URLs begin with.
func (jest) base(s *Script, t *Test) string {
	if strings.Contains(s.text, "baseUrlOfSut") {
		return "baseUrlOfSut"
	}
	for _, c := range t.Calls {
		if base := baseOf(s.text[c.target.start:c.target.end]); base != "" {
			return base
		}
	}
	return `""`
}

// baseOf returns the source of the base URL that the source of a URL begins with; "" where it is not clear.
func baseOf(url string) string {
	tokens, err := jsTokens("", url)
	if err != nil || len(tokens) == 0 {
		return ""
	}
	switch t := tokens[0]; {
	case t.kind == jsString:
		if base := schemeAndHost.FindString(t.text); base != "" {
			return jsQuoted(base)
		}
	case t.kind == jsTemplate && t.parts[0] == "" && len(t.holes) > 0 && len(t.holes[0]) == 1 && t.holes[0][0].kind == jsWord:
		return t.holes[0][0].text
	case t.kind == jsTemplate:
		if base := schemeAndHost.FindString(t.parts[0]); base != "" {
			return jsQuoted(base)
		}
	case t.kind == jsWord && len(tokens) > 1 && tokens[1].is("+"):
		return t.text
	}
	return ""
}

func (l jest) url(s *Script, c *Call, target []part) string {
	base := baseOf(s.text[c.target.start:c.target.end])
	if base == "" {
		base = l.base(s, &Test{})
	}
	return base + " + " + jsParts(target)
}

func (jest) header(_ *Script, _ *Call, value []part) string { return jsParts(value) }

func (jest) payload(_ *Script, _ *Call, body []part) string { return jsParts(body) }
