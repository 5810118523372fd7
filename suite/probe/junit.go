package probe

import (
	"path/filepath"

	"github.com/flaketap/flaketap/suite/probe/junit"
)

// java mutes suites of JUnit: the copy is rewritten, since whatever compiles the suite compiles that too.
func java() Probe {
	return Probe{
		Name:  "Java",
		reads: func(file string) bool { return filepath.Ext(file) == ".java" },
		mute:  junit.Mute,
	}
}
