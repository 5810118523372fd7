//go:build !linux && !darwin && !freebsd

package outfile

// Free is known on Linux, macOS and FreeBSD alone.
func Free(string) (int64, bool) { return 0, false }
