package superagent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// SetUp sends what goes before at the head of the test. What cleans up stands in a finally around the rest.
func SetUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	base := baseIn(s, t)
	for _, x := range before {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		open = append(open, "const "+x.Var+" = "+superagentCall(x, s, base))
		if x.Status != 0 {
			open = append(open, s.Comment(script.SetUpMustSucceed), fmt.Sprintf("expect(%s.status).toBe(%d);", x.Var, x.Status))
		}
		for _, k := range x.Captures {
			open = append(open, "const "+k.Name+" = "+takenText(x.Var, base, k)+";")
		}
		open = append(open, "")
	}
	if len(clean) == 0 {
		return open, nil
	}
	if clean[0].Comment != "" {
		open = append(open, s.Comment(clean[0].Comment))
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
func superagentCall(x script.SetUpRequest, s *script.Script, base string) string {
	method := "." + strings.ToLower(x.Method) + "("
	if !IsMethod(strings.ToLower(x.Method)) {
		method = "(" + literal.JavaScript(x.Method) + ", "
	}
	text := "await superagent" + method + base + " + " + writtenParts(x.Target) + ")"
	if strings.Contains(s.Text, emTimeoutJS) {
		text += ".timeout({response: " + emTimeoutJS + ", deadline: " + emTimeoutJS + "})"
	}
	for _, f := range x.Headers {
		text += ".set(" + literal.JavaScript(f.Name) + ", " + writtenParts(f.Value) + ")"
	}
	if len(x.Body) > 0 {
		text += ".send(" + writtenParts(x.Body) + ")"
	}
	return text + ".redirects(0).ok(res => res.status);"
}

// writtenParts writes a text of which parts are variables.
func writtenParts(parts []script.TextPart) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.Variable; p.Variable == "" {
			out[i] = literal.JavaScript(p.Text)
		}
	}
	return strings.Join(out, " + ")
}

// takenText writes the text that is taken from an answer.
func takenText(name, base string, k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return name + ".text.trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, _ := strconv.Atoi(s[3])
		return fmt.Sprintf("decodeURIComponent(new URL(%s.header[%s], %s).pathname.split(\"/\")[%d])", name,
			literal.JavaScript(s[1]), base, n+1)
	case s[0] == "header":
		return name + ".header[" + literal.JavaScript(s[1]) + "]"
	}
	return "String(" + name + ".body" + js.Steps(k.Steps) + ")"
}

// baseIn returns the source of the base URL: what the suite's own URLs begin with.
func baseIn(s *script.Script, t *script.Test) string {
	if strings.Contains(s.Text, "baseUrlOfSut") {
		return "baseUrlOfSut"
	}
	for _, c := range t.Calls {
		if base := baseOf(s.Text[c.TargetAt.Start:c.TargetAt.End]); base != "" {
			return base
		}
	}
	return `""`
}

// baseOf returns the source of the base URL that the source of a URL begins with; "" where it is not clear.
func baseOf(url string) string {
	tokens, err := js.Tokens("", url)
	if err != nil || len(tokens) == 0 {
		return ""
	}
	switch t := tokens[0]; {
	case t.Kind == js.JsString:
		if base := script.SchemeAndHost.FindString(t.Text); base != "" {
			return literal.JavaScript(base)
		}
	case t.Kind == js.JsTemplate && t.Parts[0] == "" && len(t.Holes) > 0 && len(t.Holes[0]) == 1 &&
		t.Holes[0][0].Kind == js.Word:
		return t.Holes[0][0].Text
	case t.Kind == js.JsTemplate:
		if base := script.SchemeAndHost.FindString(t.Parts[0]); base != "" {
			return literal.JavaScript(base)
		}
	case t.Kind == js.Word && len(tokens) > 1 && tokens[1].Is("+"):
		return t.Text
	}
	return ""
}

// URL writes the URL of a call anew, for another target below its base.
func URL(s *script.Script, c *script.Call, target []script.TextPart) string {
	base := baseOf(s.Text[c.TargetAt.Start:c.TargetAt.End])
	if base == "" {
		base = baseIn(s, &script.Test{})
	}
	return base + " + " + writtenParts(target)
}

// Header writes the value of a header.
func Header(_ *script.Script, _ *script.Call, value []script.TextPart) string {
	return writtenParts(value)
}

// Body writes the body of a call.
func Body(_ *script.Script, _ *script.Call, body []script.TextPart) string {
	return writtenParts(body)
}
