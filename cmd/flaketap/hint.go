package main

import (
	"errors"
	"io/fs"
	"syscall"
)

// hint returns advice for an error, or "". Errors say what went wrong; what to do about it is said here.
func hint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program listens there; --listen 127.0.0.1:0 takes any free port"
	case errors.Is(err, fs.ErrNotExist):
		return "flaketap record makes a recording; --db FILE says where it is"
	case errors.Is(err, fs.ErrPermission):
		return "check who owns the file and its folder"
	}
	return ""
}
