package main

import "github.com/urfave/cli/v2"

// dbsFlag is --db for a command that judges several recordings of one client as one.
func dbsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "db", Value: cli.NewStringSlice(defaultDB), EnvVars: []string{"FLAKETAP_DB"},
		Usage: "`FILE` of the recording, or a folder or pattern of them; repeat for several recordings of one client"}
}

func lastFlag() cli.Flag {
	return &cli.IntFlag{Name: "last", Usage: "of several recordings, the `K` newest count (default: all)"}
}
