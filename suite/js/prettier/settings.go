package prettier

import (
	"path"
	"regexp"
	"strconv"
)

// maxFolders bounds how far above a file its settings are looked for.
const maxFolders = 8

// settingsFiles are those that prettier's settings stand in, in the order in which it looks for them in a folder.
func settingsFiles() []string {
	return []string{"package.json", ".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml",
		".prettierrc.json5", ".prettierrc.js", "prettier.config.js", ".prettierrc.ts", "prettier.config.ts",
		".prettierrc.mjs", "prettier.config.mjs", ".prettierrc.cjs", "prettier.config.cjs", ".prettierrc.toml"}
}

var (
	inPackage  = regexp.MustCompile(`"prettier"\s*:\s*\{`)
	printWidth = regexp.MustCompile(`\bprintWidth["']?\s*[:=]\s*(\d{1,3})\b`)
)

// WidthSet is how long lines may be by the settings of prettier that hold for a file, which are those in its folder or
// the nearest above; false where there are none. No other setting is taken from there: what a file is written by shows
// in it, but for how long lines may be where all are short.
func WidthSet(file string, read func(path string) (string, bool)) (int, bool) {
	dir := path.Dir(file)
	for range maxFolders {
		for _, name := range settingsFiles() {
			text, ok := read(path.Join(dir, name))
			if ok && name == "package.json" {
				at := inPackage.FindStringIndex(text)
				if ok = at != nil; ok {
					text = text[at[1]:]
				}
			}
			if !ok {
				continue
			}
			width := LineWidth
			if found := printWidth.FindStringSubmatch(text); found != nil {
				width, _ = strconv.Atoi(found[1])
			}
			return width, true
		}
		up := path.Dir(dir)
		if up == dir || path.Base(dir) == ".." { // what lies above that has no name
			break
		}
		dir = up
	}
	return 0, false
}
