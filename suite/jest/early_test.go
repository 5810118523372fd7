package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// earlySuite has a hook that logs in before each test of a group.
const earlySuite = `const BASE = 'http://localhost:8080';

describe('shop', () => {
  const path = '/cart';
  let token;

  // who it is
  beforeEach(async () => {
    const login = await fetch(BASE + '/login', { method: 'POST' });
    token = (await login.json()).token;
  });

  it('shows a cart', async () => {
    const cart = await fetch(BASE + '/cart/1', { headers: { token } });
    expect(cart.status).CLAIM(200);
  });

  it('shows no cart', async () => {
    const cart = await fetch(BASE + '/cart/2', { headers: { token } });
    expect(cart.status).CLAIM(404);
  });
});
`

// What a hook needs is sent before it, for the one test that it is for, in the words of each runner; the other tests are
// read as they were.
func TestEarly(t *testing.T) {
	for name, c := range map[string]struct{ head, claim, want string }{
		"Mocha": {"const { expect } = require('chai');\n", "to.equal", `  // flaketap: why
  beforeEach(async function () {
    if (this.currentTest.fullTitle() !== 'shop shows a cart') return;
    const setup_0 = await fetch(BASE + '/people', { method: 'POST' });
    setup_id = String((await setup_0.json()).id);
  });
`},
		"Jest": {"", "toBe", `  beforeEach(async () => {
    if (expect.getState().currentTestName !== 'shop shows a cart') return;
`},
		"Vitest": {"import { beforeEach, describe, expect, it } from 'vitest';\n", "toBe", `  beforeEach(async ({ task }) => {
    if (task.name !== 'shows a cart') return;
`},
		"node:test": {"import { beforeEach, describe, it } from 'node:test';\n", "toBe", `  beforeEach(async (t) => {
    if (t.name !== 'shows a cart') return;
`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := script.Read(Written(), "a.test.js", []byte(c.head+strings.ReplaceAll(earlySuite, "CLAIM", c.claim)))
			if err != nil {
				t.Fatal(err)
			}
			by, test := s.Writer.Graft, s.Tests[0]
			test.Calls[1].SentTarget = "/cart/1"
			if !by.Reaches(s, test, test.Calls[0]) || by.Before(s, test, test.Calls[0]) {
				t.Fatal("the hook can be preceded, and is not unless it has to be")
			}
			step := script.SetUpRequest{Var: "setup_0", Comment: "why", Method: "POST", Status: 201,
				Target: []script.TextPart{{Text: "/people"}}, Captures: []script.Capture{{Name: "setup_id", Place: "/body/id",
					Steps: script.StepsOf("/body/id", func(p exchange.Place) byte { return '{' })}}}
			clean := script.SetUpRequest{Var: "cleanup_0", Method: "DELETE",
				Target: []script.TextPart{{Text: "/people/"}, {Variable: "setup_id"}}}
			_, edits, ok := by.Early(s, test, nil, []script.SetUpRequest{step}, []script.SetUpRequest{clean}, nil)
			other := s.Tests[1] // which is given the like
			other.Calls[1].SentTarget = "/cart/2"
			_, more, _ := by.Early(s, other, nil, []script.SetUpRequest{step}, nil, []string{"setup_id"})
			if both := script.Apply(s.Text, slices.Concat(edits, more)); strings.Count(both, "let setup_id;") != 1 ||
				strings.Count(both, "shows no cart') return;") != 1 {
				t.Errorf("both are given one:\n%s", both)
			}
			text := script.Apply(s.Text, edits)
			if !ok || !strings.Contains(text, c.want) || !strings.Contains(text, "=> {\n  let setup_id;\n  const path") ||
				!strings.Contains(text, "    } finally {\n      await fetch(BASE + `/people/${setup_id}`, { method: 'DELETE' });\n    }\n") {
				t.Fatalf("%t\n%s", ok, text)
			}
			again, err := s.Again(text)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, x := range again.Tests {
				for _, call := range x.Calls {
					got += call.Var + " " + call.Method + " " + call.Target + "; "
				}
			}
			const want = "setup_0 POST /people; call 1 POST /login; call 2 GET /cart/1; call 3 DELETE /people/\x00; " +
				"call 0 POST /login; call 1 GET /cart/2; "
			if strings.ReplaceAll(got, script.Unknown, "\x00") != want {
				t.Errorf("read again as\n%q, want\n%q", got, want)
			}
		})
	}
}
