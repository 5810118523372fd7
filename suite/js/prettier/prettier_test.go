package prettier_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
)

// laid lays statements of JavaScript out.
func laid(t *testing.T, source string, width int) string {
	t.Helper()
	tokens, err := js.Tokens("", source)
	if err != nil {
		t.Fatal(err)
	}
	style := prettier.Style{Width: width, Indent: 2, End: ";"}
	return strings.Join(style.Statements(source, js.Layout(source, tokens)), "\n")
}

// statements are such as assertions are: short ones and long ones, in all the words that are written.
func statements() []string {
	long := strings.Repeat("a", 60)
	return []string{
		`expect(res.body.id).to.be.a("string").that.matches(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);`,
		`expect(res.body.id).to.be.a("string").that.matches(/^[\da-f]{8}$/);`,
		`expect(res.body.id).to.be.a("string").that.matches(/^\d/);`,
		`expect(res.body.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);`,
		`expect(res.body.error).to.not.be.an("array").that.is.instanceof(Fooooooooooooooooooooooooooooo);`,
		`expect(Number.isInteger(body.took)).toBe(true); expect(body.took).toBeGreaterThanOrEqual(0);`,
		`expect(Number.isInteger(body.` + long[:46] + `)).to.be.true;`,
		`expect(Number.isInteger(body.` + long + `)).toBe(true);`,
		`expect(typeof res.body.error === "object" && res.body.error !== null && !Array.isArray(res.body.error)).to.be.true;`,
		`expect(a === 1 || (b === 2 && c)).toBe(true);`,
		`expect(Object.keys(body.` + long[:44] + `).length).toBe(3);`,
		`expect(body.facets).to.have.members(["currency", "tag", "author", "price", "released"]);`,
		`expect([...body.facets].sort()).toEqual(["currency", "tag", "author", "price", "released", "other"]);`,
		`expect(body.facets).toEqual(expect.arrayContaining(["currency", "tag", "author", "price", "released"]));`,
		`expect(body.n).toEqual([1, 2, 3, 4, 5, 6, 7, 8, -9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);`,
		`expect(body.` + long + `).toEqual([1, 2, 3, 4]);`,
		`expect(body).toEqual({ a: 1, ` + long[:30] + `: 2, "c-d": 3, ddddddddddddddddddddd: [1, 2] });`,
		`expect(body.checks).toEqual([{ name: "store", state: "up" }, { name: "clock", state: "up" }]);`,
		`expect(body.checks).toEqual([{ name: "store" }, { name: "clock" }]);`,
		`expect(body.checks).toEqual([]); expect(body).toEqual({});`,
		`if (a !== undefined) expect(body.` + long[:30] + `).toEqual("` + long[:40] + `");`,
		`if (a !== undefined) expect(body.a).toEqual("aaaaa");`,
		`if (a !== undefined) { expect(body.a).toEqual("aaaaa"); expect(1).toBe(2); }`,
		`if (a.` + long + ` !== undefined && bbbbbbbbbb) { expect(1).toBe(2); }`,
		`{ const actual = f(x); expect(actual).toBe(1); }`,
		`expect([200, 400, 422, 500, 201, 203, 204]).toContain((await api.get("/prices/estimate/foo")).status);`,
		`expect(["aaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccccc", "ddddddddd"]).toContain(body.status);`,
		`assert.match(body.` + long[:36] + `.bbbbbbbbb, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]/);`,
		`assert.deepEqual(body.aaaaaaaaaaaaaaaaaaaaaa, ["aaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccccc"]);`,
		`assert.deepEqual(body.aaaaaaaaaaaaaaaaaaaaaa, [1000000, 2000000, 3000000, 4000000, 5000000, 6000000]);`,
		`assert.ok(Number.isInteger(body.` + long[:30] + `) && body.` + long[:30] + ` > 0);`,
		`expect(res.headers.` + long[:36] + `.get("` + long[:24] + `")).toMatch(/^[\da-f]{8}-[\da-f]{4}/);`,
		`expect(res.body.a).not.toBe("` + long + `");`,
		`expect(res.body.items.every((item) => typeof item.id === "number" && item.id > 0 && item.id < 10)).toBe(true);`,
		`expect(typeof res.body.x === "number" && !Number.isInteger(res.body.x)).toBe(true);`,
		`expect(Object.keys(body.` + long[:30] + `).sort()).toEqual(["a", "b", "c", "d", "e", "f"]);`,
		`expect(res.status, "the shop is down, and so is all that hangs on it, as it seems").to.be.oneOf([200, 201]);`,
	}
}

// What is laid out is what prettier makes of it.
func TestAsPrettier(t *testing.T) {
	needs.Program(t, "node")
	program, err := filepath.Abs("../../../.tools/node/node_modules/.bin/prettier")
	_, none := os.Stat(program)
	needs.That(t, "prettier", err == nil && none == nil)
	want := laidByPrettier(t, program, statements())
	for i, source := range statements() {
		if got := laid(t, source, 80); got != want[i] {
			t.Errorf("%s\nis laid out as\n%s\nprettier has\n%s", source, got, want[i])
		}
	}
}

// laidByPrettier has prettier lay statements out, in one run.
func laidByPrettier(t *testing.T, program string, sources []string) []string {
	t.Helper()
	const between = "\n// next\n"
	cmd := exec.Command(program, "--parser", "babel")
	cmd.Stdin = strings.NewReader(strings.Join(sources, between))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	laid := strings.Split(strings.TrimSpace(string(out)), strings.TrimSuffix(between, "\n"))
	for i := range laid {
		laid[i] = strings.TrimSpace(laid[i])
	}
	return laid
}

// What is laid out is the same, but for blanks, and for commas and semicolons behind the last of several, whatever it
// is.
func FuzzStatements(f *testing.F) {
	for _, s := range statements() {
		f.Add(s, 40)
	}
	bare := strings.NewReplacer(" ", "", "\t", "", "\n", "", "\v", "", "\f", "", ",", "", ";", "")
	f.Fuzz(func(t *testing.T, source string, width int) {
		tokens, err := js.Tokens("", source)
		if err != nil || strings.ContainsAny(source, "\r\n\u2028\u2029\ufeff\u00a0") || strings.Contains(source, "//") ||
			strings.Contains(source, "/*") || strings.HasPrefix(source, "#!") {
			t.Skip()
		}
		style := prettier.Style{Width: width % 200, Indent: 2, End: ";"}
		text := strings.Join(style.Statements(source, js.Layout(source, tokens)), "\n")
		if bare.Replace(text) != bare.Replace(source) {
			t.Errorf("%s becomes %s", source, text)
		}
	})
}
