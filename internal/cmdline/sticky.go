package cmdline

import "io"

// Sticky keeps the first error of writing, for what writes without looking.
type Sticky struct {
	To  io.Writer
	Err error
}

func (s *Sticky) Write(p []byte) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.To.Write(p)
	s.Err = err
	return n, err
}
