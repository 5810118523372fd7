package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/replay/service"
)

// VariantsAt returns the builds of an API that a text stands for: the programs of a folder, each of which starts one at
// the port that is its only argument, or a command with {port}.
func VariantsAt(value string) ([]Variant, error) {
	entries, err := os.ReadDir(value)
	if errors.Is(err, os.ErrNotExist) || err != nil && strings.Contains(value, "{port}") {
		return []Variant{{Name: value, API: &service.Service{Command: value}}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Variant
	for _, e := range entries {
		path, err := filepath.Abs(filepath.Join(value, e.Name()))
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		api := &service.Service{Command: "exec " + client.ShellQuoted(path) + " {port}"}
		out = append(out, Variant{Name: e.Name(), API: api})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no program that may be executed", value)
	}
	return out, nil
}
