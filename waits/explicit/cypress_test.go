package explicit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Assertions that look once come to ask again, where nothing else may change by it.
func TestCypress(t *testing.T) {
	for _, test := range []struct{ was, want, left string }{
		{`cy.get("#age").then(($age) => { expect($age.text()).to.eq("23"); });`,
			`cy.get("#age").should("exist").and(($age) => { expect($age.text()).to.eq("23"); });`, ""},
		{"cy.get('ul').find('li').then(function (items) {\n  const texts = items.toArray().map((e) => e.innerText.trim())\n  expect(texts).to.deep.equal(['a'])\n})\ncy.get('b')",
			"cy.get('ul').find('li').should('exist').and(function (items) {\n  const texts = items.toArray().map((e) => e.innerText.trim())\n  expect(texts).to.deep.equal(['a'])\n})\ncy.get('b')", ""},
		{`cy.get('a').should('be.visible').then(a => expect(a).to.have.attr('href', '/x'))`, `cy.get('a').should('be.visible').and(a => expect(a).to.have.attr('href', '/x'))`, ""},
		{`cy.get('#n').invoke('text').then((n) => expect(parseInt(n)).to.be.above(3));`, `cy.get('#n').invoke('text').should((n) => expect(parseInt(n)).to.be.above(3));`, ""},
		{`cy.location('pathname').then((p: string) => { assert.equal(p, '/done') });`, `cy.location('pathname').should((p: string) => { assert.equal(p, '/done') });`, ""},
		{`const of = () => cy.get('#n').then((n) => expect(n.attr('id')).to.eq('n'));`, `const of = () => cy.get('#n').should('exist').and((n) => expect(n.attr('id')).to.eq('n'));`, ""},
		{`cy.get('li').then((n) => { const [is] = n.toArray(); expect(is).to.exist; });`,
			`cy.get('li').should('exist').and((n) => { const [is] = n.toArray(); expect(is).to.exist; });`, ""},
		// nothing is asserted, or it is none of Cypress's
		{`cy.get('#n').then((n) => { id = n.text(); });`, "", "-"},
		{`fetch('/x').then((r) => { expect(r.status).to.eq(200); });`, "", "-"},
		{`page.cy.get('#n').then((n) => expect(n).to.exist);`, "", "-"},
		{`cy.wait(2000);`, "", "-"}, // nobody asks for sleeps to be taken out
		// what would not be asked again
		{`cy.should('be.ready').then((n) => expect(n).to.exist);`, "", errCypressOnce.Error()},
		{`cy.request('/x').then((r) => { expect(r.status).to.eq(200); });`, "", errCypressOnce.Error()},
		{`cy.get('@made').then((r) => { expect(r.status).to.eq(200); });`, "", errCypressOnce.Error()},
		{`cy.get('#n').click().then((n) => expect(n.text()).to.eq('23'));`, "", errCypressOnce.Error()},
		{`cy.get('#n').invoke('val', 'x').then((n) => expect(n).to.exist);`, "", errCypressOnce.Error()},
		{`cy.get('#n').invoke('show').then((n) => expect(n).to.exist);`, "", errCypressOnce.Error()},
		// what it gives is used
		{`cy.get('#n').then((n) => expect(n.text()).to.eq('23')).click();`, "", errCypressUsed.Error()},
		{`const n = cy.get('#n').then((n) => expect(n.text()).to.eq('23'));`, "", errCypressUsed.Error()},
		// it does more than look
		{`cy.get('#n').then((n) => { expect(n.text()).to.eq('23'); cy.get('#m').click(); });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { expect(n.text()).to.eq('23'); seen = true; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { expect(n.text()).to.eq('23'); count++; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { n.text('24'); expect(n.text()).to.eq('24'); });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { n.attr({ id: 'm' }); expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { save(n); expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { n[0].click(); expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then(async (n) => { expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { if (n.length) expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { expect(n.text()).to.eq('23'); return n.text(); });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { const all = save(n); expect(all).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => { n[0](); expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n, m) => { expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then(function (n, m) { expect(n).to.exist; });`, "", errCypressDoes.Error()},
		{`cy.get('#n').then((n) => expect(n).to.exist, later);`, "", errCypressDoes.Error()},
		{`cy.get('#n').then({ timeout: 9 }, (n) => { expect(n.text()).to.eq('23'); });`, "", errCypressDoes.Error()},
		{"cy.get('#n').then((n) => { expect(n.text()).to.eq(`${next()}`); });", "", errCypressDoes.Error()},
	} {
		want, left := test.want, test.left
		if want == "" {
			want = test.was
		}
		if left == "-" {
			left = ""
		}
		r := Cypress("a.cy.ts", []byte(test.was), Options{})
		reason := ""
		for _, l := range r.Left {
			reason += l.Reason
		}
		if diff := cmp.Diff(want, string(r.Data)); diff != "" || reason != left {
			t.Errorf("%s: %q, want %q\n%s", test.was, reason, left, diff)
		}
		if again := Cypress("a.cy.ts", r.Data, Options{}); string(again.Data) != string(r.Data) {
			t.Errorf("patched twice: %s", again.Data)
		}
	}
}

// A whole spec: what is moved is a program still, all else stays, and a sleep is said to stay.
func TestCypressSpec(t *testing.T) {
	name := filepath.Join("testdata", "menu.cy.js")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !OfCypress(name, src) || OfCypress("a.js", []byte("cy.nodes('x'); page.cy.get()")) || OfCypress("a.py", src) {
		t.Error("a spec is told by what is asked of cy")
	}
	r := Cypress(name, src, Options{ReplaceSleeps: true})
	if *update {
		if err := os.WriteFile(name+".golden", r.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name + ".golden")
	if diff := cmp.Diff(string(want), string(r.Data)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if r.Retried != 3 || len(r.Left) != 2 || !strings.HasPrefix(r.Left[1].Does, "sleep of 2s") {
		t.Errorf("%d, %+v", r.Retried, r.Left)
	}
}

func FuzzCypress(f *testing.F) {
	f.Add("cy.get('#n').then((n) => { expect(n.text()).to.eq('23'); });")
	f.Add("cy.get('#n').then(")
	f.Add("cy.get('#n').then(n=>(expect)")
	f.Add("cy.then(=>expect)")
	f.Fuzz(func(t *testing.T, src string) {
		r := Cypress("a.cy.js", []byte(src), Options{ReplaceSleeps: true})
		if again := Cypress("a.cy.js", r.Data, Options{}); string(again.Data) != string(r.Data) {
			t.Errorf("patched twice: %q, then %q", r.Data, again.Data)
		}
	})
}
