package java

import (
	"path"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of what is read beside a file of tests: names that are looked for, and files.
const (
	maxLooked = 400
	maxBeside = 20
)

var (
	className  = regexp.MustCompile(`\b[A-Z]\w*\b`)
	packageOf  = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)`)
	importsOf  = regexp.MustCompile(`(?m)^\s*import\s+([\w.]+)\.([A-Z]\w*)\s*;?\s*$`)
	importLine = regexp.MustCompile(`(?m)^\s*import\s`)
)

// Among is the text of a file, and behind it those of the files that define the classes which it names: base classes,
// clients, what is made of JSON. They lie beside it, or where its imports say. What cannot be read is left out.
func Among(s *script.Script, lex func(file, src string) ([]Token, error)) string {
	if s.Beside == nil {
		return s.Text
	}
	file := script.Slashed(s.File)
	ext, looked, found := path.Ext(file), map[string]bool{file: true}, 0
	all := s.Text
	for queue := []string{s.Text}; len(queue) > 0; queue = queue[1:] {
		for _, at := range classFiles(file, queue[0]) {
			if looked[at] || len(looked) >= maxLooked || found >= maxBeside {
				continue
			}
			looked[at] = true
			text, ok := s.Beside(at)
			if !ok || len(all)+len(text) > maxText {
				continue
			}
			if _, err := lex(at, text); err == nil && path.Ext(at) == ext {
				queue, all = append(queue, text), all+"\n"+text
				found++
			}
		}
	}
	return all
}

// maxText bounds the bytes of a file with those beside it.
const maxText = 1 << 22

// classFiles lists where the classes may be defined that a text names, as seen from a file.
func classFiles(file, text string) []string {
	var out []string
	dir, ext := path.Dir(file), path.Ext(file)
	if of := packageOf.FindStringSubmatch(text); of != nil {
		if root, ok := strings.CutSuffix("/"+dir, "/"+strings.ReplaceAll(of[1], ".", "/")); ok {
			for _, m := range importsOf.FindAllStringSubmatch(text, maxLooked) {
				at := path.Join(root, strings.ReplaceAll(m[1], ".", "/"), m[2]+ext)
				if !strings.HasPrefix(dir, "/") {
					at = strings.TrimPrefix(at, "/")
				}
				out = append(out, at)
			}
		}
	}
	from := 0
	if last := importLine.FindAllStringIndex(text, -1); last != nil {
		from = last[len(last)-1][1] // what is imported is not beside
	}
	for _, name := range className.FindAllString(text[from:], -1) {
		out = append(out, path.Join(dir, name+ext))
	}
	return out
}
