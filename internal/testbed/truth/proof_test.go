package truth

import (
	"net/http"
	"strings"
	"testing"
)

// answered is an exchange of GET /orders/{id} with a body.
func answered(body string) Seen {
	return Seen{Method: "GET", Template: "/orders/{id}", Path: "/orders/7", Status: 200,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

// TestProof proves that a label which the runs contradict is named, and one that they bear out is not.
func TestProof(t *testing.T) {
	labels := sample()
	labels.Everywhere = append(labels.Everywhere, Label{Place: "/header/content-type", Label: Stable})
	labels.Operations = labels.Operations[:1]
	const first = `{"id":1,"at":1,"name":"x","tags":["a"],"follows":1,"queue":[{"n":1}]}`
	for name, tt := range map[string]struct{ run, want string }{
		"borne out":       {`{"id":2,"at":2,"name":"x","tags":["a"],"follows":2,"queue":[{"n":2}]}`, ""},
		"a stable moved":  {`{"id":2,"at":2,"name":"y","tags":["a"],"follows":2,"queue":[{"n":2}]}`, "/body/name: labelled stable, and moved"},
		"a moving stayed": {`{"id":1,"at":2,"name":"x","tags":["a"],"follows":2,"queue":[{"n":2}]}`, "/body/id: labelled Rand, and never moved"},
		"no label":        {`{"id":2,"at":2,"name":"x","tags":["a"],"follows":2,"queue":[{"n":2}],"new":1}`, "places without a label: [/body/new]"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := NewProof(&labels, []Seen{answered(first)})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, err := range append(p.Run([]Seen{answered(tt.run)}), p.Check()...) {
				said = append(said, err.Error())
			}
			if got := strings.Join(said, "\n"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if _, err := NewProof(&labels, []Seen{{Method: "GET", Template: "/x", Status: 200}}); err == nil {
		t.Error("an exchange of no labelled operation was taken")
	}
}

// TestProofOfOrder proves that what is called unordered must hold the same in another order.
func TestProofOfOrder(t *testing.T) {
	labels := Truth{Operations: []Operation{{"GET", "/orders/{id}", 200, []Label{
		{Place: "/status", Label: Stable}, {Place: "/header/content-type", Label: Stable}, {Place: "/body", Label: "Unord"}, {Place: "/body/*", Label: Stable},
	}}}}
	for run, want := range map[string]int{`[2,1]`: 0, `[3,1]`: 2} {
		p, err := NewProof(&labels, []Seen{answered(`[1,2]`)})
		if err != nil {
			t.Fatal(err)
		}
		p.Run([]Seen{answered(run)})
		if wrong := p.Check(); len(wrong) != want {
			t.Errorf("%s: %v", run, wrong)
		}
	}
}

func TestReadAndValidate(t *testing.T) {
	if _, err := Read([]byte(`{"operations":[{"method":"GET","places":[{"place":"/body","lable":"stable"}]}]}`)); err == nil {
		t.Error("a misspelt member was read")
	}
	bad := Truth{Operations: []Operation{
		{"GET", "/x", 200, []Label{{Place: "/body", Label: "moves"}, {Place: "/body", Label: Stable}, {Place: "/a", Label: Stable, Needs: "luck"}, {Place: "b", Label: Stable}}},
		{"GET", "/x", 200, nil},
	}}
	if wrong := bad.Validate(); len(wrong) != 5 {
		t.Errorf("%v", wrong)
	}
	good := sample()
	if wrong := good.Validate(); len(wrong) != 0 {
		t.Errorf("%v", wrong)
	}
}
