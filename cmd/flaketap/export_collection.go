package main

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report/collection"
	"github.com/urfave/cli/v2"
)

// exportCollectionOptions is what the flags of export ask for where the form is a collection of requests.
type exportCollectionOptions struct {
	form   collection.Form
	db     string
	read   collection.Options
	inputs []string
	dir    string // of a form of several files
	out    output // of one of a single file
}

func (t *tool) exportCollectionOptions(c *cli.Context, form collection.Form) (o exportCollectionOptions, err error) {
	o = exportCollectionOptions{form: form, db: c.String("db"), inputs: inputOptions(c),
		read: collection.Options{Rules: t.rules.Bindings, Secrets: c.StringSlice("secrets"), Reveal: c.Bool("reveal")}}
	if !form.Files {
		o.out, err = t.outputOptions(c)
		return o, err
	}
	o.out.talk = t.consoleOptions(c)
	if o.dir, err = folderOption(c, "out"); err == nil && o.dir == "" {
		err = console.Usage(fmt.Errorf("export --format %s needs --out DIR, the folder for a file of each request", form.Name))
	}
	return o, err
}

// run writes the collection, and says what is left out of it.
func (o exportCollectionOptions) run() error {
	all, err := collection.Read(o.db, o.read)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	files, err := o.form.Write(all)
	if err != nil {
		return err
	}
	o.out.talk.WarnOfEach("left out", all.Left)
	what := console.Count(len(all.Requests), "request")
	if o.form.Files {
		if err := outfile.WriteAll(o.dir, files, o.inputs); err != nil {
			return err
		}
		o.out.talk.Say("flaketap: %s written to %s", what, o.dir)
		return nil
	}
	return o.out.emit(what, zipped(o.out.path, outfile.Bytes(files[0].Data)))
}
