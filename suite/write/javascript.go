package write

import "embed"

// libraryModules are those that need nothing but the language, in the order in which they need each other.
func libraryModules() []string {
	return []string{"decimal.js", "json.js", "statements.js", "places.js", "relations.js", "texts.js"}
}

//go:embed javascript
var javascript embed.FS
