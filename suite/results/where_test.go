package results

import (
	"strings"
	"testing"
	"time"
)

func TestWhere(t *testing.T) {
	for name, tt := range map[string]struct{ suite, trace, want string }{
		"pytest": {"tests.test_shop", "tests/test_shop.py:31: in test_order\n    check(r)\n> assert r == 1\nE  assert 2 == 1\n" +
			"tests/helpers.py:7: AssertionError", "tests/helpers.py:7"},
		"pytest, in what is called": {"test_shop.T", "test_shop.py:31: \n    return self._store[key]\nE KeyError\n\nstructures.py:65: KeyError", "test_shop.py:31"},
		"pytest, in a library": {"t", "test_shop.py:31: in test_order\n/venv/lib/python3.12/site-packages/requests/api.py:59: ConnectionError",
			"test_shop.py:31"},
		"unittest": {"t", "Traceback (most recent call last):\n  File \"/s/test_shop.py\", line 12, in test_a\n    self.assertEqual(1, 2)\n" +
			"  File \"/usr/lib/python3.12/unittest/case.py\", line 9, in assertEqual\nAssertionError: 1 != 2", "/s/test_shop.py:12"},
		"junit": {"org.x.ShopTest", "java.lang.AssertionError: 1\n\tat org.hamcrest.MatcherAssert.assertThat(MatcherAssert.java:20)\n" +
			"\tat org.x.ShopTest.order(ShopTest.java:42)\n\tat org.x.ShopTest.x(ShopTest.java:9)", "ShopTest.java:42"},
		"kotlin": {"org.x.Orders", "\tat io.restassured.Impl.validate(Impl.groovy:1)\n\tat org.x.Orders.get(Orders.kt:5)", "Orders.kt:5"},
		"jest": {"shop.test.js", "Error: expect(received).toBe(expected)\n    at fail (/s/node_modules/expect/index.js:1:2)\n" +
			"    at Object.toBe (/s/shop.test.js:14:27)\n    at new Promise (<anonymous>)", "/s/shop.test.js:14"},
		"node":     {"", "  location: '/s/a.test.mjs:3:1'\n  stack: |-\n    TestContext.<anonymous> (file:///s/a.test.mjs:5:10)\n    Test.run (node:internal/x:9:1)", "/s/a.test.mjs:5"},
		"async":    {"", "Error\n    at async /s/a.test.ts:5:10", "/s/a.test.ts:5"},
		"go":       {"example.org/shop", "=== RUN   TestOrder\n    shop_test.go:27: got 3\n", "shop_test.go:27"},
		"testify":  {"example.org/shop", "    Error Trace:\t/s/shop_test.go:27\n    Error: Not equal", "/s/shop_test.go:27"},
		"hurl":     {"shop", "error: Assert status code\n  --> shop.hurl:4:6\n", "shop.hurl:4"},
		"nothing":  {"shop", "expected 1, got 2 at 12:30:11", ""},
		"no line":  {"shop", "shop_test.go:99999999999999999999: x", ""},
		"no class": {"", "\tat a.B.c(B.java:3)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := locate(tt.suite, tt.trace).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TAP says more of a failure in the lines behind it, and in those of its subtests.
func TestTracesOfTAP(t *testing.T) {
	const tap = "TAP version 13\n# Subtest: up\nok 1 - up\n  ---\n  duration_ms: 3\n  ...\n# Subtest: uptime\nnot ok 2 - uptime\n  ---\n" +
		"  expected: 0.25\n  actual: 8.9\n  stack: |-\n    TestContext.<anonymous> (file:///s/shop.test.mjs:9:3)\n    at run (/s/shop.test.mjs:9:3)\n  ...\n" +
		"# Subtest: orders\n    # Subtest: inner\n    not ok 1 - inner\n      ---\n      stack: |-\n        at Object.x (/s/orders.test.mjs:4:1)\n      ...\n    1..1\n" +
		"not ok 3 - orders\n  ---\n  error: '1 subtest failed'\n  ...\n# Subtest: last\nnot ok 4 - last\n1..4\n"
	all, err := ReadDetailed(strings.NewReader(tap), "tap")
	if err != nil || len(all) != 4 {
		t.Fatalf("%d results: %v", len(all), err)
	}
	for i, want := range []string{"", "/s/shop.test.mjs:9", "/s/orders.test.mjs:4", ""} {
		if got := all[i].Where.String(); got != want {
			t.Errorf("%s failed at %q, want %q in %q", all[i].Name, got, want, all[i].Trace)
		}
	}
	if !strings.Contains(all[1].Trace, "actual: 8.9") || strings.Contains(all[2].Trace, "8.9") || all[1].Message != "not ok 2 - uptime" {
		t.Errorf("%+v", all)
	}
}

// What runners say of when a test ran: exactly, roughly, or not at all.
func TestWhen(t *testing.T) {
	at := func(s string) time.Time {
		out, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, tt := range map[string]struct {
		in         string
		start, end string
		rough      bool
	}{
		"go": {`{"Time":"2026-01-02T03:04:05.25Z","Action":"run","Package":"p","Test":"T"}` + "\n" +
			`{"Time":"2026-01-02T03:04:06Z","Action":"output","Package":"p","Test":"T","Output":"x"}` + "\n" +
			`{"Time":"2026-01-02T03:04:07.5Z","Action":"fail","Package":"p","Test":"T","Elapsed":2.25}`,
			"2026-01-02T03:04:05.25Z", "2026-01-02T03:04:07.5Z", false},
		"jest": {`{"testResults":[{"assertionResults":[{"fullName":"T","status":"passed","duration":250,"startAt":1767323045000}]}]}`,
			"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.251Z", false},
		"jest 29": {`{"testResults":[{"startTime":1767323045000,"endTime":1767323046000,"assertionResults":[{"fullName":"a","status":"passed","duration":250},` +
			`{"fullName":"T","status":"passed","duration":250}]}]}`,
			"2026-01-02T03:04:05.25Z", "2026-01-02T03:04:06Z", true},
		"pytest": {`<testsuite name="pytest" timestamp="2026-01-02T05:04:05.5+02:00" time="4"><testcase name="a" time="1"/><testcase name="T" time="2"/></testsuite>`,
			"2026-01-02T03:04:06.5Z", "2026-01-02T03:04:09.5Z", true},
		"pytest-xdist": {`<testsuite name="pytest" timestamp="2026-01-02T03:04:05.5Z" time="2.5"><testcase name="a" time="2"/><testcase name="T" time="2"/></testsuite>`,
			"2026-01-02T03:04:05.5Z", "2026-01-02T03:04:08Z", true},
		"pytest, rounded": {`<testsuite name="pytest" timestamp="2026-01-02T03:04:05.5Z" time="0.999"><testcase name="a" time="0.5"/><testcase name="T" time="0.5"/></testsuite>`,
			"2026-01-02T03:04:06Z", "2026-01-02T03:04:06.5Z", true},
		"gradle": {`<testsuite name="g" timestamp="2026-01-02T03:04:05"><testcase name="T" time="2"/></testsuite>`,
			"2026-01-02T03:04:05Z", "2026-01-02T03:04:08Z", true},
		"junit":    {`<testsuite name="JUnit Jupiter" timestamp="2026-01-02T03:04:05" time="2"><testcase name="T" time="2"/></testsuite>`, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", false},
		"surefire": {`<testsuite name="g" time="2"><testcase name="T" time="2"/></testsuite>`, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", false},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := ReadDetailed(strings.NewReader(tt.in), name)
			if err != nil {
				t.Fatal(err)
			}
			last := all[len(all)-1]
			if last.Name != "T" || !last.Start.Equal(at(tt.start)) || !last.End.Equal(at(tt.end)) || last.Rough != tt.rough {
				t.Errorf("got %+v", last)
			}
		})
	}
}
