//go:build !unix

package store

// children needs signals and limits that only Unix has.
var children map[string]func(args []string) error
