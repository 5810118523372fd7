package evomaster

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// Jest writes the tests as one file for Jest, with superagent.
func Jest(baseURL string, tests []Test) []byte {
	var b strings.Builder
	b.WriteString("process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';\nconst superagent = require(\"superagent\");\nconst EM_HTTP_TIMEOUT_MS = 30000;\njest.setTimeout(60000);\n\n")
	fmt.Fprintf(&b, "const baseUrlOfSut = %s;\n\n\n", literal.JavaScript(baseURL))
	for _, t := range tests {
		fmt.Fprintf(&b, "/**\n* Calls:\n* %d\n*/\ntest(%s, async () => {\n    \n", len(t.Calls), literal.JavaScript(t.Name))
		for i, e := range t.Calls {
			jestCall(&b, i, e)
			for _, c := range claims(e.Response) {
				if text := jestAssert(i, c); text != "" {
					b.WriteString("    " + text + "\n")
				}
			}
			b.WriteString("    \n")
		}
		b.WriteString("});\n\n\n")
	}
	return []byte(b.String())
}

func jestCall(b *strings.Builder, i int, e *exchange.Exchange) {
	fmt.Fprintf(b, "    const res_%d = await superagent\n            .%s(baseUrlOfSut + %s)\n            .timeout({response: EM_HTTP_TIMEOUT_MS, deadline: EM_HTTP_TIMEOUT_MS})",
		i, strings.ToLower(e.Request.Method), literal.JavaScript(e.Request.Target))
	if a := e.Request.Header.Get("Accept"); a != "" {
		fmt.Fprintf(b, ".set('Accept', %s)", literal.JavaScript(a))
	}
	b.WriteString("\n")
	if body, _ := e.Request.Payload(); len(body) > 0 {
		if t := e.Request.Header.Get("Content-Type"); t != "" {
			fmt.Fprintf(b, "            .set('Content-Type', %s)\n", literal.JavaScript(t))
		}
		fmt.Fprintf(b, "            .send(%s)\n", literal.JavaScript(string(body)))
	}
	b.WriteString("            .ok(res => res.status);\n    \n")
}

var plainKey = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)

func jestAssert(i int, c claim) string {
	at := fmt.Sprintf("res_%d.body", i)
	for _, s := range c.path {
		switch key, ok := s.(string); {
		case !ok:
			at += fmt.Sprintf("[%d]", s)
		case plainKey.MatchString(key):
			at += "." + key
		default:
			at += "[" + literal.JavaScript(key) + "]"
		}
	}
	switch c.kind {
	case aStatus:
		return fmt.Sprintf("expect(res_%d.status).toBe(%d);", i, c.n)
	case aType:
		return fmt.Sprintf("expect(res_%d.header[\"content-type\"].startsWith(%s)).toBe(true);", i,
			literal.JavaScript(c.text))
	case anEmpty:
		return fmt.Sprintf("expect(res_%[1]d.body===null || res_%[1]d.body===undefined || res_%[1]d.body===\"\" || Object.keys(res_%[1]d.body).length === 0).toBe(true);", i)
	case aText:
		return fmt.Sprintf("expect(res_%d.text).toContain(%s);", i, literal.JavaScript(c.text))
	case aSize:
		return fmt.Sprintf("expect(%s.length).toBe(%d);", at, c.n)
	case aNothing:
		return fmt.Sprintf("expect(Object.keys(%s).length).toBe(0);", at)
	}
	if c.raw[0] == '"' {
		return fmt.Sprintf("expect(%s).toBe(%s);", at, literal.JavaScript(c.text))
	}
	if strings.Contains("-0123456789", c.raw[:1]) {
		return fmt.Sprintf("expect(%s).toBe(%s);", at, number(c.raw))
	}
	return fmt.Sprintf("expect(%s).toBe(%s);", at, c.raw)
}
