package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/secret"
)

// maxOfPlace is how many credentials one place may have to be given names: where there are more, the client made them
// up, and nobody is to give others.
const maxOfPlace = 5

// minCredential is the least length of a credential, in bytes: what is shorter says something, as a cookie theme=dark.
const minCredential = 6

// readCredentials finds the credentials that the client had before the recording: secrets of target and head that no
// answer gave, and with which some request succeeded. Each has a name, by which whoever runs the suite gives another;
// one that was refused in the recording is what a test is about, and stays as it is.
func (b *builder) readCredentials() {
	found := map[string]*plan.Credential{} // by value
	places := map[exchange.Place][]string{}
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		if setup.Unsendable(e) != "" || e.Response.Status >= 400 {
			continue
		}
		uses := b.usesOf(e)
		for _, s := range secret.Of(e, b.src.Redactor) {
			given := func(u setup.Use) bool { return u.Place.Within(s.Place) }
			if s.Place.Root() == "body" || len(s.Value) < minCredential || slices.ContainsFunc(uses, given) {
				continue
			}
			if found[s.Value] == nil {
				found[s.Value] = &plan.Credential{Place: s.Place, First: b.operationName(e)}
				places[s.Place] = append(places[s.Place], s.Value)
			}
			found[s.Value].Requests++
		}
	}
	b.named = map[string]string{}
	taken := map[string]bool{}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if len(places[place]) > maxOfPlace {
			continue
		}
		for _, value := range places[place] {
			c := found[value]
			name := "FLAKETAP_" + strings.ToUpper(plan.Slug(string(place)))
			c.Variable = name
			for n := 2; taken[c.Variable]; n++ {
				c.Variable = fmt.Sprintf("%s_%d", name, n)
			}
			taken[c.Variable] = true
			b.credentials = append(b.credentials, *c)
			b.named[value] = c.Variable
			if given, ok := b.given[value]; ok {
				b.named[given] = c.Variable
			}
		}
	}
	slices.SortFunc(b.credentials, func(x, y plan.Credential) int { return strings.Compare(x.Variable, y.Variable) })
}

// sentCredentials lists the credentials that the tests made so far send.
func (b *builder) sentCredentials() []plan.Credential {
	return slices.DeleteFunc(slices.Clone(b.credentials), func(c plan.Credential) bool {
		_, sent := b.secrets[c.Variable]
		return !sent
	})
}
