package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording that took the place of another is never explained by the judgement of the other one.
func TestJudgementOfReplacedRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	answer := "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"id\":1}"
	record(t, path, exchangeOf("GET /first HTTP/1.1\nHost: shop", answer))
	s := serve(t, Options{DB: path})
	if got := s.get("/panel/why?n=1"); !strings.Contains(got, "GET /first") {
		t.Fatalf("the first recording is explained by %s", got)
	}
	first, _ := s.live.look()

	check(t, os.Remove(path))
	s.until(func(now state) bool { return strings.Contains(now.Trouble, "is gone") && now.Count == 1 })
	record(t, path, exchangeOf("GET /second HTTP/1.1\nHost: shop", answer))
	s.until(func(now state) bool { return now.key != first.key && now.Count == 1 })
	if now, _ := s.live.look(); now.Trouble != "" {
		t.Errorf("the second recording has trouble: %s", now.Trouble)
	}
	if got := s.get("/panel/why?n=1"); !strings.Contains(got, "GET /second") || strings.Contains(got, "GET /first") {
		t.Errorf("the second recording is explained by %s", got)
	}
}
