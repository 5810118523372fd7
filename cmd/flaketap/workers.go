package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/stabilize"
)

// maxWorkers is the most instances of an API that are started at once.
const maxWorkers = 64

// checkWorkerOptions refuses --workers where runs beside each other would meet: at an API that is there once, in a
// folder that their runner builds in, or in a file of results.
func checkWorkerOptions(c *cli.Context, api *service.Service, files []mend.File) error {
	built := slices.IndexFunc(files, func(f mend.File) bool {
		return slices.Contains([]string{"pom.xml", "build.gradle", "build.gradle.kts"}, filepath.Base(f.Name))
	})
	var err error
	switch n := c.Int("workers"); {
	case n < 1 || n > maxWorkers:
		err = fmt.Errorf("--workers must be from 1 to %d, got %d", maxWorkers, n)
	case n == 1:
	case c.String("target") != "":
		err = errors.New("use either --target or --workers, not both: there is one API at that address, and runs at once would " +
			"change what each other finds; --start with {port} starts one for each")
	case api == nil || !api.ChoosesPort():
		err = errors.New("--workers needs --start with {port}: each instance of the API needs a port of its own")
	case c.String("reset") != "" && !strings.Contains(c.String("reset"), "{port}"):
		err = errors.New("--workers needs {port} in --reset: it has to reset one instance of the API and leave the others")
	case len(c.StringSlice("results")) > 0:
		err = errors.New("use either --results or --workers, not both: runs at once would leave their results in the same place; " +
			"{results} in the command names a file for each")
	case built >= 0:
		err = fmt.Errorf("--workers: runs at once would build in the same folder, as the suite has %s: use --workers 1",
			console.OneLine(files[built].Name))
	}
	if err != nil {
		return console.Usage(err)
	}
	return nil
}

// runnersBeside returns what runs the suite on so many instances of the API at once. There is one where the suite has
// an address written in, at which no two recorders can listen.
func (o *stabilizeOptions) runnersBeside(workers int) ([]stabilize.Runner, error) {
	written := o.command.Listen != "" && !strings.HasSuffix(o.command.Listen, ":0")
	if written && workers > 1 {
		o.command.Console.Say("flaketap: the suite finds the API at %s only, so it runs once at a time; set-ups are tried on %d "+
			"instances at once", o.command.Listen, workers)
	}
	if written || workers < 2 {
		return []stabilize.Runner{&o.command}, o.whereItWas()
	}
	commands, err := o.command.Beside(workers)
	if err != nil {
		return nil, err
	}
	var out []stabilize.Runner
	for _, one := range commands {
		out = append(out, one)
	}
	return out, nil
}

// whereItWas has the recorder and the API be where they were in the runs that were done before, if that is free: to
// whoever judges these and further ones, an address that has changed is one that moves.
func (o *stabilizeOptions) whereItWas() error {
	recorder, api, err := stabilize.KeptAddresses(o.DB)
	if err != nil || api == "" || o.Fresh {
		return nil // what is wrong with what was kept, whoever goes on from it says
	}
	o.command.Preferred = recorder
	if s := o.command.Service; s != nil && s.ChoosesPort() {
		_, err = s.Locate("", api)
	}
	return err
}
