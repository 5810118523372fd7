package mocked

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// merged is a plan of several.
type merged struct{ plan.Plan }

// add adds the tests of a plan. A secret whose name is taken by another gets one of its own.
func (m *merged) add(p plan.Plan) {
	m.Target = p.Target
	names := map[string]string{}
	for name, value := range p.Secrets {
		own := name
		for n := 2; ; n++ {
			if there, taken := m.Secrets[own]; !taken || there == value {
				break
			}
			own = fmt.Sprintf("%s_%d", name, n)
		}
		names[name], m.Secrets[own], m.About[own] = own, value, p.About[name]
	}
	p.RenameSecrets(names)
	for i := range p.Tests {
		for j := range p.Tests[i].Steps {
			p.Tests[i].Steps[j].Seq = uint64(len(m.Tests)+i)*2 + uint64(j) + 1
		}
	}
	for _, v := range p.Bound {
		if !slices.ContainsFunc(m.Bound, func(w plan.Value) bool { return w.Name == v.Name }) {
			m.Bound = append(m.Bound, v) // each test is given its own before it uses it
		}
	}
	for _, c := range p.Credentials {
		if !slices.ContainsFunc(m.Credentials, func(d plan.Credential) bool { return d.Name == c.Name }) {
			m.Credentials = append(m.Credentials, c)
		}
	}
	m.Codings = slices.Compact(slices.Sorted(slices.Values(append(m.Codings, p.Codings...))))
	m.Tests = append(m.Tests, p.Tests...)
	m.Mocks = append(m.Mocks, p.Mocks...)
}
