package store

import (
	"errors"
	"fmt"
	"io"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// patience is how long a lock is waited for: somebody may just be looking whether it is free.
const patience = 200 * time.Millisecond

// Lock makes a file that one process at a time has open, until it is closed or the process ends: it guards what lies
// beside it, which has no lock of its own. Where another has it, the error is [ErrLocked]. The file is a small
// database, since bbolt locks files on every system; it stays, as one that is taken away could be locked twice.
func Lock(path string) (io.Closer, error) {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: patience, NoStatistics: true})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w: wait until it ends, or stop it, and try again", ErrLocked)
	case err != nil:
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return db, nil
}
