package jvm

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/before"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// setUp sends the set-up first; the clean-up stands in the finally of a try around the test's own statements.
func (j *dialect) setUp(s *script.Script, _ *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	for _, x := range before {
		open = append(append(open, j.sends(s, x)...), "")
	}
	if len(clean) == 0 {
		return open, nil
	}
	open = append(open, "try {")
	end = []string{"} finally {"}
	for _, x := range clean {
		x.Status = 0
		for _, line := range j.sends(s, x) {
			end = append(end, "    "+line)
		}
	}
	return open, append(end, "}")
}

// linkIndent is how far the generator indents the links of a chain.
const linkIndent = "        "

// sends writes one request, and what is taken of its answer.
func (j *dialect) sends(s *script.Script, x script.SetUpRequest) []string {
	var out []string
	if x.Comment != "" {
		out = append(out, s.Comment(x.Comment))
	}
	first := "given()"
	if !strings.Contains(s.Text, "io.restassured.RestAssured.given") {
		first = "io.restassured.RestAssured.given()"
	}
	if strings.HasPrefix(x.Var, script.SetUpPrefix) {
		first = j.declares(x.Var, "io.restassured.response.ValidatableResponse") + first
	}
	out = append(out, first)
	link := func(text string) { out = append(out, linkIndent+text) }
	typed := false
	for _, f := range x.Headers {
		switch strings.ToLower(f.Name) {
		case "accept":
			link(".accept(" + j.parts(f.Value) + ")")
		case "content-type":
			typed = true
			link(".contentType(" + j.parts(f.Value) + ")")
		default:
			link(".header(" + j.literal(f.Name) + ", " + j.parts(f.Value) + ")")
		}
	}
	if len(x.Body) > 0 {
		link(".body(" + j.parts(x.Body) + ")")
	} else if !typed && x.Method != "GET" && x.Method != "HEAD" && x.Method != "DELETE" && x.Method != "OPTIONS" {
		link(".noContentType()")
	}
	link(j.sent(x.Method, x.Target))
	link(".then()")
	if x.Status != 0 {
		link(s.Comment(script.SetUpMustSucceed))
		link(fmt.Sprintf(".statusCode(%d)", x.Status))
	}
	if !j.kotlin {
		out[len(out)-1] += ";"
	}
	for _, k := range x.Captures {
		line := j.declares(k.Name, "String") + j.taken(x.Var, k)
		if !j.kotlin {
			line += ";"
		}
		out = append(out, line)
	}
	return out
}

// declares writes the beginning of a variable's declaration.
func (j *dialect) declares(name, class string) string {
	if j.kotlin {
		return "val " + name + ": " + class + " = "
	}
	return class + " " + name + " = "
}

// sent writes the link that sends a request.
func (j *dialect) sent(method string, target []script.TextPart) string {
	url := j.url(nil, nil, target)
	switch method {
	case "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS":
		return "." + strings.ToLower(method) + "(" + url + ")"
	}
	return ".request(" + j.literal(method) + ", " + url + ")"
}

// parts writes a text of which parts are variables.
func (j *dialect) parts(parts []script.TextPart) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p.Variable; p.Variable == "" {
			out[i] = j.literal(p.Text)
		}
	}
	return strings.Join(out, " + ")
}

// taken writes the text that is taken from an answer.
func (j *dialect) taken(name string, k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return name + ".extract().body().asString().trim()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		header := name + ".extract().header(" + j.literal(s[1]) + ")"
		segment := "java.net.URI.create(" + header + ").getRawPath().split(\"/\")[" + s[3] + " + 1]"
		return "java.net.URLDecoder.decode(" + segment + ".replace(\"+\", \"%2B\"), \"UTF-8\")"
	case s[0] == "header":
		return name + ".extract().header(" + j.literal(s[1]) + ")"
	}
	var x expr.Expr = expr.Answer{Var: name, Part: expr.JSON}
	for _, step := range k.Steps {
		x = expr.Index{X: x, I: step}
	}
	if j.kotlin {
		return name + ".extract().path<Any>(" + j.literal(meaning.Source(x)) + ").toString()"
	}
	return name + ".extract().path(" + j.literal(meaning.Source(x)) + ").toString()"
}

// url writes the target behind the suite's base URL: in Kotlin as a template, as the generator does.
func (j *dialect) url(_ *script.Script, _ *script.Call, target []script.TextPart) string {
	if !j.kotlin {
		return meaning.BaseURL + " + " + j.parts(target)
	}
	var b strings.Builder
	b.WriteString(`"${` + meaning.BaseURL + `}`)
	for _, p := range target {
		if p.Variable != "" {
			b.WriteString("${" + p.Variable + "}")
			continue
		}
		text := j.literal(p.Text)
		b.WriteString(text[1 : len(text)-1])
	}
	b.WriteByte('"')
	return b.String()
}

// fresh draws a text that is another in each run.
func (j *dialect) fresh(_ *script.Script, _ *script.Test, v script.FreshText) string {
	return before.Fresh(v, j.kotlin)
}

func (j *dialect) header(_ *script.Script, _ *script.Call, value []script.TextPart) string {
	return j.parts(value)
}

func (j *dialect) payload(_ *script.Script, _ *script.Call, body []script.TextPart) string {
	return j.parts(body)
}
