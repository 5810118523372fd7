package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// An id that is drawn in a way that is not known is not empty, where a language has a type for it; what stands beside it
// stays.
func TestDrawnIsNotEmpty(t *testing.T) {
	const file = `package a

import (
	"encoding/json"
	"net/http"
	"testing"
)

type loan struct {
	ID       string ` + "`json:\"id\"`" + `
	DueOn    string ` + "`json:\"dueOn\"`" + `
	Returned bool   ` + "`json:\"returned\"`" + `
}

func TestIt(t *testing.T) {
	res, err := http.Get("http://localhost:1/a")
	if err != nil {
		t.Fatal(err)
	}
	var got loan
	_ = json.NewDecoder(res.Body).Decode(&got)
	if len(got.ID) != 8 {
		t.Errorf("%d bytes", len(got.ID))
	}
	if got.ID != "aC4x_9b" {
		t.Errorf("id is %s", got.ID)
	}
	if want := (loan{ID: "aC4x_9b", DueOn: "2026-12-13"}); got != want {
		t.Errorf("got %v", got)
	}
}
`
	for _, tt := range []struct{ ids, want, long, all string }{
		{"WkHelom N2y38Tq", `got.ID == ""`, "len(got.ID) <= 0", `got != want && (got.ID == "" || got.DueOn != "2026-12-13" || got.Returned)`},
		{"WkHelom ", "", "false && len(got.ID) != 8", `got != want && (got.DueOn != "2026-12-13" || got.Returned)`},
	} {
		var replies []*exchange.Response
		for id := range strings.SplitSeq(tt.ids, " ") {
			replies = append(replies, reply(200, "Content-Type: application/json\r\n", fmt.Sprintf(`{"dueOn":"2026-12-13","id":%q}`, id)))
		}
		p, err := Patch("a_test.go", []byte(file), Source{Steps: []exchange.Step{stepOf(1, "/a", replies)}}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := string(p.Data)
		if one := "\tif " + tt.want + " {\n"; tt.want != "" && !strings.Contains(text, one) ||
			!strings.Contains(text, tt.all+" {\n") || strings.Contains(text, tt.long+" {\n") != (tt.want != "") {
			t.Errorf("of %s:\n%s", tt.ids, text)
		}
	}
}
