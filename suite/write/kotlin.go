package write

import (
	"embed"

	"github.com/flaketap/flaketap/suite"
)

//go:embed kotlin/*.kt
var kotlinRuntime embed.FS

// writeKotlin writes a Maven project of JUnit 5 tests in Kotlin, as writeJUnit does in Java. It is laid out as ktfmt does in Google's
// style.
func writeKotlin(p Plan) ([]suite.File, error) {
	return jvmProject(p, kotlinLanguage(), kotlinRuntime)
}
