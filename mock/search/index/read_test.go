package index

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/bound"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/google/go-cmp/cmp"
)

// What is written is read as it was.
func TestDecode(t *testing.T) {
	fields := []search.Field{{Endpoint: search.Endpoint{Service: "rates.example:443", Method: "GET", Path: "/v1/{}"},
		Place: "/body/usd", Kinds: []kind.Kind{kind.Number}, Values: []any{"open", 1.5}, Source: search.FromError}}
	files, err := Files(search.Result{Fields: fields, Behaviors: []*search.Behavior{{Findings: []search.Finding{search.HangFinding}}, {Whole: &search.Whole{}}}}, 1, exchange.Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(files[len(files)-1].Data)
	if err != nil {
		t.Fatal(err)
	}
	want := Found{Behaviors: []Listed{{[]search.Finding{search.HangFinding}, false}, {[]search.Finding{}, true}}, Fields: fields}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, data := range []string{"", `{"flaketap": "map"}`, `[]`} {
		if _, err := Decode([]byte(data)); !errors.Is(err, ErrOther) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// What names more than a search finds is refused, before any of it is looked for.
func TestDecodeBounds(t *testing.T) {
	for _, list := range []string{"behaviors", "fields"} {
		data := `{"flaketap": "mock-search", "` + list + `": [` + strings.Repeat("{},", most) + `{}]}`
		if _, err := Decode([]byte(data)); err == nil || errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "100001 "+list) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"flaketap": "mock-search", "behaviors": [{"stubs": "001"}], "fields": [{"field": "/body/a", "types": ["any"], "values": [1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := Decode(data)
		if err != nil && len(found.Fields) > 0 {
			t.Errorf("%v, and %d fields", err, len(found.Fields))
		}
	})
}

// The index tells of a behavior without an answer how long it was waited for, and what came in the end.
func TestWaits(t *testing.T) {
	files, err := Files(search.Result{Behaviors: []*search.Behavior{{End: search.Hung, Wait: bound.Wait{Waited: 10_021_400 * time.Microsecond, Status: 504}}, {}}}, 1, exchange.Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Behaviors []struct{ Waited any } }
	if err := json.Unmarshal(files[len(files)-1].Data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"seconds": 10.021, "status": 504.0, "broke": false}
	if diff := cmp.Diff([]struct{ Waited any }{{want}, {nil}}, got.Behaviors); diff != "" {
		t.Error(diff)
	}
}
