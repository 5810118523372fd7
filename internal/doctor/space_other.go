//go:build !linux && !darwin && !freebsd

package doctor

// freeBytes is known on Linux, macOS and FreeBSD alone.
func freeBytes(string) (int64, bool) { return 0, false }
