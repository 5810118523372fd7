package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadOpenAPI(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		err      string
	}{
		{"JSON", `{"openapi":"3.1.0","paths":{"/pets/{id}":{"get":{}},"/pets":{},"x-note":1}}`, []string{"/pets", "/pets/{id}"}, ""},
		{"YAML with servers", "openapi: 3.0.3\nservers:\n- url: https://api.example.org/v1/\n- url: '{base}/v2'\n  variables: {base: {default: 'http://h'}}\npaths:\n  /pets: {}\n",
			[]string{"/pets", "/v1/pets", "/v2/pets"}, ""},
		{"Swagger 2", `{"swagger":"2.0","basePath":"/api/","paths":{"/a":{}}}`, []string{"/a", "/api/a"}, ""},
		{"no description", `{"paths":{"/a":{}}}`, nil, `it lacks the version in "openapi" or "swagger"`},
		{"no paths", `openapi: 3.0.0`, nil, "no paths"},
		{"broken", "openapi: 3\npaths: [", nil, "read OpenAPI: line"},
		{"another shape", "openapi: 3\npaths: 5", nil, "line 2: cannot unmarshal"},
		{"aliases without end", "openapi: 3\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\npaths: {/a: *d}", []string{"/a"}, ""},
		{"empty", "", nil, "it lacks the version"},
	} {
		got, err := ReadOpenAPI(strings.NewReader(c.in))
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func FuzzReadOpenAPI(f *testing.F) {
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/pets/{id}":{"get":{}}}}`))
	f.Add([]byte("swagger: '2.0'\nbasePath: /x\npaths:\n  /a: {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		templates, err := ReadOpenAPI(strings.NewReader(string(data)))
		for _, s := range templates {
			if !strings.HasPrefix(s, "/") || err != nil {
				t.Errorf("%q, %v", s, err)
			}
		}
	})
}

// TestReadDescription: keys are texts, aliases stand for what they name, and a document cannot grow without end by them.
func TestReadDescription(t *testing.T) {
	got, err := ReadDescription(strings.NewReader("openapi: 3.0.3\npaths:\n  /a: {get: {responses: {200: &x {description: y}, 404: *x}}}\n"))
	x := map[string]any{"description": "y"}
	want := map[string]any{"openapi": "3.0.3", "paths": map[string]any{"/a": map[string]any{"get": map[string]any{"responses": map[string]any{"200": x, "404": x}}}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v, %s", err, d)
	}
	for text, want := range map[string]string{
		"{}": "it lacks the version", "[1]": "it lacks the version", "": "it lacks the version", "openapi: [": "read OpenAPI: line",
		"openapi: 3\na: &a [*a]": "",
		"openapi: 3\n" + strings.Repeat("[", 2000) + strings.Repeat("]", 2000): "",
	} {
		if _, err := ReadDescription(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	bomb := "openapi: 3\nz0: &z0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("z%d: &z%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*z%d,", i), 10), ","))
	}
	if _, err := ReadDescription(strings.NewReader(bomb)); err == nil {
		t.Error("it grows by its aliases")
	}
}

func FuzzReadDescription(f *testing.F) {
	f.Add([]byte("openapi: 3.0.3\npaths:\n  /a: {get: {responses: {200: &x {description: y}, 404: *x}}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if doc, err := ReadDescription(strings.NewReader(string(data))); err == nil && doc == nil {
			t.Error("nothing, and no error")
		}
	})
}
