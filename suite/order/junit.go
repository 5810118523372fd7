package order

import (
	"fmt"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/environ"
)

// junit shuffles the tests of JUnit 5, and its classes, by what each Java that the command starts takes for
// configuration (JUnit 5 User Guide, Test Execution Order). JUnit 4 has its own order.
func junit() Turner {
	return Turner{
		Name: "JUnit 5",
		reads: func(file string) bool {
			ext := filepath.Ext(file)
			return ext == ".java" || ext == ".kt"
		},
		env: func(env []string, _ string, o Order) []string {
			return environ.Prepend(env, "JAVA_TOOL_OPTIONS", fmt.Sprintf(
				"-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random "+
					"-Djunit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random "+
					"-Djunit.jupiter.execution.order.random.seed=%d", int(o)), " ")
		},
	}
}
