package plan

import "testing"

// Wherever a plan uses a secret, it is renamed; a secret that the map does not have keeps its name.
func TestRenameSecrets(t *testing.T) {
	var all []Text
	text := func() Text {
		one := Text{{Literal: "Bearer "}, {Secret: "old"}, {Secret: "other"}}
		all = append(all, one)
		return one
	}
	step := Step{Target: text(), Headers: []Header{{Name: "Authorization", Value: text()}}, Body: &Body{Text: text()},
		Checks: []Check{{Name: text(), Text: text(), Lines: []Text{text(), text()}, Given: []Text{text()}}}}
	p := Plan{Bound: []Value{{Recorded: text()}}, Credentials: []Credential{{Name: "old"}, {Name: "other"}}, Tests: []Test{{Steps: []Step{step}}}}
	p.RenameSecrets(map[string]string{"old": "NEW"})
	for i, one := range all {
		if one[0].Literal != "Bearer " || one[1].Secret != "NEW" || one[2].Secret != "other" {
			t.Errorf("text %d of %d is %+v", i+1, len(all), one)
		}
	}
	if c := p.Credentials; c[0].Name != "NEW" || c[1].Name != "other" {
		t.Errorf("the credentials are %+v", c)
	}
}
