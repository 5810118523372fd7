package main

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/experiment"
	"github.com/flaketap/flaketap/report/ui"
	"github.com/flaketap/flaketap/suite/stabilize"
	"github.com/urfave/cli/v2"
)

func (t *tool) uiCommand() *cli.Command {
	return &cli.Command{
		Name:      "ui",
		Usage:     "show a recording as a page on this machine, live while others record, replay, search or stabilize",
		UsageText: "flaketap ui [--db FILE] [--listen ADDRESS] [-- FLAG…]",
		Description: "Prints the address of the page. Whoever has it sees the recording: it holds a token.\n" +
			"FLAGs behind -- are those of replay, for the replays that are started on the page:\n" +
			"flaketap ui -- --reset ./reset.sh. See docs/ui.md.",
		Flags: common(
			&cli.StringFlag{Name: "session", Usage: "`FILE` of the recording, as --db"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "`ADDRESS` of this machine to listen on"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(),
			openapiFlag(),
		),
		Action: t.ui,
	}
}

func (t *tool) ui(c *cli.Context) error {
	if err := noArguments("ui", c.Args()); err != nil {
		return err
	}
	db := c.String("db")
	if c.IsSet("session") {
		if c.IsSet("db") {
			return console.Usage(errors.New("use either --db or --session, not both"))
		}
		db = c.String("session")
	}
	level, err := logLevelOption(c)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.String("listen"))
	if err != nil {
		return fmt.Errorf("listen for the page: %w", err)
	}
	defer l.Close()
	more := t.client
	if c.IsSet("config") {
		more = append([]string{"--config", c.String("config")}, more...)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := ui.New(l.Addr(), ui.Options{DB: db, Analysis: t.analysisOptions(c), Version: cmdline.Version(),
		Working:    func() string { return stabilize.Underway(db) },
		Conditions: experiment.Names(), Log: t.logger(level), Replay: ui.Child(self, db, more)})
	if err != nil {
		return console.Usage(fmt.Errorf("--listen: %w", err))
	}
	if _, err := fmt.Fprintln(t.out, s.Address()); err != nil {
		return err
	}
	t.consoleOptions(c).Say("flaketap: showing %s; open the address above, and end this with Ctrl-C", db)
	return s.Serve(c.Context, l)
}
