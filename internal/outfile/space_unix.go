//go:build linux || darwin || freebsd

package outfile

import "golang.org/x/sys/unix"

// Free is how much a user may still write into a folder's file system.
func Free(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
