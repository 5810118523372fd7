package console

import (
	"errors"
	"fmt"
)

// usage is a mistake in the command line.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// Usage marks an error as a mistake in the command line: the program ends with exit code 2.
func Usage(err error) error { return usage{err} }

// IsUsage reports whether an error, or one that it wraps, is marked by [Usage].
func IsUsage(err error) bool {
	var u usage
	return errors.As(err, &u)
}

// advised is an error with what the user can do about it.
type advised struct {
	error
	advice string
}

func (a advised) Unwrap() error { return a.error }

// Advise adds to an error, which says what went wrong and where, what the user can do about it.
func Advise(err error, advice string) error { return advised{err, advice} }

// Advice returns what [Advise] added to an error, or to one that it wraps; "" where nothing was.
func Advice(err error) string {
	var a advised
	if errors.As(err, &a) {
		return a.advice
	}
	return ""
}

// ExitStatus is the error of something that has said what there is to say, such as a client that failed: the program
// ends with that status, and prints nothing more.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
