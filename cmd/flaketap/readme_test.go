package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// TestReadmeTranscript runs the console session of the README and holds what it prints against what stands there; an
// ellipsis stands for any text within a line.
func TestReadmeTranscript(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	session := readmeBlock(t, "What it looks like", "console")
	for i, part := range strings.Split(session, "$ ") {
		if i == 0 {
			continue
		}
		command, want, _ := strings.Cut(part, "\n")
		got := b.must(command, "API="+url)
		// An ellipsis stands for the rest of a line, or where it is one of its own, for any lines.
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "\n…\n", "\n(?:.*\n)*")
		pattern = "^" + strings.ReplaceAll(pattern, "…", ".*") + "$"
		if !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("$ %s\nprinted\n%s\nthe README says\n%s", command, got, want)
		}
	}
}

// readmeCommands returns the shell commands of the first code block below a heading of the README.
func readmeCommands(t *testing.T, heading string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(readmeBlock(t, heading, "sh")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// readmeBlock returns the first code block of a language below a heading of the README.
func readmeBlock(t *testing.T, heading, language string) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(data), "## "+heading+"\n")
	if !ok {
		t.Fatalf("README.md has no heading %q", heading)
	}
	block := regexp.MustCompile("(?s)```" + language + "\n(.+?)```").FindStringSubmatch(section)
	if block == nil {
		t.Fatalf("README.md has no %s block below %q", language, heading)
	}
	return block[1]
}
