package secret

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// rename puts names in the place of tokens, in texts and in what is said to people.
func rename(p *plan.Plan, names map[string]string, origins map[string]*origin) {
	values, about := map[string]string{}, map[string]string{}
	var shown, slugs []string
	for token, name := range names {
		values[name], about[name] = p.Secrets[token], origins[token].about
		shown = append(shown, token, name)
		slugs = append(slugs, plan.Slug(token), strings.ToLower(name))
	}
	text := strings.NewReplacer(shown...).Replace
	for name := range about {
		about[name] = text(about[name])
	}
	p.Secrets, p.About = values, about
	p.RenameSecrets(names)
	for i := range p.Bound {
		p.Bound[i].From = text(p.Bound[i].From)
	}
	for i := range p.Credentials {
		p.Credentials[i].First = text(p.Credentials[i].First)
	}
	slices.SortFunc(p.Credentials, func(x, y plan.Credential) int { return strings.Compare(x.Name, y.Name) })
	taken := map[string]bool{}
	for _, t := range p.Tests {
		taken[t.Name] = true
	}
	for i := range p.Tests {
		t := &p.Tests[i]
		if name := strings.NewReplacer(slugs...).Replace(t.Name); !taken[name] {
			taken[name], t.Name = true, name
		}
		for j := range t.About {
			t.About[j] = text(t.About[j])
		}
		for j := range t.Steps {
			s := &t.Steps[j]
			s.Title = text(s.Title)
			for k := range s.Checks {
				c := &s.Checks[k]
				c.Why, c.Off = text(c.Why), text(c.Off)
			}
		}
	}
}
