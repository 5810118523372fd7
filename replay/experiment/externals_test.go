package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// outside has recorded answers with these values.
type outside []string

func (outside) Lead(*service.Service) (func() error, error) { return nil, nil }
func (o outside) Recorded() []string                        { return o }

func TestExternals(t *testing.T) {
	many := make(outside, maxChanged+3)
	for i := range many {
		many[i] = fmt.Sprintf("a.example/rates#/%d", i)
	}
	for _, tt := range []struct {
		value string
		lead  service.Leader
		want  string // the conditions, or why there are none
	}{
		{"frozen", outside{"a.example/rates#/usd"}, "externals=frozen"},
		{"down", outside{}, "externals=down"},
		{"changed", outside{"a.example/rates#/usd", "b.example/x#/y"}, "externals=changed a.example/rates#/usd, externals=changed b.example/x#/y"},
		{"", outside{"a.example/rates#/usd"}, "externals=frozen, externals=changed a.example/rates#/usd, externals=down, externals=slow"},
		{"frozen", outside{}, "the recording has no answers"},
		{"changed", outside{}, "the recording has no answers"},
		{"slow", nil, "it needs --external"},
		{"dwon", outside{}, "--perturb externals=dwon: want one of frozen, changed, down, slow"},
	} {
		s := situation{service: &service.Service{Command: "true", Lead: tt.lead}}
		wanted, err := Read([]string{strings.TrimSuffix("externals="+tt.value, "=")}, s.service)
		if err != nil {
			t.Fatal(err)
		}
		made, err := conditions(wanted, s)
		var got []string
		for _, c := range made {
			p := replay.Player{Service: s.service}
			undo := c.Apply(&p)
			how, changed := p.Service.Environment.Externals()
			got = append(got, strings.TrimSpace("externals="+how+" "+changed))
			if undo(); p.Service != s.service || c.Name != "externals="+how || c.what != changed {
				t.Errorf("%s: the condition %s (%s) is %s %s, and undone %+v", tt.value, c.Name, c.what, how, changed, p.Service)
			}
		}
		if all := strings.Join(got, ", "); err == nil && all != tt.want || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %s, %v, want %s", tt.value, all, err, tt.want)
		}
	}
	c, err := externals(service.Condition{}).several("changed", situation{service: &service.Service{Lead: many}})
	if err != nil || len(c) != maxChanged || !strings.HasSuffix(c[maxChanged-1].what, "; 3 further values not changed") {
		t.Errorf("%d conditions, %v", len(c), err)
	}
	if !slices.Contains(Names(), "externals") {
		t.Error("it is not listed")
	}
}
