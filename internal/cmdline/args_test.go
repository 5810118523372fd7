package cmdline

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestReorder(t *testing.T) {
	out := &cli.StringFlag{Name: "out", Aliases: []string{"o"}}
	app := &cli.App{Commands: []*cli.Command{
		{Name: "map"},
		{Name: "import", Flags: []cli.Flag{&cli.StringFlag{Name: "as"}, &cli.StringFlag{Name: "db"}, &cli.StringFlag{Name: "label"}}},
		{Name: "patch", Flags: []cli.Flag{&cli.BoolFlag{Name: "in-place"}, &cli.StringFlag{Name: "mode"}, out}},
		{Name: "demo", Subcommands: []*cli.Command{{Name: "score"}}},
		{Name: "mock", Subcommands: []*cli.Command{{Name: "serve", Flags: []cli.Flag{&cli.StringFlag{Name: "start"}}}}},
		{Name: "hub", Flags: []cli.Flag{&cli.StringFlag{Name: "dir"}}, Subcommands: []*cli.Command{{Name: "status"}}},
		{Name: "completion", Subcommands: []*cli.Command{{Name: "candidates", Hidden: true}}},
	}}
	for _, test := range []struct{ args, want string }{
		{"flaketap", "flaketap"},
		{"flaketap map", "flaketap map"},
		{"flaketap import a.har --as run b.har --db x.db", "flaketap import --as run --db x.db a.har b.har"},
		{"flaketap patch suite --in-place --mode=comment -o out", "flaketap patch --in-place --mode=comment -o out suite"},
		{"flaketap demo score map.json --help", "flaketap demo score --help"},
		{"flaketap patch suite -h", "flaketap patch -h"},
		{"flaketap help patch suite", "flaketap help patch suite"},
		{"flaketap --help map", "flaketap --help map"},
		{"flaketap import a.har --label --help", "flaketap import --label --help a.har"},
		{"flaketap import - --label last", "flaketap import --label last -"},
		{"flaketap import a.har --label", "flaketap import --label a.har"},
		{"flaketap --version", "flaketap --version"},
		{"flaketap mpa --db x.db", "flaketap mpa x.db"},
		{"flaketap nosuch --help", "flaketap nosuch"},
		{"flaketap mock serv a --start b", "flaketap mock serv a b"},
		{"flaketap mock --help serve", "flaketap mock --help"},
		{"flaketap hub nosuch --dir a", "flaketap hub --dir a nosuch"},
		{"flaketap completion bash --help", "flaketap completion --help"},
	} {
		if got := strings.Join(Reorder(app, strings.Fields(test.args)), " "); got != test.want {
			t.Errorf("Reorder(%s) = %s, want %s", test.args, got, test.want)
		}
	}
}

func TestSplitClient(t *testing.T) {
	own, client := SplitClient([]string{"flaketap", "record", "--", "curl", "--", "-s"})
	if len(own) != 2 || strings.Join(client, " ") != "curl -- -s" {
		t.Errorf("own %q, client %q: only the first -- divides", own, client)
	}
}
