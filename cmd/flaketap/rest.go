package main

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

func redactAtRestFlag() cli.Flag {
	return &cli.BoolFlag{Name: "redact-at-rest", Usage: "store tokens in the place of secrets; a replay then needs --auth"}
}

// atRest returns what redacts exchanges before they are stored, nil where secrets are stored as they are. A recording
// that holds no secrets stays so, whether the flag is there or not. One that holds some cannot become such.
func atRest(c *cli.Context, db *store.Store) (*redact.Rest, error) {
	rec, err := db.Recording()
	if err != nil {
		return nil, err
	}
	if rest := redact.ForRecording(rec, c.StringSlice("secrets")...); rest != nil {
		return rest, nil
	}
	if !c.Bool("redact-at-rest") {
		return nil, nil
	}
	if len(rec.Passes) > 0 {
		return nil, console.Advise(
			fmt.Errorf("--redact-at-rest: %s holds what was recorded before with its secrets", c.String("db")),
			"record into another file (--db FILE)")

	}
	return redact.NewRest(rec.Key, c.StringSlice("secrets")), nil
}

// markRedacted says in a pass that its exchanges are redacted, and how.
func markRedacted(c *cli.Context, pass *exchange.Pass, rec exchange.Recording, rest *redact.Rest) {
	if rest != nil {
		pass.Redacted, pass.Secrets = true, redact.Named(rec, c.StringSlice("secrets"))
	}
}
