package formats

import (
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
