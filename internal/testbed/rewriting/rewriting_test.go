package rewriting

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"testing"
)

// Every planted regression changes an answer that the client gets, so each can
// be told; the sound API answers alike each time.
func TestVariantsShow(t *testing.T) {
	modules, err := filepath.Abs("../../../.tools/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "json-server")); err != nil {
		t.Skip("no json-server: ", err)
	}
	if !sort.SliceIsSorted(Variants, func(i, j int) bool { return Variants[i].Name < Variants[j].Name }) {
		t.Error("the variants are not in the order of their names")
	}
	sound, err := talk(t, modules, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := talk(t, modules, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	if d := differs(sound, again); d != "" {
		t.Error("the sound API answers now so, now so: ", d)
	}
	t.Log(len(sound), "requests")
	for _, v := range Variants {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			planted, _ := talk(t, modules, v)
			d := differs(sound, planted)
			if d == "" {
				t.Error("nothing changes")
			}
			t.Log(d)
		})
	}
}

func talk(t *testing.T, modules string, v Variant) ([]string, error) {
	t.Helper()
	target, err := Start(t.Context(), modules)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(Handler(target, v))
	defer server.Close()
	l := &listener{}
	err = Talk(&http.Client{Transport: l}, server.URL)
	return l.heard, err
}

// A listener writes down what the client hears, without what moves.
type listener struct {
	heard []string
}

var (
	moving  = regexp.MustCompile(`\d\d:\d\d\.\d{3}Z|"id": "[\w-]{7}"|/loans/[\w-]{7}([^\w-]|$)|127\.0\.0\.1:\d+`)
	ignored = map[string]bool{"Date": true, "Etag": true, "Content-Length": true}
)

func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	var names []string
	for name := range resp.Header {
		if !ignored[name] {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	text := fmt.Sprintln(r.Method, r.URL.RequestURI(), resp.StatusCode)
	for _, name := range names {
		text += fmt.Sprintln(name, resp.Header[name])
	}
	l.heard = append(l.heard, still(text+string(body)))
	return resp, nil
}

// still is a text without what moves. An id may end with a hyphen, so that no boundary of a word stands behind it.
func still(text string) string { return moving.ReplaceAllString(text, "*${1}") }

func TestStill(t *testing.T) {
	for text, want := range map[string]string{
		"[http://127.0.0.1:4711/loans/-eZNTW-]": "[http://**]", "GET /loans/UhJs31k": "GET *", "/loans/UhJs31k/items": "*/items",
		"/loans/overdue-ones": "/loans/overdue-ones", `{"id": "-eZNTW-"}`: "{*}",
	} {
		if got := still(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func differs(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		x, y := bytes.Split([]byte(a[i]), []byte("\n")), bytes.Split([]byte(b[i]), []byte("\n"))
		for j := range min(len(x), len(y)) {
			if !bytes.Equal(x[j], y[j]) {
				return fmt.Sprintf("%s: %q, not %q", x[0], y[j], x[j])
			}
		}
		return fmt.Sprintf("%s: %d lines, not %d", x[0], len(y), len(x))
	}
	return ""
}
