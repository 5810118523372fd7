package main

import (
	"strings"
	"testing"
)

// TestRecordSaysWhereNoTestRan: a client that ran no test at all gets another advice than one whose requests went past.
func TestRecordSaysWhereNoTestRan(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	(&generatedSuite{bench: b}).write("suite/checks.py", []byte("def test_0():\n    pass\n"))
	(&generatedSuite{bench: b}).write("passing/test_a.py", []byte("def test_0():\n    pass\n"))
	for suite, says := range map[string]bool{"suite": true, "passing": false} {
		out, _ := b.sh("flaketap record --db " + suite + ".db --target http://127.0.0.1:1 --listen 127.0.0.1:0 -- " +
			"python -m pytest -q -p no:cacheprovider " + suite)
		_, atEnd, ended := strings.Cut(out, "no requests arrived;") // where the command takes long, it is advised on the way, too
		if !ended || strings.Contains(atEnd, "The command ran no test at all") != says || strings.Contains(atEnd, "Give the client") == says {
			t.Errorf("%s:\n%s", suite, out)
		}
	}
}
