package service

import (
	"fmt"
	"net"
)

// Apart returns so many services that are like this one, to be started beside each other: each has a port of its own,
// which is neither that of another nor Port, so that none of them is more like what was recorded than the others are.
// The service has to choose its port ([Service.ChoosesPort]).
func (s *Service) Apart(count int) ([]*Service, error) {
	out := make([]*Service, 0, count)
	for len(out) < count {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("choose a port: %w", err)
		}
		defer ln.Close() // no sooner, so that the next one gets another port
		port := ln.Addr().(*net.TCPAddr).Port
		if port == s.Port {
			continue
		}
		one := *s
		one.Port = port
		out = append(out, &one)
	}
	return out, nil
}
