package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"gopkg.in/yaml.v3"
)

// defaultConfig is read where it is there and --config names no other.
const defaultConfig = "flaketap.yaml"

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", EnvVars: []string{"FLAKETAP_CONFIG"}, Usage: "`FILE` of settings (default: " + defaultConfig + ", if it is there)"}
}

// configure gives the flags of a command that were set neither on the command line nor by the environment the values
// of the configuration file. The file has a section for each command, named as it is, whose keys are its flags; a key
// outside a section is for every command that has such a flag.
func configure(c *cli.Context) error {
	path, asked := c.String("config"), c.IsSet("config")
	if path == "" {
		path = defaultConfig
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if info.Size() > maxConfig {
		return fmt.Errorf("read settings: %s is larger than %d bytes", path, maxConfig)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	var file map[string]yaml.Node
	if err := yaml.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("read settings %s: %w", path, err)
	}
	var own map[string]yaml.Node
	section := file[c.Command.Name]
	if err := section.Decode(&own); err != nil && !section.IsZero() {
		return fmt.Errorf("read settings %s: section %s: %w", path, c.Command.Name, err)
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if err := setFlag(c, path, key, own[key], false); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if file[key].Kind != yaml.MappingNode {
			if err := setFlag(c, path, key, file[key], true); err != nil {
				return err
			}
		}
	}
	return nil
}

// setFlag sets one flag from the file, unless something stronger has set it. Where the key stands outside a section, a
// command that has no such flag passes it over.
func setFlag(c *cli.Context, path, key string, value yaml.Node, shared bool) error {
	known := slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), key) })
	if !known && shared {
		return nil
	}
	if !known {
		return usageError{fmt.Errorf("%s:%d: %s has no flag %q", path, value.Line, c.Command.Name, key)}
	}
	if c.IsSet(key) {
		return nil
	}
	values := []string{value.Value}
	if value.Kind == yaml.SequenceNode {
		values = nil
		for _, n := range value.Content {
			values = append(values, n.Value)
		}
	}
	for _, v := range values {
		if err := c.Set(key, v); err != nil {
			return usageError{fmt.Errorf("%s:%d: %s: %s", path, value.Line, key, strings.TrimSpace(err.Error()))}
		}
	}
	return nil
}
