package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

// authFlags give what stands for the secrets of a recording that holds none.
func authFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "auth", Value: &cmdline.Texts{},
			Usage: "`'NAME: VALUE'` to send instead of a redacted, expired or refused credential; NAME is a header, " +
				"member, parameter or cookie, a /place, or the token itself; env:VAR reads such lines from a variable; repeatable"},
		&cli.StringFlag{Name: "auth-file",
			Usage: "`FILE` with such lines, which keeps the credentials out of the process list"},
	}
}

// credentialOptions reads --auth and --auth-file.
func credentialOptions(c *cli.Context) (flow.Credentials, error) {
	var out flow.Credentials
	for _, spec := range cmdline.TextsOf(c.Generic("auth")) {
		from, lines := "--auth", spec
		if name, found := strings.CutPrefix(spec, "env:"); found && name != "" && !strings.ContainsAny(name, ": ") {
			from = "--auth " + spec
			if lines = os.Getenv(name); lines == "" {
				return nil, console.Usage(fmt.Errorf("%s: environment variable %s is not set", from, name))
			}
		}
		if err := cmdline.AddCredentials(&out, from, lines); err != nil {
			return nil, err
		}
	}
	if file := c.String("auth-file"); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--auth-file: %w", err)
		}
		return out, cmdline.AddCredentials(&out, "--auth-file "+file, string(data))
	}
	return out, nil
}
