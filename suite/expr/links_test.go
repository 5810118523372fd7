package expr_test

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// The header Link is taken apart as requests takes it.
func TestLinks(t *testing.T) {
	links := expr.Links{X: expr.Answer{Var: "r", Part: expr.Headers}}
	at := func(names ...string) expr.Expr {
		var x expr.Expr = links
		for _, name := range names {
			x = expr.Index{X: x, I: expr.Str{Value: name}}
		}
		return x
	}
	for _, tt := range []struct {
		header string
		at     expr.Expr
		want   string // "" where there is none
	}{
		{"Link: <http://a/b?p=1>; rel=\"first\", <http://a/b?p=3>; rel=\"next\"; title='x y'\r\n", at("next", "url"), `"http://a/b?p=3"`},
		{"Link: <http://a/b?p=1>; rel=\"first\"\r\nLink: </c>;rel=next\r\n", at("next", "url"), `"/c"`},
		{"Link: </c>; rel=\"next\"; title='x y'\r\n", at("next", "title"), `"x y"`},
		{"Link: </c>; rel=\"next\"; broken; title=x\r\n", at("next", "title"), ""},
		{"Link: </c>; rel=\"last\"\r\n", at("next", "url"), ""},
		{"Link: </c>\r\n", at("/c", "url"), `"/c"`},
		{"Link: </c>; rel=x, </d>; rel=x\r\n", at("x", "url"), `"/d"`},
		{"", at("next", "url"), ""},
		{"", expr.Len{X: links}, "0"},
	} {
		r := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n" + tt.header + "\r\n"), Plain: true})
		v, err := expr.Scope{"r": expr.NewResponse(r, nil)}.Eval(tt.at)
		got := ""
		if err == nil {
			got = expr.Show(v)
		} else if !expr.IsRaised(err) {
			t.Errorf("%q: %v", tt.header, err)
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.header, got, tt.want)
		}
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("<http://a/b?p=1>; rel=\"first\", <http://a/b?p=3>; rel=\"next\"")
	f.Add("<;=,<<")
	f.Fuzz(func(t *testing.T, header string) {
		r := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nLink: " + header + "\r\n\r\n"), Plain: true})
		links := expr.Links{X: expr.Answer{Var: "r", Part: expr.Headers}}
		v, err := expr.Scope{"r": expr.NewResponse(r, nil)}.Eval(links)
		if _, ok := v.(map[string]any); err != nil || !ok {
			t.Errorf("%q: %v, %v", header, v, err)
		}
	})
}
