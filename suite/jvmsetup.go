package suite

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// setUp sends the set-up first; the clean-up stands in the finally of a try around the test's own statements.
func (j *junit) setUp(s *Script, _ *Test, before, clean []sending) (open, end []string) {
	for _, x := range before {
		open = append(append(open, j.sends(s, x)...), "")
	}
	if len(clean) == 0 {
		return open, nil
	}
	open = append(open, "try {")
	end = []string{"} finally {"}
	for _, x := range clean {
		x.status = 0
		for _, line := range j.sends(s, x) {
			end = append(end, "    "+line)
		}
	}
	return open, append(end, "}")
}

// linkIndent is how far the generator indents the links of a chain.
const linkIndent = "        "

// sends writes one request, and what is taken of its answer.
func (j *junit) sends(s *Script, x sending) []string {
	var out []string
	if x.about != "" {
		out = append(out, remark(j, x.about))
	}
	first := "given()"
	if !strings.Contains(s.text, "io.restassured.RestAssured.given") {
		first = "io.restassured.RestAssured.given()"
	}
	if strings.HasPrefix(x.name, setUpName) {
		first = j.declares(x.name, "io.restassured.response.ValidatableResponse") + first
	}
	out = append(out, first)
	link := func(text string) { out = append(out, linkIndent+text) }
	typed := false
	for _, f := range x.headers {
		switch strings.ToLower(f.name) {
		case "accept":
			link(".accept(" + j.parts(f.value) + ")")
		case "content-type":
			typed = true
			link(".contentType(" + j.parts(f.value) + ")")
		default:
			link(".header(" + j.literal(f.name) + ", " + j.parts(f.value) + ")")
		}
	}
	if len(x.body) > 0 {
		link(".body(" + j.parts(x.body) + ")")
	} else if !typed && x.method != "GET" && x.method != "HEAD" && x.method != "DELETE" && x.method != "OPTIONS" {
		link(".noContentType()")
	}
	link(j.sent(x.method, x.target))
	link(".then()")
	if x.status != 0 {
		link(remark(j, setUpSucceeds))
		link(fmt.Sprintf(".statusCode(%d)", x.status))
	}
	if !j.kotlin {
		out[len(out)-1] += ";"
	}
	for _, k := range x.takes {
		line := j.declares(k.name, "String") + j.taken(x.name, k)
		if !j.kotlin {
			line += ";"
		}
		out = append(out, line)
	}
	return out
}

// declares writes the beginning of a variable's declaration.
func (j *junit) declares(name, class string) string {
	if j.kotlin {
		return "val " + name + ": " + class + " = "
	}
	return class + " " + name + " = "
}

// sent writes the link that sends a request.
func (j *junit) sent(method string, target []part) string {
	url := j.url(nil, nil, target)
	switch method {
	case "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS":
		return "." + strings.ToLower(method) + "(" + url + ")"
	}
	return ".request(" + j.literal(method) + ", " + url + ")"
}

// parts writes a text of which parts are variables.
func (j *junit) parts(parts []part) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.variable; p.variable == "" {
			out[i] = j.literal(p.text)
		}
	}
	return strings.Join(out, " + ")
}

// taken writes the text that is taken from an answer.
func (j *junit) taken(name string, k take) string {
	s := k.place.Segments()
	switch {
	case k.place == exchange.PlaceBody:
		return name + ".extract().body().asString().trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		header := name + ".extract().header(" + j.literal(s[1]) + ")"
		segment := "java.net.URI.create(" + header + ").getRawPath().split(\"/\")[" + s[3] + " + 1]"
		return "java.net.URLDecoder.decode(" + segment + ".replace(\"+\", \"%2B\"), \"UTF-8\")"
	case s[0] == "header":
		return name + ".extract().header(" + j.literal(s[1]) + ")"
	}
	var x expr.Expr = expr.Answer{Var: name, Part: expr.JSON}
	for _, step := range k.steps {
		x = expr.Index{X: x, I: step}
	}
	if j.kotlin {
		return name + ".extract().path<Any>(" + j.literal(gpathSource(x)) + ").toString()"
	}
	return name + ".extract().path(" + j.literal(gpathSource(x)) + ").toString()"
}

// url writes the target behind the suite's base URL: in Kotlin as a template, as the generator does.
func (j *junit) url(_ *Script, _ *Call, target []part) string {
	if !j.kotlin {
		return emBaseURL + " + " + j.parts(target)
	}
	var b strings.Builder
	b.WriteString(`"${` + emBaseURL + `}`)
	for _, p := range target {
		if p.variable != "" {
			b.WriteString("${" + p.variable + "}")
			continue
		}
		text := j.literal(p.text)
		b.WriteString(text[1 : len(text)-1])
	}
	b.WriteByte('"')
	return b.String()
}

func (j *junit) header(_ *Script, _ *Call, value []part) string { return j.parts(value) }

func (j *junit) payload(_ *Script, _ *Call, body []part) string { return j.parts(body) }
