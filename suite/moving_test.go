package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A header keeps what did not move of it: a URL its path, a list of links its pages.
func TestHeadersKeepWhatStays(t *testing.T) {
	const link = `<http://localhost:3000/books?_page=1&_limit=3>; rel="first", <http://localhost:3000/books?_page=11&_limit=3>; rel="last"`
	elsewhere := func(text, host string) string { return strings.ReplaceAll(text, "localhost:3000", host) }
	for _, tt := range []struct {
		name, header, claimed string
		seen                  []string
		want                  string // the condition
	}{
		{"links", "Link", link, []string{elsewhere(link, "127.0.0.1:40001"), elsewhere(link, "127.0.0.1:40002")},
			"!regexp.MustCompile(`^<http://[^/?&=<>;:,\"\\s]+:[0-9]+/books\\?_page=1&_limit=3>; rel=\"first\", " +
				"<http://[^/?&=<>;:,\"\\s]+:[0-9]+/books\\?_page=11&_limit=3>; rel=\"last\"$`).MatchString(got)"},
		{"a location", "Location", "/loans/aC4x_9b", []string{"/loans/Jk0vB2n", "/loans/p9-TzUa"},
			"!regexp.MustCompile(`^/loans/[^/?&=<>;:,\"\\s]+$`).MatchString(got)"},
		{"more links", "Link", link, []string{elsewhere(link, "127.0.0.1:40001"), "<http://127.0.0.1:40002/books?_page=1>"}, `got == ""`},
		{"one piece", "X-Id", "aC4x_9b", []string{"Jk0vB2n", "p9-TzUa"}, `got == ""`},
		{"a scheme alone", "X-At", "http://a", []string{"http://b", "http://c"}, `got == ""`},
		{"a day", "Date", "Sun, 22 Nov 2026 19:05:51 GMT", []string{"Tue, 24 Nov 2026 10:52:10 GMT", "Tue, 24 Nov 2026 10:52:12 GMT"}, `got == ""`},
	} {
		var replies []*exchange.Response
		for _, seen := range tt.seen {
			replies = append(replies, reply(200, tt.header+": "+seen+"\r\n", ""))
		}
		patched, err := Patch("a_test.go", []byte("package a\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nfunc TestIt(t *testing.T) {\n"+
			"\tres, err := http.Get(\"http://localhost:1/a\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"+
			"\tif got := res.Header.Get(\""+tt.header+"\"); got != `"+tt.claimed+"` {\n\t\tt.Errorf(\"got %s\", got)\n\t}\n}\n"),
			Source{Steps: []exchange.Step{stepOf(1, "/a", replies)}}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(string(patched.Data), `.Get("`+tt.header+`"); `)
		if got, _, _ = strings.Cut(got, " {\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if imports := strings.Contains(string(patched.Data), "\t\"net/http\"\n\t\"regexp\"\n\t\"testing\"\n"); imports != strings.Contains(tt.want, "regexp") {
			t.Errorf("%s: the imports are\n%s", tt.name, patched.Data)
		}
	}
}
