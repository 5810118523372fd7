package main

import (
	"strings"
	"testing"
)

func TestReorder(t *testing.T) {
	app := (&tool{}).app()
	for _, test := range []struct{ args, want string }{
		{"flaketap", "flaketap"},
		{"flaketap map", "flaketap map"},
		{"flaketap import a.har --as run b.har --db x.db", "flaketap import --as run --db x.db a.har b.har"},
		{"flaketap patch suite --in-place --mode=comment -o out", "flaketap patch --in-place --mode=comment -o out suite"},
		{"flaketap demo score map.json --help", "flaketap demo score --help map.json"},
		{"flaketap import - --label last", "flaketap import --label last -"},
		{"flaketap import a.har --label", "flaketap import --label a.har"},
		{"flaketap --version", "flaketap --version"},
	} {
		if got := strings.Join(reorder(app, strings.Fields(test.args)), " "); got != test.want {
			t.Errorf("reorder(%s) = %s, want %s", test.args, got, test.want)
		}
	}
}

func TestSplitClient(t *testing.T) {
	own, client := splitClient([]string{"flaketap", "record", "--", "curl", "--", "-s"})
	if len(own) != 2 || strings.Join(client, " ") != "curl -- -s" {
		t.Errorf("own %q, client %q: only the first -- divides", own, client)
	}
}
