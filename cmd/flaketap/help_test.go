package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// said runs a command in this process, and returns its status and what it wrote to stdout and to stderr.
func said(ctx context.Context, args ...string) (status int, out, talk string) {
	var stdout, stderr bytes.Buffer
	status = run(ctx, append([]string{"flaketap"}, args...), streams{&stdout, &stderr})
	return status, stdout.String(), stderr.String()
}

// Help is had in all ways in which people ask for it.
func TestHelpCommand(t *testing.T) {
	for _, c := range []struct{ by, as string }{
		{"help", "--help"},
		{"help record", "record --help"},
		{"help demo score", "demo score --help"},
		{"help --help", "--help"},
	} {
		status, got, talk := said(t.Context(), strings.Fields(c.by)...)
		_, want, _ := said(t.Context(), strings.Fields(c.as)...)
		if status != exitDone || got != want || got == "" {
			t.Errorf("flaketap %s: status %d, %q, %q", c.by, status, got, talk)
		}
	}
}

// The variable that stands for a flag is named whether or not it is set; an empty one is still none.
func TestHelpNamesVariables(t *testing.T) {
	for flag, command := range map[string]string{"FLAKETAP_DB": "replay", "FLAKETAP_PROXY_AUTH": "record",
		"FLAKETAP_UPSTREAM_PROXY": "record"} {
		if _, out, _ := said(t.Context(), command, "--help"); !strings.Contains(out, "[$"+flag+"]") {
			t.Errorf("the help of %s does not name %s", command, flag)
		}
	}
	t.Setenv("FLAKETAP_DB", "")
	if _, _, talk := said(t.Context(), "inspect"); !strings.Contains(talk, "flaketap.db") {
		t.Errorf("with an empty FLAKETAP_DB: %q", talk)
	}
}
