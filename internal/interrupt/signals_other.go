//go:build !unix

package interrupt

func catchFileLimit() {}

// CatchBrokenPipe does nothing where there is no such signal.
func CatchBrokenPipe() {}
