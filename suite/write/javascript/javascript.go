package javascript

import (
	"embed"
	"fmt"

	"github.com/flaketap/flaketap/suite"
)

//go:embed runtime/*.js
var runtime embed.FS

// Library returns the modules that generated suites of Jest and of Postman call, in the order in which they need each
// other. They need nothing but the language.
func Library() ([]suite.File, error) {
	var out []suite.File
	for _, name := range []string{"decimal.js", "json.js", "statements.js", "places.js", "relations.js", "digests.js", "texts.js"} {
		data, err := runtime.ReadFile("runtime/" + name)
		if err != nil {
			return nil, fmt.Errorf("read the JavaScript library: %w", err)
		}
		out = append(out, suite.File{Name: name, Data: data, Perm: 0o644})
	}
	return out, nil
}
