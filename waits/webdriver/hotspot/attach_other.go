//go:build !linux

package hotspot

import "errors"

func asked(int) bool { return false }

func dump(int) (string, error) { return "", errors.ErrUnsupported }
