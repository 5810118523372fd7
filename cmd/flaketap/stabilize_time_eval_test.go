package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kindsOfTests are the tests of a large suite, as a person writes them: %[1]d is the number of the test, %[2]d that of a
// product which is there, %[3]d that of the product which the last test before it made, and %[4]d that test's number.
// Every 25th test reads what another one made.
var kindsOfTests = []string{
	"def test_product_%[1]d():\n    res = get(\"/products/%[2]d\")\n    assert res.status_code == 200\n    product = res.json()\n" +
		"    assert product[\"id\"] == %[2]d\n    assert product[\"viewsSinceReset\"] == 4711\n    assert product[\"currency\"] == \"EUR\"\n" +
		"    assert product[\"stockCheckedAt\"] == \"2026-11-23T13:49:13Z\"\n",
	"def test_health_%[1]d():\n    res = get(\"/health\")\n    assert res.status_code == 200\n    assert res.json()[\"status\"] == \"ok\"\n" +
		"    assert res.json()[\"version\"] == \"1.4.2\"\n",
	"def test_create_%[1]d():\n    res = requests.post(BASE + \"/products\", json={\"name\": \"Pen %[1]d\", \"tag\": \"book\", \"priceCents\": %[1]d}, timeout=10)\n" +
		"    assert res.status_code == 201\n    assert res.json()[\"name\"] == \"Pen %[1]d\"\n",
	"def test_page_%[1]d():\n    res = get(\"/products?limit=2\")\n    assert res.status_code == 200\n    assert len(res.json()[\"items\"]) == 2\n",
	"def test_author_%[1]d():\n    res = get(\"/authors/1\")\n    assert res.status_code == 200\n    assert res.json()[\"id\"] == 1\n",
}

const testOfAnothers = "def test_read_%[1]d():\n    res = get(\"/products/%[3]d\")\n    assert res.status_code == 200\n" +
	"    assert res.json()[\"name\"] == \"Pen %[4]d\"\n"

// largeSuite is a suite of so many tests of the shop for pytest.
func largeSuite(tests int) []byte {
	var out strings.Builder
	out.WriteString("import os\n\nimport requests\n\nBASE = os.environ.get(\"FLAKETAP_URL\", \"http://localhost:8080\")\n\n\n" +
		"def get(path):\n    return requests.get(BASE + path, timeout=10)\n")
	for i := range tests {
		kind := kindsOfTests[i%len(kindsOfTests)]
		if i%25 == 24 {
			kind = testOfAnothers
		}
		text := fmt.Sprintf("\n\n"+kind+"%[5]s", i, 1+i%7, 8+i/5, i-2, "")
		out.WriteString(text)
	}
	return []byte(out.String())
}

// TestEvalStabilizeTime measures where the time of stabilize goes: with 100 tests, and with 300 on an API that takes four
// seconds to start, of which one, two and four instances run at once.
func TestEvalStabilizeTime(t *testing.T) {
	api := "flaketap demo api --listen 127.0.0.1:{port}"
	took := func(t *testing.T, tests, workers int, start string, flags string) time.Duration {
		b := newFuzzBench(t)
		b.patience = 60 * time.Minute
		(&generatedSuite{bench: b}).write("suite/test_shop.py", largeSuite(tests))
		begun := time.Now()
		out, status := b.sh("flaketap stabilize " + flags + " --workers " + strconv.Itoa(workers) + " --start '" + start +
			"' --ready http://127.0.0.1:{port}/health suite -- python -m pytest -q -p no:cacheprovider {}")
		wall := time.Since(begun).Round(time.Second)
		r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
		t.Logf("%d tests, workers %d: %s; %d rounds of patching, %d set-ups, %+v, %+v\n%s", tests, workers, wall, r.Rounds,
			r.SetUps, r.Assertions, r.Seconds, out)
		if status != 0 || r.Before.Tests != tests {
			t.Errorf("exit status %d, %d tests", status, r.Before.Tests)
		}
		return wall
	}
	t.Run("phases", func(t *testing.T) { took(t, 100, 1, api, "") })
	t.Run("phases without muted runs", func(t *testing.T) { took(t, 100, 1, api, "--probe never") })
	t.Run("workers", func(t *testing.T) {
		var one time.Duration
		for _, workers := range []int{1, 2, 4} {
			wall := took(t, 300, workers, "sleep 4; exec "+api, "")
			if workers == 1 {
				one = wall
			}
			t.Logf("workers %d: %s, %.2f of that of one", workers, wall, wall.Seconds()/one.Seconds())
		}
	})
}
