package main

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/urfave/cli/v2"
)

const variantsFlagName = "variants"

// variantsFlag names other builds of the API.
func variantsFlag() cli.Flag {
	return &cli.GenericFlag{Name: variantsFlagName, Value: &cmdline.Texts{},
		Usage: "run the suites against other builds of the API too: `DIR|CMD`, a folder of programs that each start one at the port that is their only argument, or a command with {port} that starts one; may be repeated"}
}

// variantsOption reads variantsFlag. like is how the API itself is started, nil where others run it: the other builds
// are ready when it would be.
func variantsOption(c *cli.Context, like *service.Service) ([]verify.Variant, error) {
	var out []verify.Variant
	for _, value := range cmdline.TextsOf(c.Generic(variantsFlagName)) {
		found, err := verify.VariantsAt(value)
		if err != nil {
			return nil, console.Usage(fmt.Errorf("--variants: %w", err))
		}
		out = append(out, found...)
	}
	for i := range out {
		api := out[i].API
		if like != nil {
			api.Ready, api.Patience, api.TLS, api.Lead = like.Ready, like.Patience, like.TLS, like.Lead
		}
		if !api.ChoosesPort() {
			return nil, console.Usage(fmt.Errorf("--variants: %q is no folder, and as a command it has no {port}", out[i].Name))
		}
		if err := api.Check(); err != nil {
			return nil, console.Usage(fmt.Errorf("--variants: %q: %w", out[i].Name, err))
		}
	}
	return out, nil
}
