package volatility

import (
	"bytes"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestConceal has an API repeat a secret under harmless names, in values that move and values that stay, and wants the map to
// judge as it does of one that reveals, and to tell nothing.
func TestConceal(t *testing.T) {
	const secret = "kn0wn-value"
	a := &api{runs: 4, steps: 6, answer: func(c call) answer {
		return body(`{"stays":%q,"moves":"you are `+secret+` at %s","either":%s,"by":{%q:1}}`,
			secret, uuid(c), []string{"null", `"` + secret + `"`}[(c.run+c.step)%2], secret)
	}}
	var secrets exchange.Secrets
	secrets.Note(secret)
	judged := func(r exchange.Redactor) *mapfile.Map {
		m, err := Judge(exchange.Recording{Started: moment0, Passes: []exchange.Pass{{Target: "http://ann:pw@h/?k=v", Marks: []exchange.PassMark{{Name: exchange.OwnMark + secret}}}}}, nil,
			func(yield func(exchange.Step, error) bool) {
				for s := range a.all() {
					if !yield(s, nil) {
						return
					}
				}
			}, nil, nil, Options{Redactor: r})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	shown := judged(exchange.Redactor{Known: secrets.Known()})
	plain := judged(exchange.Redactor{Known: secrets.Known(), Reveal: true})
	var out, again bytes.Buffer
	for _, b := range []*bytes.Buffer{&out, &again} {
		if err := shown.Encode(b, mapfile.EncodeOptions{All: true}); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(out.String(), secret) || strings.Contains(out.String(), "ann:pw") || strings.Count(out.String(), "secret:") < 4 {
		t.Errorf("the map tells\n%s", out.String())
	}
	if shown.Summary != plain.Summary {
		t.Errorf("judged are %v, and %v where secrets are known", plain.Summary, shown.Summary)
	}
	for i, op := range shown.Operations {
		for k, f := range op.Fields {
			if g := plain.Operations[i].Fields[k]; f.Judgement != g.Judgement || f.Category != g.Category || f.Changed != g.Changed {
				t.Errorf("%s: %s %s, and %s %s where secrets are known", g.Place, g.Judgement, g.Category, f.Judgement, f.Category)
			}
		}
		if op.At(exchange.PlaceBody.Key("by").Key(secret)) == nil {
			t.Error("the place with a secret for a key is not found")
		}
	}
}
