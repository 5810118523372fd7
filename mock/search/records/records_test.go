package records

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

const source = "package main\n\n" + `
type line struct {
	SKU  string ` + "`json:\"sku\"`" + `
	Next *line  ` + "`json:\"next,omitempty\"`" + `
}

type answer struct {
	status int
	body   []byte
}

func read() {
	var page struct {
		Lines []line         ` + "`json:\"lines\"`" + `
		Left  byte           ` + "`xml:\"l\" json:\"left\"`" + `
		More  map[string]any ` + "`json:\"more\"`" + `
		At    time.Time      ` + "`json:\"at\"`" + `
		Of    *struct {
			Open bool ` + "`json:\"open\"`" + `
		} ` + "`json:\"of\"`" + `
		Not, none string ` + "`json:\"-\"`" + `
	}
}
`

// The structs of a file are told with the types that they have in JSON, and what they hold.
func TestOfGo(t *testing.T) {
	all := OfGo([]byte(source))
	if len(all) != 3 { // line, page, and what it has as of
		t.Fatalf("told are %+v", all)
	}
	page := all[1]
	want := []Field{
		{"/body/lines", "list"}, {"/body/left", "integer"}, {"/body/more", "object"}, {"/body/at", ""}, {"/body/of", "object"},
		{"/body/lines/*/sku", "string"}, {"/body/lines/*/next", "object"}, {"/body/of/open", "boolean"},
	}
	if diff := cmp.Diff(want, page.Fields[:len(want)]); diff != "" {
		t.Error(diff)
	}
	if page.Line != 15 {
		t.Errorf("it begins in line %d", page.Line)
	}
	if len(page.Fields) > 3*maxDepth+len(want) {
		t.Errorf("what lies within itself has %d fields", len(page.Fields))
	}
	if !page.Has("/body/lines/*/sku") || page.Has("/body/sku") {
		t.Error("it has other fields than its own")
	}
	if got := OfGo([]byte("class Line:\n    sku: str  # json:\"sku\"\n")); got != nil {
		t.Errorf("of Python is told %+v", got)
	}
}

// A place that records declare with different types has none.
func TestKind(t *testing.T) {
	of := func(kind string) Record { return Of(0, []Member{{Name: "x", Kind: kind}}) }
	for _, tt := range []struct {
		all  []Record
		want string
	}{
		{[]Record{of("string"), of("string"), of("")}, "string"},
		{[]Record{of("string"), of("integer")}, ""},
		{nil, ""},
	} {
		if got := Kind(tt.all, exchange.PlaceBody.Key("x")); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.all, got, tt.want)
		}
	}
}

// A file with very many structs does not fill the memory: of so many the first are told.
func TestManyOfGo(t *testing.T) {
	text := "package p\n" + strings.Repeat("type t struct { X string `json:\"x\"` }\n", 2*maxRecords)
	if all := OfGo([]byte(text)); len(all) != maxRecords {
		t.Errorf("told are %d", len(all))
	}
}

func FuzzOfGo(f *testing.F) {
	f.Add([]byte(source))
	f.Add([]byte("package p\ntype t struct {" + strings.Repeat("X t `json:\"x\"`\n", 200) + "}"))
	f.Add([]byte("package p\ntype a b\ntype b a\ntype c struct { X a `json:\"x\"`; Y []c `json:\"y\"`; Z [][]*c `json:\"z\"` }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range OfGo(data) {
			if len(r.Fields) > maxFields || slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Place == "" }) {
				t.Errorf("told is %+v", r)
			}
		}
	})
}
