package suite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// setUp sends what goes before at the head of the test. What cleans up stands in a finally around the rest.
func (l jest) setUp(s *Script, t *Test, before, clean []sending) (open, end []string) {
	base := l.base(s, t)
	for _, x := range before {
		if x.about != "" {
			open = append(open, s.comment(x.about))
		}
		open = append(open, "const "+x.name+" = "+superagentCall(x, s, base))
		if x.status != 0 {
			open = append(open, s.comment(setUpSucceeds), fmt.Sprintf("expect(%s.status).toBe(%d);", x.name, x.status))
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
		open = append(open, s.comment(clean[0].about))
	}
	open = append(open, "try {")
	end = append(end, "} finally {")
	for _, x := range clean {
		end = append(end, "    "+superagentCall(x, s, base))
	}
	return open, append(end, "}")
}

// emTimeoutJS is the generator's constant for how long a call may take, in milliseconds; older suites have none.
const emTimeoutJS = "EM_HTTP_TIMEOUT_MS"

// superagentCall writes the statement that sends a request and takes whatever answer it gets.
func superagentCall(x sending, s *Script, base string) string {
	method := "." + strings.ToLower(x.method) + "("
	if !isMethod(strings.ToLower(x.method)) {
		method = "(" + literal.JavaScript(x.method) + ", "
	}
	text := "await superagent" + method + base + " + " + jsParts(x.target) + ")"
	if strings.Contains(s.text, emTimeoutJS) {
		text += ".timeout({response: " + emTimeoutJS + ", deadline: " + emTimeoutJS + "})"
	}
	for _, f := range x.headers {
		text += ".set(" + literal.JavaScript(f.name) + ", " + jsParts(f.value) + ")"
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
			out[i] = literal.JavaScript(p.text)
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
		return fmt.Sprintf("decodeURIComponent(new URL(%s.header[%s], %s).pathname.split(\"/\")[%d])", name, literal.JavaScript(s[1]), base, n+1)
	case s[0] == "header":
		return name + ".header[" + literal.JavaScript(s[1]) + "]"
	}
	return "String(" + name + ".body" + jsSteps(k.steps) + ")"
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
			return literal.JavaScript(base)
		}
	case t.kind == jsTemplate && t.parts[0] == "" && len(t.holes) > 0 && len(t.holes[0]) == 1 && t.holes[0][0].kind == jsWord:
		return t.holes[0][0].text
	case t.kind == jsTemplate:
		if base := schemeAndHost.FindString(t.parts[0]); base != "" {
			return literal.JavaScript(base)
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
