package infile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of as many bytes as there may be is read whole; of a larger one nothing is.
func TestRead(t *testing.T) {
	const most = 1 << 20
	for size, whole := range map[int]bool{0: true, most: true, most + 1: false} {
		name := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := Read(name, most)
		if whole && (err != nil || len(data) != size) || !whole && (len(data) > 0 || err == nil || !strings.Contains(err.Error(), name+" is larger than 1 MiB")) {
			t.Errorf("of %d bytes %d are read: %v", size, len(data), err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), most); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
