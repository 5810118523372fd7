package main

import "github.com/urfave/cli/v2"

// secretsFlag names what is secret beside what is always taken for one. In the configuration file it is a list.
func secretsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "secrets", Usage: "`NAME` of members and headers, or /place, that is secret too; may be repeated"}
}

// concealOperations shows the secrets in paths as tokens, before anything is told by operation.
func (j *judged) concealOperations() {
	for seq, op := range j.operations {
		op.Template = j.redactor.Show("", op.Template)
		j.operations[seq] = op
	}
}
