package stabilize

import (
	"strings"

	"github.com/flaketap/flaketap/suite/verify"
)

// Runners are what runs the suite on so many instances of the API at once. There is one where the suite has an address
// written in, at which no two recorders can listen.
func (o Options) Runners(c *verify.Command, count int) ([]Runner, error) {
	written := c.Listen != "" && !strings.HasSuffix(c.Listen, ":0")
	if written && count > 1 {
		c.Console.Say("flaketap: the suite finds the API at %s only, so it runs once at a time; set-ups are tried on %d "+
			"instances at once", c.Listen, count)
	}
	if written || count < 2 {
		return []Runner{c}, o.whereItWas(c)
	}
	commands, err := c.Beside(count)
	if err != nil {
		return nil, err
	}
	var out []Runner
	for _, one := range commands {
		out = append(out, one)
	}
	return out, nil
}

// whereItWas has the recorder and the API be where they were in the runs that were done before, if that is free: to
// whoever judges these and further ones, an address that has changed is one that moves.
func (o Options) whereItWas(c *verify.Command) error {
	recorder, api, err := KeptAddresses(o.DB)
	if err != nil || api == "" || o.Fresh {
		return nil // what is wrong with what was kept, whoever goes on from it says
	}
	c.Preferred = recorder
	if s := c.Service; s != nil && s.ChoosesPort() {
		_, err = s.Locate("", api)
	}
	return err
}
