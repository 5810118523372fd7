package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDamagedRecording: every command says which exchanges or answers are damaged. Where no exchange is left, it does
// nothing else; where answers are missing, it says so beside what the rest shows.
func TestDamagedRecording(t *testing.T) {
	t.Chdir(t.TempDir())
	var entries []string
	for i := range 100 {
		entries = append(entries, fmt.Sprintf(`{"startedDateTime":"2026-01-01T00:00:%02dZ","time":1,`+
			`"request":{"method":"GET","url":"http://127.0.0.1:1/%d","httpVersion":"HTTP/1.1","headers":[]},`+
			`"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"content":{"size":2,"text":"{}"}}}`, i%60, i))
	}
	har := `{"log":{"version":"1.2","entries":[` + strings.Join(entries, ",") + `]}}`
	for name, data := range map[string]string{"x.har": har, "suite/a.py": "import unittest\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"import --db recorded.db x.har", "import --db observed.db x.har"} {
		if status, said := command(line); status != 0 {
			t.Fatal(said)
		}
	}
	breakNew(t, "recorded.db", nil)
	before := read(t, "observed.db")
	if status, said := command("import --db observed.db --as run x.har"); status != 0 {
		t.Fatal(said)
	}
	breakNew(t, "observed.db", before)
	for _, line := range []string{"map", "report --out r.html", "export", "suite --out new", "patch suite", "replay --target http://127.0.0.1:1"} {
		nothingLeft(t, line)
	}
	nothingLeft(t, "import --as run x.har")
	if _, err := os.Stat("new"); err == nil {
		t.Error("a suite was written")
	}
	for _, line := range []string{"map", "report --out r.html", "suite --out new", "patch suite"} {
		_, said := command(line + " --db observed.db")
		if !strings.Contains(said, "what run 1 observed between exchanges 1 and ") || !strings.Contains(said, "cannot be read: file is damaged") {
			t.Errorf("%s says %q", line, said)
		}
	}
}

// nothingLeft runs a command on a recording of which no exchange can be read.
func nothingLeft(t *testing.T, line string) {
	t.Helper()
	status, said := command(line + " --db recorded.db")
	// How many there are in the first block depends on when it was written.
	if status != exitFailed || !regexp.MustCompile(`exchanges 1 to \d+ cannot be read: file is damaged`).MatchString(said) || strings.Count(said, "\n") != 1 {
		t.Errorf("%s gives %d and says %q", line, status, said)
	}
}

// command runs a command line and returns its status and what it said.
func command(line string) (int, string) {
	var out, said bytes.Buffer
	status := run(context.Background(), append([]string{"flaketap"}, strings.Fields(line)...), streams{&out, &said})
	return status, said.String()
}

// breakNew turns a bit in each block of a recording that it did not have before.
func breakNew(t *testing.T, path string, before []byte) {
	t.Helper()
	data := read(t, path)
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd} // RFC 8878, 3.1.1
	broken := 0
	for i := 0; ; i++ {
		at := bytes.Index(data[i:], frame)
		if at < 0 {
			break
		}
		if i += at; !bytes.Contains(before, data[i:i+48]) {
			data[i+40] ^= 1
			broken++
		}
	}
	if broken == 0 {
		t.Fatalf("no new block in %s", path)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
