package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/index"
)

// WriteFound writes the behaviors that a search with a seed found into a folder, as [index.Files] has them, and says
// which of them look wrong.
func WriteFound(dir string, found search.Result, seed uint64, c *console.Console) error {
	all := found.Behaviors
	files, err := index.Files(found, seed, anyRedactor())
	if err != nil {
		return err
	}
	out := make([]outfile.File, 0, len(files))
	for _, f := range files {
		out = append(out, outfile.File{Name: f.Name, Data: f.Data})
	}
	if err := outfile.WriteAll(dir, out, nil); err != nil {
		return fmt.Errorf("write behaviors: %w", err)
	}
	err = os.Remove(filepath.Join(dir, archive.Trials)) // of a search that goes on
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write behaviors: %w", err)
	}
	if err := archive.WriteTrials(dir, all); err != nil {
		return err
	}
	wrong := 0
	for i, b := range all {
		if len(b.Findings) == 0 {
			continue
		}
		wrong++
		names := make([]string, 0, len(b.Findings))
		for _, f := range b.Findings {
			names = append(names, string(f))
		}
		path, _, _ := strings.Cut(b.Request.Target, "?")
		c.Say("%s %s: %s%s; flaketap mock serve %s/%s serves its stubs", b.Request.Method, console.OneLine(path),
			strings.Join(names, ", "), behind(b.Calls), dir, index.Folder(i))
	}
	for _, r := range found.Unsteady {
		path, _, _ := strings.Cut(r.Target, "?")
		c.Say("flaketap: %s %s is not searched: with no stubs it ended otherwise each time that it was sent; where it was late, "+
			"give more --patience, and another --out to begin anew", r.Method, console.OneLine(path))
	}
	c.Say("flaketap: %s found, %d of them with findings, in %s", console.Count(len(all), "behavior"), wrong, dir)
	return nil
}

// behind says behind which answer the API ended as it did: the last that it was given.
func behind(calls []search.Call) string {
	if len(calls) == 0 {
		return ""
	}
	last := calls[len(calls)-1]
	path, _, _ := strings.Cut(redact.Target(anyRedactor(), last.Target), "?")
	answer := "no answer"
	if last.Status != 0 {
		answer = strconv.Itoa(last.Status)
	}
	return fmt.Sprintf(", behind %s of %s %s%s", answer, last.Method, last.Service, console.OneLine(path))
}
