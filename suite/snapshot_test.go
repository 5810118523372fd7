package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// shop is what an API answered to a request in some runs, and a suite with the snapshots beside it.
func patchedAmong(t *testing.T, name, text string, files map[string]string, answers ...string) Patched {
	t.Helper()
	var observed []*exchange.Response
	for _, body := range answers {
		observed = append(observed, exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body), Plain: true}))
	}
	s, err := ReadAmong(name, []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return Bind(s, Source{Steps: []exchange.Step{stepOf(1, "/order", observed)}}, nil).Patch(PatchOptions{})
}

// besideOf is the text of the one file beside a patched suite that changed; "" where none did.
func besideOf(t *testing.T, p Patched, path string) string {
	t.Helper()
	if len(p.Beside) == 0 {
		return ""
	}
	if len(p.Beside) > 1 || p.Beside[0].Path != path {
		t.Fatalf("files beside: %+v", p.Beside)
	}
	return p.Beside[0].Text
}

var _ = script.BesideFile{}
var _ = os.ReadFile
var _ = filepath.Join
var _ = strings.Join

func TestJestDebug(t *testing.T) {
	text := `test("order", async () => {
  const res = await fetch("http://localhost:1/order");
  const body = await res.json();
  expect(body).toMatchSnapshot();
  expect(body).toMatchSnapshot();
  expect(body.status).toMatchSnapshot("hinted");
});
`
	one := "\n{\n  \"id\": \"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101\",\n  \"items\": [\n    {\n      \"at\": 1,\n      \"n\": 1,\n    },\n    {\n      \"at\": 5,\n      \"n\": 2,\n    },\n  ],\n  \"status\": \"new\",\n  \"tags\": [\n    \"a\",\n    \"b\",\n  ],\n}\n"
	snap := "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`order 1`] = `" + one + "`;\n\nexports[`order 2`] = `" + one + "`;\n\nexports[`order: hinted 1`] = `\"new\"`;\n"
	p := patchedAmong(t, "a.test.js", text, map[string]string{"__snapshots__/a.test.js.snap": snap},
		`{"id":"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a102","items":[{"at":1,"n":1},{"at":7,"n":2}],"status":"new","tags":["a","b"]}`,
		`{"id":"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a103","items":[{"at":1,"n":1},{"at":9,"n":2}],"status":"new","tags":["b","a"]}`,
		`{"id":"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a104","items":[{"at":1,"n":1},{"at":4,"n":2}],"status":"new","tags":["b","a"]}`)
	t.Logf("%s\n%s\n%+v", p.Data, besideOf(t, p, "__snapshots__/a.test.js.snap"), p.Unknown)
}
