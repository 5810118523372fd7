package mend

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
)

// played notes what each trial sends, and answers each request with its number.
type played []string

func (p *played) Try(_ context.Context, exchanges []*exchange.Exchange, _ []exchange.Binding) ([]*exchange.Response, error) {
	var sent []string
	var out []*exchange.Response
	for i, e := range exchanges {
		sent = append(sent, e.Request.Target)
		out = append(out, answer(200+i, `{}`))
	}
	*p = append(*p, strings.Join(sent, " "))
	return out, nil
}

// TestPlayElsewhere: each test is played by itself, and behind those that follow it, so that what is added to it rests on
// other states than those of the suite's own order; and nothing is sent where nothing is to be added.
func TestPlayElsewhere(t *testing.T) {
	files := []File{{Path: "a_test.py", Name: "a_test.py", Data: python("get", "/a", "assert res_0.status_code == 200")},
		{Path: "b_test.py", Name: "b_test.py", Data: python("get", "/b", "assert res_0.status_code == 200")}}
	src := suite.Source{Steps: []exchange.Step{{Exchange: call(1, "GET", "/a", answer(200, `{}`))},
		{Exchange: call(2, "GET", "/b", answer(200, `{}`))}}}
	for _, c := range []struct {
		strengthen bool
		want       []string
	}{{false, nil}, {true, []string{"/a", "/b", "/b /a"}}} {
		var api played
		r := New(files, Options{Mode: suite.Relax, Source: src, Strengthen: c.strengthen})
		if err := r.playElsewhere(context.Background(), TrySetUps(r.Session(), flow.Rules{}, []setup.Trier{&api}, 10, nil)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(api, c.want) {
			t.Errorf("strengthen %v: played %q, want %q", c.strengthen, api, c.want)
		}
		if !c.strengthen {
			continue
		}
		trials := r.elsewhere["a_test.py"]["test_0"]
		if len(trials) != 2 || trials[0].Answers[0].Status != 200 || trials[1].Answers[0].Status != 201 {
			t.Errorf("the first test was answered %+v", trials)
		}
		r.Patch()
		if !strings.Contains(r.Summary(), "2 tests played alone, and backwards") {
			t.Errorf("summary %q", r.Summary())
		}
	}
}
