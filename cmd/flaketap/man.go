package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
)

func (t *tool) manCommand() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "print a manual page, or write all of them into a folder",
		UsageText: "flaketap man [COMMAND] | man -l -\nflaketap man --out DIR",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write all pages into"},
			forceFlag(), quietFlag(),
		},
		Action: t.man,
	}
}

func (t *tool) man(c *cli.Context) error {
	words, err := t.arguments(c)
	if err != nil {
		return err
	}
	dir, err := folderOption(c, "out")
	if err == nil && dir != "" {
		err = outfile.CheckAbove(dir)
	}
	if err != nil {
		return err
	}
	pages := cmdline.ManPages(t.app()) // a command that runs has flags that it was not declared with
	switch {
	case dir == "":
		name := strings.Join(append([]string{c.App.Name}, words...), "-")
		page, ok := pages[name+".1"]
		if !ok {
			known := console.Suggest(strings.Join(words, " "), commandNames(c.App.Commands), "flaketap --help lists the commands")
			return console.Usage(fmt.Errorf("no manual page for %q; %s", strings.Join(words, " "), known))
		}
		_, err := t.out.Write(page)
		return err
	case len(words) > 0:
		return console.Usage(errors.New("use either a COMMAND or --out, not both: --out writes all pages"))
	}
	var files []outfile.File
	for name, page := range pages {
		files = append(files, outfile.File{Name: name, Data: page})
	}
	if err := outfile.WriteAll(dir, files, nil); err != nil {
		return err
	}
	t.consoleOptions(c).Say("flaketap: %s written to %s", console.Count(len(files), "page"), dir)
	return nil
}
