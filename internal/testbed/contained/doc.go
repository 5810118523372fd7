// Package contained gives a command the limits that a container of Docker's has by default, for tests of what has to
// work within them.
package contained
