package verify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/suite/results"
)

// artifacts are what a run leaves: its results, in the places where they may be, and what it prints.
type artifacts struct {
	suite          string   // what {} stands for; "" where there is none
	file           string   // what {results} stands for
	own            bool     // the command names that, or the user names the places
	stdout, stderr string   // files
	places         []string // where the runner leaves results by itself
	before         map[string]time.Time
}

// newArtifacts makes room for what a run leaves, in a folder of its own. commandLine is the command that is run; places
// are where the user says that it leaves results.
func newArtifacts(dir, suite string, commandLine, places []string) (*artifacts, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.RemoveAll(dir) // of an earlier run that --force lets go
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "left"), 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder for results: %w", err)
	}
	a := &artifacts{suite: suite, file: filepath.Join(dir, "left", "results"), stdout: filepath.Join(dir, "stdout.txt"),
		stderr: filepath.Join(dir, "stderr.txt"), before: map[string]time.Time{}}
	for _, place := range places {
		a.places = append(a.places, strings.ReplaceAll(place, "{}", suite))
	}
	a.own = len(a.places) > 0 || strings.Contains(strings.Join(commandLine, "\x00"), "{results}")
	if !a.own {
		for _, usual := range []string{"target/surefire-reports", "target/failsafe-reports", "build/test-results"} {
			a.places = append(a.places, filepath.Join(suite, usual))
		}
	}
	for _, file := range a.found() {
		if info, err := os.Stat(file); err == nil {
			a.before[file] = info.ModTime()
		}
	}
	return a, nil
}

// command is the command line of a run.
func (a *artifacts) command(words []string) []string {
	return placed(words, map[string]string{"{}": a.suite, "{results}": a.file})
}

// env adds to an environment what a run's command may ask for. pytest, which leaves no results unasked, is asked.
func (a *artifacts) env(env []string) []string {
	if !a.own {
		options := "'--junitxml=" + a.file + "'"
		env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
			value, found := strings.CutPrefix(kv, "PYTEST_ADDOPTS=")
			if found && value != "" {
				options = value + " " + options
			}
			return found
		})
		env = append(env, "PYTEST_ADDOPTS="+options)
	}
	return append(env, "FLAKETAP_SUITE="+a.suite, "FLAKETAP_RESULTS="+a.file)
}

// maxResultFiles bounds how many files of results one run may leave.
const maxResultFiles = 10_000

// found lists the files that may hold results in the places where the runner leaves them.
func (a *artifacts) found() []string {
	var out []string
	for _, place := range a.places {
		matches, err := filepath.Glob(place)
		if err != nil || len(matches) == 0 {
			matches = []string{place}
		}
		for _, m := range matches {
			out = append(out, filesBelow(m)...)
		}
	}
	return out
}

// filesBelow lists a file, or the files of a folder that may hold results.
func filesBelow(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || !d.Type().IsRegular():
			return nil // what is not there, or not to be read, holds none
		case len(out) >= maxResultFiles:
			return filepath.SkipAll
		case path == root || slices.Contains([]string{".xml", ".json", ".tap", ""}, filepath.Ext(path)):
			out = append(out, path)
		}
		return nil
	})
	return out
}

// read reads what a run has left: in the file that it was told of, else where its runner leaves results, and else on
// stdout, or on stderr, where Python's unittest prints. An error is of a file that could not be read to its end.
func (a *artifacts) read() ([]results.Result, error) {
	fresh := slices.DeleteFunc(a.found(), func(file string) bool {
		info, err := os.Stat(file)
		before, was := a.before[file]
		return err != nil || was && info.ModTime().Equal(before)
	})
	var damage []error
	for _, files := range [][]string{filesBelow(filepath.Dir(a.file)), fresh, {a.stdout}, {a.stderr}} {
		var all []results.Result
		for _, file := range files {
			found, err := readDetailed(file)
			all = results.Join(all, results.Plain(found))
			if err != nil && !errors.Is(err, results.ErrUnknown) {
				damage = append(damage, err)
			}
		}
		if len(all) > 0 {
			return all, errors.Join(damage...)
		}
	}
	return nil, errors.Join(damage...)
}

// createPrivate makes a file for what a run prints, which may be answers with secrets in them.
func createPrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep what the suite prints: %w", err)
	}
	return f, nil
}

// lastLine returns the last line of a file that is not blank.
func lastLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-4<<10), io.SeekStart) // the beginning tells as well as the end where that fails
	}
	tail, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(tail), "?")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
