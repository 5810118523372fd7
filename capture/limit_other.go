//go:build !unix

package capture

// maxConnections is how many connections of clients the system lets this process serve at once. 0 is no bound.
func maxConnections() int { return 0 }
