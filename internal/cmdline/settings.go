package cmdline

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// DefaultConfig is read where it is there and --config names no other.
const DefaultConfig = "flaketap.yaml"

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// WithSettings returns the arguments with those put before the user's that the configuration file stands for: for the
// flags of the command that are set neither on the command line nor by the environment. The file has a section for each
// command, named as it is, whose keys are its flags; a key outside a section is for every command that has such a flag.
// A key that no command knows is refused, wherever it stands: left out in silence, a slip of the pen would look like a
// setting.
//
// The sections bindings and places are none of a command: they have rules, which are returned. args are in the order
// that Reorder gives them.
func WithSettings(app *cli.App, args []string) ([]string, analysis.Rules, error) {
	line := commandLine(app, args)
	if line.command == nil || !HasFlag(line.command, "config") || line.has("help", "h") {
		return args, analysis.Rules{}, nil
	}
	path := line.value("config")
	asked := path != ""
	if !asked {
		path = DefaultConfig
	}
	root, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		return args, analysis.Rules{}, nil
	}
	if err != nil {
		return nil, analysis.Rules{}, err
	}
	s := settings{app: app, line: line, path: path, set: map[string]bool{}}
	if err := s.file(root); err != nil {
		return nil, analysis.Rules{}, err
	}
	return slices.Concat(args[:line.words], s.options, args[line.words:]), s.rules, nil
}

// readConfig reads a configuration file to its mapping, nil where there is nothing in it.
func readConfig(path string) (*yaml.Node, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	if len(data) > maxConfig {
		return nil, fmt.Errorf("read settings: %s is larger than %d bytes", path, maxConfig)
	}
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	err = dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = dec.Decode(&second); errors.Is(err, io.EOF) {
			return doc.Content[0], nil
		}
	}
	if err != nil {
		text := yamlLine.ReplaceAllString(err.Error(), "$1: ")
		return nil, console.Usage(fmt.Errorf("%s:%s", path, strings.TrimPrefix(text, "yaml: ")))
	}
	return nil, console.Usage(fmt.Errorf("%s:%d: a second YAML document begins here; want only one", path, second.Line))
}

// yamlLine is how the YAML reader names the line of a mistake.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// settings is the reading of one configuration file for one command.
type settings struct {
	app     *cli.App
	line    line
	path    string
	set     map[string]bool // the flags that the file has set, by name
	options []string        // that the file stands for: --name=value
	rules   analysis.Rules
}

// wrong is a mistake in the file, with its line.
func (s *settings) wrong(at *yaml.Node, format string, args ...any) error {
	return console.Usage(fmt.Errorf("%s:%d: "+format, append([]any{s.path, at.Line}, args...)...))
}

// file takes in the whole file. What stands in the command's own section outranks what stands outside of it, and is
// therefore set first.
func (s *settings) file(root *yaml.Node) error {
	if root == nil || isNull(root) {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return s.wrong(root, "settings must be lines of the form \"key: value\"")
	}
	commands := configurable(s.app)
	known := []string{bindingsKey, placesKey}
	for _, cmd := range commands {
		known = append(append(known, cmd.Name), FlagNames(cmd.Flags)...)
	}
	own := func(key string) *cli.Command { return find(commands, key) }
	err := s.pairs(root, func(key, value *yaml.Node) error {
		switch cmd := own(key.Value); {
		case key.Value == bindingsKey:
			return s.bindings(value)
		case key.Value == placesKey:
			return s.places(value)
		case cmd != nil:
			return s.section(cmd, value)
		case !slices.ContainsFunc(commands, func(cmd *cli.Command) bool { return HasFlag(cmd, key.Value) }):
			return s.wrong(key, "unknown setting %q; %s", key.Value,
				console.Suggest(key.Value, known, "want the name of a command or of one of its flags"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.pairs(root, func(key, value *yaml.Node) error {
		if key.Value == bindingsKey || key.Value == placesKey || own(key.Value) != nil ||
			!HasFlag(s.line.command, key.Value) {
			return nil
		}
		return s.setting(key.Value, value)
	})
}

// configurable lists the commands that read the configuration file.
func configurable(app *cli.App) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(app.Commands), func(c *cli.Command) bool { return !HasFlag(c, "config") })
}

// section checks the section of a command, and takes it in if it is that of the command that runs.
func (s *settings) section(cmd *cli.Command, value *yaml.Node) error {
	if isNull(value) {
		return nil
	}
	if value.Kind != yaml.MappingNode {
		return s.wrong(value, "%s must be a section: put its settings below it, indented, one per line",
			cmd.Name)
	}
	return s.pairs(value, func(key, value *yaml.Node) error {
		if !HasFlag(cmd, key.Value) {
			return s.wrong(key, "%s has no flag %q; %s", cmd.Name, key.Value,
				console.Suggest(key.Value, FlagNames(cmd.Flags), "flaketap "+cmd.Name+" --help lists them"))
		}
		if cmd.Name != s.line.command.Name {
			return nil
		}
		return s.setting(key.Value, value)
	})
}

// pairs goes through a mapping in the order of the file.
func (s *settings) pairs(m *yaml.Node, f func(key, value *yaml.Node) error) error {
	lines := make(map[string]int)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return s.wrong(key, "a key must be a word")
		}
		if first := lines[key.Value]; first > 0 {
			return s.wrong(key, "%q is already set in line %d", key.Value, first)
		}
		lines[key.Value] = key.Line
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// setting takes in the value of one flag, unless something stronger has set it.
func (s *settings) setting(name string, value *yaml.Node) error {
	f := flagOf(s.line.command, name)
	_, many := f.(*cli.StringSliceFlag)
	values := []*yaml.Node{value}
	if many && value.Kind == yaml.SequenceNode {
		values = value.Content
	}
	strong := s.set[f.Names()[0]] || s.line.has(f.Names()...) || s.line.value(name) != ""
	s.set[f.Names()[0]] = true
	for _, v := range values {
		switch {
		case v.Kind != yaml.ScalarNode:
			return s.wrong(v, "%s must be %s", name, takes(s.line.command.Flags, name))
		case isNull(v) || v.Value == "":
			return s.wrong(v, "%s is empty", name)
		case strong:
			continue
		}
		set := flag.NewFlagSet("", flag.ContinueOnError)
		if err := errors.Join(f.Apply(set), set.Set(name, v.Value)); err != nil {
			return s.wrong(v, "%s must be %s, got %q", name, takes(s.line.command.Flags, name), v.Value)
		}
		s.options = append(s.options, "--"+name+"="+v.Value)
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
