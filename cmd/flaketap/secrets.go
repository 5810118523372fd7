package main

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/urfave/cli/v2"
)

// secretsFlag names what is secret beside what is always taken for one. In the configuration file it is a list.
func secretsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "secrets", Usage: "`NAME` of members and headers, or /place, that is secret too; may be repeated"}
}

// concealOperations shows the secrets in paths as tokens, before anything is told by operation, and gives another name to
// bound values that are named after such a path.
func (j *judged) concealOperations() {
	letters := strings.NewReplacer("-", "", "_", "", ".", "", "~", "", "%", "")
	paths := make(map[uint64]string)
	for _, e := range j.exchanges {
		path, _ := exchange.SplitTarget(e.Request.Target)
		if segment := path[strings.LastIndexByte(path, '/')+1:]; len(j.redactor.Secrets(segment)) > 0 {
			paths[e.Seq] = strings.ToLower(letters.Replace(segment))
		}
	}
	for i := range j.bindings {
		b := &j.bindings[i]
		segment := paths[b.Producer.Seq]
		if name := strings.ToLower(b.Name); segment != "" && len(name) >= 4 && strings.HasPrefix(segment, name[:min(len(name), len(segment), 4)]) {
			b.Name = fmt.Sprintf("bound%d", i+1)
		}
	}
	for seq, op := range j.operations {
		op.Template = j.redactor.Show("", op.Template)
		j.operations[seq] = op
	}
}
