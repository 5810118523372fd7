package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
		found, err := variantsAt(value)
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

// variantsAt returns the builds that one value of the flag stands for.
func variantsAt(value string) ([]verify.Variant, error) {
	entries, err := os.ReadDir(value)
	if errors.Is(err, os.ErrNotExist) || err != nil && strings.Contains(value, "{port}") {
		return []verify.Variant{{Name: value, API: &service.Service{Command: value}}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []verify.Variant
	for _, e := range entries {
		path, err := filepath.Abs(filepath.Join(value, e.Name()))
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		out = append(out, verify.Variant{Name: e.Name(), API: &service.Service{Command: "exec " + quoted + " {port}"}})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no program that may be executed", value)
	}
	return out, nil
}
