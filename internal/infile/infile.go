// Package infile reads files whole that somebody else may have written: no more of one than there is to be.
package infile

import (
	"fmt"
	"io"
	"os"
)

// Read reads a file of so many bytes at most. The error of a larger one names it, and the bound in MiB.
func Read(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, most>>20)
	}
	return data, err
}
