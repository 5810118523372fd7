package findings

import (
	"fmt"
	"io"
	"os"
)

// readFile decodes what stands in a file, of which so many bytes are read at most. what names it in errors.
func readFile[T any](what, path string, most int64, decode func(data []byte) (T, error)) (read T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return read, fmt.Errorf("read %s: %w", what, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return read, fmt.Errorf("read %s: %w", what, err)
	}
	if read, err = decode(data); err != nil {
		return read, fmt.Errorf("read %s %s: %w", what, path, err)
	}
	return read, nil
}
