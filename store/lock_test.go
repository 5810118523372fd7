package store

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		lock, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := Lock(path); !errors.Is(err, ErrLocked) {
			t.Errorf("a second one is %v, %v, want %v", second, err, ErrLocked)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Lock(filepath.Join(path, "below")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("where no file can be, it is %v", err)
	}
}
