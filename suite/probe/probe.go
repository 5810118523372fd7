package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Probe mutes the assertions of the suites of one language.
type Probe struct {
	Name  string
	reads func(file string) bool // whether a file of a suite is in the language
	files map[string][]byte      // what is loaded, by name in the folder
	env   func(env []string, r Run) []string
	// mute returns which files of the suite's copy are others, and which are added; nil where the files stay
	mute func(files map[string][]byte) map[string][]byte
}

// All lists the probes that there are.
func All() []Probe { return []Probe{python(), javascript(), golang(), jvm()} }

// For returns the probe for a suite of such files, and whether there is one.
func For(names []string) (Probe, bool) {
	for _, p := range All() {
		if slices.ContainsFunc(names, p.reads) {
			return p, true
		}
	}
	return Probe{}, false
}

// Mute returns the files of the suite that are others in its copy, and those that are added to it, by their names with
// slashes. It is given all of them.
func (p Probe) Mute(files map[string][]byte) map[string][]byte {
	if p.mute == nil {
		return nil
	}
	return p.mute(files)
}

// Run says where one muted run finds what it needs. All of it are absolute paths.
type Run struct {
	Dir   string // what [Probe.Install] filled
	Suite string // the folder of the copy of the suite: nothing else is muted
	Log   string // the file that [Read] reads; it is made
}

// Install writes what a runner loads into a folder.
func (p Probe) Install(dir string) error {
	for name, data := range p.files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("install probe: %w", err)
		}
	}
	return nil
}

// Env adds to the environment of the suite's command what has its runner load the probe, and where the log is.
func (p Probe) Env(env []string, r Run) []string {
	if p.env != nil {
		env = p.env(env, r)
	}
	return append(env, "FLAKETAP_PROBE_SUITE="+r.Suite, "FLAKETAP_PROBE_LOG="+r.Log)
}
