package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What files declare in one structure is known with one of its members, in the notations of several languages.
func TestDeclaredWith(t *testing.T) {
	want := []string{"/body/unit string", "/body/hours list", "/body/hours/*/at integer", "/body/hours/*/price number"}
	for name, text := range map[string]string{
		"Go": "type hour struct {\n\tAt int `json:\"at\"`\n\tPrice float64 `json:\"price\"`\n}\n" +
			"func f() {\n\tget(\"/v1/prices\")\n\tvar table struct {\n\t\tUnit string `json:\"unit\"`\n\t\tHours []hour `json:\"hours\"`\n\t}\n}\n",
		"Go, within": "type page struct {\n\tUnit string `json:\"unit\"`\n\tHours []struct {\n\t\tAt int `json:\"at\"`\n\t\t" +
			"Price float64 `json:\"price\"`\n\t} `json:\"hours\"`\n}\nget(\"/v1/prices\")\n",
		"TypeScript": "interface Hour {\n  at: int;\n  price: number;\n}\n\nexport interface Table {\n  unit?: string;\n  hours: Hour[];\n}\nget('/v1/prices')\n",
		"Python":     "class Hour(BaseModel):\n    at: int\n    price: float\n\nclass Table(BaseModel):\n    unit: str = \"x\"\n    hours: list[Hour] = []\n\nget('/v1/prices')\n",
		"Kotlin":     "data class Hour(\n    val at: Int,\n    val price: Double,\n)\ndata class Table(\n    val unit: String? = null,\n    val hours: List<Hour>,\n)\n",
		"Java":       "record Hour(int at, double price) {}\nrecord Table(String unit, List<Hour> hours) {}\n",
	} {
		w := wordsOf(text)
		var got []string
		for _, f := range w.declaredWith(Endpoint{Path: "/v1/prices"}, field{place: "/body/hours"}) {
			got = append(got, fmt.Sprint(f.place, " ", f.kind))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Of two structures with a member of the name it is the one that is nearer to the path of the endpoint; where none is
// nearer, neither.
func TestDeclaredWithAmbiguous(t *testing.T) {
	w := wordsOf("class A:\n    id: str\n    one: str\n" + lines(20) + "get('/first')\n" + lines(100) +
		"class B:\n    id: str\n    two: str\n" + lines(20) + "get('/second')\n")
	for path, want := range map[string]int{"/first": 1, "/second": 1, "/third": 0} {
		all := w.declaredWith(Endpoint{Path: path}, field{place: "/body/x/id"})
		if got := slices.ContainsFunc(all, func(f field) bool {
			return f.place == exchange.Place("/body/x/"+map[string]string{"/first": "one", "/second": "two"}[path])
		}); got != (want == 1) {
			t.Errorf("%s: %v", path, all)
		}
	}
}
