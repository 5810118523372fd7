//go:build !linux

package intercept

import "errors"

// errSystem says where connections can be intercepted.
var errSystem = errors.New("intercept connections: this takes Linux, on amd64 or arm64")

// Interceptor is none on this system.
type Interceptor struct{}

// Open fails: this system has nothing by which the connections of a process can be led.
func Open(Options) (*Interceptor, error) { return nil, errSystem }

// Socket is "".
func (*Interceptor) Socket() string { return "" }

// Refused is empty.
func (*Interceptor) Refused() []Refusal { return nil }

// Close does nothing.
func (*Interceptor) Close() error { return nil }

// Launch fails.
func Launch(string, []string) (status int, err error) { return 0, errSystem }

// Become fails.
func Become(string, []string) error { return errSystem }
