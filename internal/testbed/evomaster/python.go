package evomaster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// Python writes the tests as one unittest file. It imports em_test_utils, of which [PythonHelper] is a stand-in.
func Python(class, baseURL string, tests []Test) []byte {
	var b strings.Builder
	b.WriteString("#!/usr/bin/env python\nimport json\nimport unittest\nimport requests\nfrom em_test_utils import *\nEM_HTTP_TIMEOUT_S = 30.0\n\n\n")
	fmt.Fprintf(&b, "class %s(unittest.TestCase):\n\n    \n    baseUrlOfSut = %s\n    \n", class,
		literal.JavaScript(baseURL))
	for _, t := range tests {
		b.WriteString("    \n    # Calls:\n")
		for _, e := range t.Calls {
			path, _ := exchange.SplitTarget(e.Request.Target)
			fmt.Fprintf(&b, "    # (%d) %s:%s\n", e.Response.Status, e.Request.Method, path)
		}
		fmt.Fprintf(&b, "    def %s(self):\n        \n", t.Name)
		for i, e := range t.Calls {
			pyCall(&b, i, e, t.Calls[:i])
			if slices.Contains(t.Logins, i) {
				continue
			}
			for _, c := range claims(e.Response) {
				b.WriteString("        " + pyAssert(i, c) + "\n")
			}
			b.WriteString("        \n")
		}
	}
	return []byte(b.String())
}

// PythonHelper is what a suite imports as em_test_utils.
func PythonHelper() []byte {
	return []byte(`def is_valid_uri_or_empty(uri):
    return not uri or " " not in uri


def resolve_location(location, template):
    return template if not location else location
`)
}

// pyToken writes the header by which a call says who sends it: with the token that a login of the test gave, where one
// did.
func pyToken(b *strings.Builder, e *exchange.Exchange, before []*exchange.Exchange) {
	sent := e.Request.Header.Get("Authorization")
	for i, login := range before {
		name, token := tokenOf(login)
		scheme, found := strings.CutSuffix(sent, token)
		if !found || token == "" {
			continue
		}
		fmt.Fprintf(b, "        token_%d = %s + str(res_%d.json()[%s])\n", i, literal.JavaScript(scheme), i,
			literal.JavaScript(name))
		fmt.Fprintf(b, "        headers['Authorization'] = token_%d\n", i)
		return
	}
	if sent != "" {
		fmt.Fprintf(b, "        headers['Authorization'] = %s\n", literal.JavaScript(sent))
	}
}

func pyCall(b *strings.Builder, i int, e *exchange.Exchange, before []*exchange.Exchange) {
	b.WriteString("        headers = {}\n")
	body, _ := e.Request.Payload()
	data := ""
	if len(body) > 0 {
		if t := e.Request.Header.Get("Content-Type"); t != "" {
			fmt.Fprintf(b, "        headers[\"content-type\"] = %s\n", literal.JavaScript(t))
		}
		fmt.Fprintf(b, "        body = %s\n", literal.JavaScript(string(body)))
		data = " data=body,"
	}
	if a := e.Request.Header.Get("Accept"); a != "" {
		fmt.Fprintf(b, "        headers['Accept'] = %s\n", literal.JavaScript(a))
	}
	pyToken(b, e, before)
	if e.Response.Status/100 == 3 {
		data += " allow_redirects=False,"
	}
	fmt.Fprintf(b, "        res_%d = requests \\\n                .%s(self.baseUrlOfSut + %s,\n                    headers=headers,%s timeout=EM_HTTP_TIMEOUT_S, verify=False)\n        \n",
		i, strings.ToLower(e.Request.Method), literal.JavaScript(e.Request.Target), data)
}

func pyAssert(i int, c claim) string {
	at := fmt.Sprintf("res_%d.json()", i)
	for _, s := range c.path {
		if key, ok := s.(string); ok {
			at += "[" + literal.JavaScript(key) + "]"
		} else {
			at += fmt.Sprintf("[%d]", s)
		}
	}
	switch c.kind {
	case aStatus:
		return fmt.Sprintf("assert res_%d.status_code == %d", i, c.n)
	case aType:
		return fmt.Sprintf("assert %s in res_%d.headers[\"content-type\"]", literal.JavaScript(c.text), i)
	case anEmpty:
		return fmt.Sprintf("assert res_%d.text == ''", i)
	case aText:
		return fmt.Sprintf("assert %s in res_%d.text", literal.JavaScript(c.text), i)
	case aSize:
		return fmt.Sprintf("assert len(%s) == %d", at, c.n)
	case aNothing:
		return fmt.Sprintf("assert len(%s) == 0", at)
	}
	switch c.raw {
	case "null":
		return "assert " + at + " is None"
	case "true":
		return "assert " + at + " == True"
	case "false":
		return "assert " + at + " == False"
	}
	if c.raw[0] == '"' {
		return "assert " + at + " == " + literal.JavaScript(c.text)
	}
	return "assert " + at + " == " + number(c.raw)
}
