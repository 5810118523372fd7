package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// notesTests is a suite for the API that keeps notes: so many tests, each of which makes a note, and reads it twice.
func notesTests(tests int) {
	ask := func(method, path string) string {
		r, err := http.NewRequest(method, os.Getenv("FLAKETAP_URL")+path, http.NoBody)
		if err != nil {
			return err.Error()
		}
		r.Header.Set("About", "suite")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return fmt.Sprint(answer.StatusCode, string(body), err)
	}
	fmt.Printf("TAP version 13\n1..%d\n", tests)
	status := 0
	for i := range tests {
		name := fmt.Sprintf("note-%d-suite", i)
		said, ok := ask(http.MethodPost, "/notes"), "ok"
		if said != fmt.Sprintf("201{%q:%q}<nil>", "name", name) {
			ok, status = "not ok", 1
		}
		for range 2 {
			if said := ask(http.MethodGet, "/notes/"+name); said != fmt.Sprintf("200{%q:%q}<nil>", "name", name) {
				ok, status = "not ok", 1
			}
		}
		fmt.Printf("%s %d - note %d\n", ok, i+1, i)
	}
	os.Exit(status)
}

// runNotesTests are the words behind -- that run it.
func runNotesTests(t testing.TB, tests int) []string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--", "env", fmt.Sprintf("FLAKETAP_TEST_AS_SUITE=%d", tests), exe}
}

// TestManyTrials has two workers lend their APIs to verify, of which one is killed, within a trial unless this machine
// is very slow, and yet verify says what it says by itself.
func TestManyTrials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	start := startNotes(t, 5*time.Millisecond)
	suite := runNotesTests(t, 20)
	verify := []string{"verify", "--runs", "3", "--mutate", "change,drop", "--mutants", "5", "--format", "json", "--out"}
	b.run(nil, slices.Concat(verify, []string{"here.json"}, start, suite)...).exit(0)

	hub := b.run(nil, "hub", "--listen", "127.0.0.1:0")
	at := hub.wait(`hub at (nats://\S+),`) + "/notes"
	reach := []string{"--hub-credential", "flaketap-hub/credential", "--token-key", "token.key"}
	worker := slices.Concat([]string{"worker", at}, start, reach)
	first, second := b.run(nil, worker...), b.run(nil, worker...)
	first.wait("the API is ready")
	second.wait("the API is ready")
	by := b.run(nil, slices.Concat(verify, []string{"there.json", "--workers", at}, reach, suite)...)
	by.wait("2 workers at that hub")
	first.wait("lent the API for trial")
	first.signal(syscall.SIGKILL)
	<-first.over
	by.exit(0)
	second.signal(syscall.SIGTERM)
	second.exit(0)
	if here, there := b.must("cat here.json"), b.must("cat there.json"); here != there {
		t.Errorf("alone it says\n%s\nby workers\n%s", here, there)
	}
}
