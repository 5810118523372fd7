package variant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Variant is a regression: edits of the source.
type Variant struct {
	Name  string // of the file, without its extension
	About string // what a user notices
	Edits []Edit
}

// Edit replaces a text in a source file.
type Edit struct {
	File          string // below the root of the module
	Before, After string // Before stands in the file once
}

// The sections of an edit, after the name of its file.
const (
	before = ": before"
	after  = ": after"
)

// Read reads the variants of a folder, which are the files *.txtar, for the module at root. The error names the file
// that is none, or no longer fits the source.
func Read(root, dir string) ([]Variant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var out []Variant
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		v, err := parse(raw)
		if err == nil {
			err = v.check(root)
		}
		if err != nil {
			return nil, fmt.Errorf("read variant %s: %w", file, err)
		}
		v.Name = strings.TrimSuffix(filepath.Base(file), ".txtar")
		out = append(out, v)
	}
	return out, nil
}

// parse reads one variant.
func parse(raw []byte) (v Variant, err error) {
	archive := txtar.Parse(raw)
	v.About = strings.TrimSpace(string(archive.Comment))
	if v.About == "" || strings.Contains(v.About, "\n") {
		return v, errors.New("it must begin with one line that says what a user notices")
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		from, to := archive.Files[i], archive.Files[i+1]
		name, isBefore := strings.CutSuffix(from.Name, before)
		same, isAfter := strings.CutSuffix(to.Name, after)
		if !isBefore || !isAfter || name != same {
			return v, fmt.Errorf("%q and %q are no edit: want FILE%s and FILE%s", from.Name, to.Name, before, after)
		}
		v.Edits = append(v.Edits, Edit{name, section(from), section(to)})
	}
	if len(v.Edits) == 0 || len(archive.Files)%2 != 0 {
		return v, errors.New("it has no edit, or half of one")
	}
	return v, nil
}

// section is the text of a section. The end of its last line is none of it, so that a part of a line may be replaced.
func section(f txtar.File) string { return strings.TrimSuffix(string(f.Data), "\n") }

// check finds what no longer fits the source.
func (v Variant) check(root string) error {
	_, err := v.sources(root)
	return err
}

// sources returns the files that the variant changes, as it has them.
func (v Variant) sources(root string) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range v.Edits {
		path := filepath.Join(root, filepath.FromSlash(e.File))
		source, seen := out[path]
		if !seen {
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			source = string(raw)
		}
		if n := strings.Count(source, e.Before); n != 1 || e.Before == e.After {
			return nil, fmt.Errorf("%s has the text %d times that the variant replaces, want once:\n%s", e.File, n, e.Before)
		}
		out[path] = strings.Replace(source, e.Before, e.After, 1)
	}
	return out, nil
}

// Build builds a package of the module at root with the variant, as an executable file. What it needs beside goes into
// the folder dir, which must be absolute and of this variant alone.
func (v Variant) Build(ctx context.Context, root, pkg, dir, file string) error {
	sources, err := v.sources(root)
	if err != nil {
		return fmt.Errorf("build variant %s: %w", v.Name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("build variant %s: %w", v.Name, err)
	}
	replace := map[string]string{}
	for path, source := range sources {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[path], []byte(source), 0o644); err != nil {
			return fmt.Errorf("build variant %s: %w", v.Name, err)
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return fmt.Errorf("build variant %s: %w", v.Name, err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, raw, 0o644); err != nil {
		return fmt.Errorf("build variant %s: %w", v.Name, err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", file, pkg)
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build variant %s: %w\n%s", v.Name, err, said)
	}
	return nil
}
