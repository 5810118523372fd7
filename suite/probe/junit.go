package probe

import (
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/suite/probe/junit"
)

// jvm mutes suites of JUnit, in Java and in Kotlin: the copy is rewritten, since whatever compiles the suite compiles
// that too.
func jvm() Probe {
	return Probe{
		Name:  "Java and Kotlin",
		reads: func(file string) bool { return slices.Contains([]string{".java", ".kt"}, filepath.Ext(file)) },
		mute:  junit.Mute,
	}
}
