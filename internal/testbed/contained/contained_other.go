//go:build !linux

package contained

import "errors"

// Exec is for Linux alone.
func Exec([]string) error { return errors.ErrUnsupported }
