package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// otherTexts stands for the digest of a file that was another one in different runs.
const otherTexts = "several"

// See keeps the digests of the files that a run's commands came from, as read reads them by their names: a wait
// belongs into the text that was recorded, and into no other one.
func (s *Session) See(r *Run, read func(name string) ([]byte, error)) {
	seen := map[string]bool{}
	for i := range r.Commands {
		for _, from := range r.Commands[i].Stack() {
			if name, _, _, _ := CutSource(from.Place); name != "" && !seen[name] {
				seen[name] = true
				if text, err := read(name); err == nil { // else the suite ran in another folder: nothing is known of the file then
					s.see(name, digestOf(text))
				}
			}
		}
	}
}

func (s *Session) see(name, digest string) {
	if s.Files == nil {
		s.Files = map[string]string{}
	}
	if had := s.Files[name]; had != "" && had != digest {
		digest = otherTexts
	}
	s.Files[name] = digest
}

// Recorded reports whether a text is that of a source's file when it was recorded, as far as that is known.
func (m *Model) Recorded(source string, text []byte) bool {
	file, _, _, _ := CutSource(source)
	digest := m.files[file]
	return digest == "" || digest == digestOf(text)
}

// Files are the files, in order, that commands came from.
func (m *Model) Files() []string {
	files := maps.Clone(m.files)
	if files == nil {
		files = map[string]string{}
	}
	for _, w := range m.order {
		for _, from := range w.Command.Stack() {
			if file, _, _, ok := CutSource(from.Place); ok {
				files[file] = ""
			}
		}
	}
	return slices.Sorted(maps.Keys(files))
}

// CutSource divides a source, file:line:column. Lines count from 1; a column of 0 is not known.
func CutSource(source string) (file string, line, column int, ok bool) {
	parts := strings.Split(source, ":")
	n := len(parts) - 2
	if n < 1 {
		return "", 0, 0, false
	}
	line, err := strconv.Atoi(parts[n])
	column, err2 := strconv.Atoi(parts[n+1])
	if err != nil || err2 != nil || line < 1 || column < 0 {
		return "", 0, 0, false
	}
	return strings.Join(parts[:n], ":"), line, column, true
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
