package js

import (
	"strings"
	"testing"
)

// parserOf reads a text as JavaScript, or as TypeScript.
func parserOf(t *testing.T, text string, typed bool) *Parser {
	t.Helper()
	tokens, err := Tokens("t.js", text)
	if err != nil {
		t.Fatal(err)
	}
	return &Parser{Tokens: tokens, End: len(tokens), Typed: typed}
}

// The members of a class are told apart, with what says something of them.
func TestClasses(t *testing.T) {
	for text, want := range map[string]string{
		"class A {}":              "A:",
		"class A extends b.C { }": "A<b.C:",
		"class A { constructor(a) { this.a = a } get(p) { return p } static of() {} async *all() {} }":   "A: constructor()a get()p static of() all()",
		"class A { x = 1; #y; 'z' = {}\n get b() { return 1 } set b(x) {} get = 2; static = 3\n async }": "A: x= #y z= get b() get= static= async",
		"class A { static { f(); } [k]() {} ; static x = () => 1 }":                                      "A: static x=",
		"export default class { a() {} }":                                                                ": a()",
		"class A<T extends B> extends C<{ a: T }> implements D<T>, E { private a?: T; constructor(private readonly b: string, c = 1) {} abstract d(): void; protected async e<T>(f: T): Promise<{ a: T }> { } declare g: number; h!: string }": "A<C: a constructor()b*,c e()f g h",
		"abstract class A { @f() b() {} }": "A: b()",
		"class A { 1 }":                    "?",
		"class A extends":                  "?",
		"class A { a b }":                  "?",
	} {
		p := parserOf(t, text, strings.Contains(text, "T>") || strings.Contains(text, "abstract"))
		st := p.Statement()
		n := st.X
		if len(st.Values) > 0 {
			n = st.Values[0]
		}
		got := st.Keyword
		if got == "class" {
			got = n.Text
			for _, base := range n.Args {
				got += "<" + p.words(Block{base.First, base.Last})[0]
				if base.Form == NodeMember {
					got += "." + base.Text
				}
			}
			got += ":"
			for _, m := range n.Members {
				got += " " + described(p, m)
			}
		}
		if got != want || p.Pos != p.End && want != "?" {
			t.Errorf("%s\n got %s, %d of %d tokens\nwant %s", text, got, p.Pos, p.End, want)
		}
	}
}

func described(p *Parser, m Member) string {
	text := m.Name
	if m.Getter {
		text = "get " + text
	}
	if m.Static {
		text = "static " + text
	}
	if !m.Method {
		return text + map[bool]string{true: "="}[m.Value != nil]
	}
	var params []string
	for _, one := range p.Params(m.Value) {
		params = append(params, one.Name+map[bool]string{true: "*"}[one.Field])
	}
	return text + "()" + strings.Join(params, ",")
}

// What a file imports and exports is told by the names that it has in either file.
func TestLinks(t *testing.T) {
	for text, want := range map[string]string{
		`import a from "./x"`:                            "a=./x#default",
		`import a, { b, c as d, type E } from "./x"`:     "a=./x#default b=./x#b d=./x#c",
		`import * as a from "./x"`:                       "a=./x#*",
		`import { default as a, "b-c" as d } from './x'`: "a=./x#default d=./x#b-c",
		`import "./x"`:                                   "",
		`import type { A } from "./x"`:                   "",
		`import type from "./x"`:                         "type=./x#default",
		`export { a, b as c }`:                           "^a=#a ^c=#b",
		`export { a as default } from "./x"`:             "^default=./x#a",
		`export * from "./x"`:                            "^*=./x#*",
		`export * as a from "./x"`:                       "^a=./x#*",
		`export type { A } from "./x"`:                   "",
		`export enum A { B }`:                            "",
		`f()`:                                            "",
	} {
		p := parserOf(t, text, true)
		var got []string
		for _, l := range p.Links(p.Statement()) {
			got = append(got, map[bool]string{true: "^"}[l.Export]+l.Name+"="+l.From+"#"+l.Key)
		}
		if links := strings.Join(got, " "); links != want {
			t.Errorf("%s: %s, want %s", text, links, want)
		}
	}
}

// The names of parameters are those of a function, and not those of their types.
func TestParameterNames(t *testing.T) {
	for source, want := range map[string]string{
		"(item) => item.id":                     "item",
		"(item: { id: number }) => item.id":     "item",
		"(a: A, b: Set<string> = c): A => a.id": "a b c",
		"({ a: b, c }: { a: string }) => b":     "a b c",
	} {
		tokens, err := Tokens("", source)
		if err != nil {
			t.Fatal(err)
		}
		n, err := (&Parser{Tokens: tokens, End: len(tokens), Typed: true}).expression()
		if got := strings.Join(n.Keys, " "); err != nil || got != want {
			t.Errorf("%s has %s, %v; want %s", source, got, err, want)
		}
	}
}
