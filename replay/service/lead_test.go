//go:build unix

package service

import (
	"errors"
	"os"
	"testing"
)

// leads is a Leader by a function.
type leads func(*Service) (func() error, error)

func (l leads) Lead(s *Service) (func() error, error) { return l(s) }
func (leads) Recorded() []string                      { return nil }

// Each start is readied by itself, in whatever environment, and what was readied ends once the process has gone: also
// where it is not ready, and where there is none.
func TestServiceLead(t *testing.T) {
	begun, ended := 0, 0
	s := &Service{Command: self(t), Lead: leads(func(own *Service) (func() error, error) {
		begun++
		own.Through = []string{"sh", "-c", `LED=1 exec "$@"`, "through"}
		own.Env = []string{"LANG=led"}
		return func() error { ended++; return errors.New("ended so") }, nil
	})}
	for n := 1; n <= 2; n++ {
		one := *s
		host, _ := os.Hostname()
		if n == 2 && one.Environment.Add("hostname", "elsewhere") == nil {
			host = "elsewhere"
		}
		i, err := one.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a := look(t, i); a.Lang != "led" || a.Host != host || begun != n || ended != n-1 {
			t.Errorf("start %d: it sees %+v; %d begun, %d ended", n, a, begun, ended)
		}
		if err := i.Stop(); err == nil || err.Error() != "ended so" || ended != n {
			t.Errorf("start %d ends with %v; %d ended", n, err, ended)
		}
		if err := i.Stop(); err != nil || ended != n {
			t.Errorf("start %d ends again with %v; %d ended", n, err, ended)
		}
	}
	if s.Through != nil || s.Env != nil {
		t.Error("the service itself is changed")
	}
	s.Command = "exit 3; : {port}"
	fails(t, s, "exit status 3 before it was ready[\\s\\S]*ended so")
	s.Lead = leads(func(own *Service) (func() error, error) {
		own.Through = []string{"/no/such/program"}
		return func() error { ended++; return nil }, nil
	})
	fails(t, s, "no such file")
	s.Lead = leads(func(*Service) (func() error, error) { return nil, errors.New("not here") })
	fails(t, s, "^start the API: not here$")
	if begun != 3 || ended != 4 {
		t.Errorf("%d begun and %d ended, want 3 and 4", begun, ended)
	}
}
