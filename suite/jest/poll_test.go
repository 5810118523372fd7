package jest

import (
	"fmt"
	"testing"
)

// Behind a loop that waits for something a name is what the last answer gave it, where each turn gives it one; nothing
// is known of it where a turn, or the loop, may not.
func TestPolls(t *testing.T) {
	const unclear = "what is assigned under a condition is not known"
	for _, tt := range []struct{ name, body, want string }{
		{"do", `let r; do { r = await fetch("/a"); } while (r.status === 202);`, "equal /status 200, last"},
		{"while", `let r = null; while (!r || r.status === 202) { r = await fetch("/a"); }`, "equal /status 200, last"},
		{"for", `let r; for (let i = 0; i < 9; i++) { r = await fetch("/a"); if (r.ok) break; }`, "equal /status 200, last"},
		{"a part of it", `let s; do { const r = await fetch("/a"); s = r.status; } while (s === 202); const r = { status: s };`, "equal /status 200, last"},
		{"by a function", `const wait = async () => { for (;;) { const r = await fetch("/a"); if (r.ok) return r; } };
			const r = await wait();`, "equal /status 200, last"},
		{"a turn that is not all", `let r; for (let i = 0; i < 9; i++) { const x = await fetch("/a"); if (x.ok) { r = x; } }`, unclear},
		{"left before", `let r; for (let i = 0; i < 9; i++) { const x = await fetch("/a"); if (x.ok) break; r = x; }`, unclear},
		{"caught", `let r; for (let i = 0; i < 9; i++) { try { r = await fetch("/a"); } catch (e) {} }`, unclear},
		{"no turn, maybe", `let r = await fetch("/a"); while (r.status === 202) { r = await fetch("/b"); }`, unclear},
		{"sent before it", `let r = await fetch("/a"); while (r.status === 202) { r = await fetch("/a"); }`, "equal /status 200, last"},
		{"sent before it, and looked at", `let r = await fetch("/a"); expect(r.ok).toBe(false); while (r.status === 202) { r = await fetch("/a"); }`, unclear},
		{"sent before it, and more", `let r = await fetch("/a"); while (r.status === 202) { r = await fetch("/a"); await fetch("/b"); }`, unclear},
		{"sent before it, by its body", `let r = await fetch("/a"); let b = await r.json(); while (!b.done) { r = await fetch("/a"); b = await r.json(); }`, "equal /status 200, last"},
		{"its body, sent before it", `const get = async () => (await fetch("/a")).json(); let b = await get(); while (!b.done) { b = await get(); } const r = { status: b.n };`, "equal /body/n 200, last"},
		{"sent before it, and kept", `let r = await fetch("/a"); const first = r; while (r.status === 202) { r = await fetch("/a"); }`, "equal /status 200, last"},
		{"of the turn before", `let r, x = await fetch("/a"); do { r = x; x = await fetch("/a"); } while (x.ok);`, unclear},
		{"counted", `let n = 0; do { const x = await fetch("/a"); n = n + x.status; } while (n < 9); const r = { status: n };`, unclear},
	} {
		s := wrote(t, "a.test.js", "test(\"it\", async () => {\n"+tt.body+"\nexpect(r.status).toBe(200);\n});\n")
		test := s.Tests[0]
		a := test.Assertions[len(test.Assertions)-1]
		got := a.Reason
		if got == "" {
			got = fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value)
		}
		for _, c := range test.Calls {
			if c.Last && a.Reason == "" {
				got += ", last"
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
