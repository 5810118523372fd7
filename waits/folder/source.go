package folder

import (
	"fmt"
	"os"
)

// maxSource bounds a file that is named, in bytes.
const maxSource = 16 << 20

// Source reads a file by the name that a recorded command has for it: a regular file alone, as a pipe would never end.
func Source(name string) ([]byte, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, fmt.Errorf("read suite: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxSource:
		return nil, fmt.Errorf("read suite: %s is no text of a suite", name)
	}
	return os.ReadFile(name)
}
