//go:build linux && !race

package main

import (
	"context"
	"path/filepath"
	"testing"
)

// What only reads ends when it is told to, with nothing written.
func TestReadersEndWhenInterrupted(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "flaketap.db"), filepath.Join(dir, "out")
	writeTraffic(t, db, 50, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"map", "--db", db, "--out", file},
		{"report", "--db", db, "--out", file},
		{"suite", "--db", db, "--format", "pytest", "--out", file},
		{"diff", db, db},
		{"inspect", "--db", db, "operations"},
		{"inspect", "--db", db, "why", "GET /orders"},
	} {
		status, out, talk := said(ctx, args...)
		if status != exitFailed || out != "" || talk != "flaketap: interrupted\n" {
			t.Errorf("%s: status %d, %.80q, %q", args[0], status, out, talk)
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
			t.Errorf("%s leaves %q", args[0], names)
		}
	}
}
