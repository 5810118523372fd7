package trial

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
)

// Each exchange of a recording is in a test, or is counted for one reason that is told with what to do: in the client's
// own sequences, and where each exchange is for itself.
func TestLeft(t *testing.T) {
	for _, api := range apis {
		src := api.play(t, 1).source(t)
		single := src
		single.Sequences = nil
		for _, all := range []bool{false, true} {
			told(t, fmt.Sprintf("%s, all %t", api.name, all), src, build.Options{All: all})
			told(t, fmt.Sprintf("%s, all %t, one by one", api.name, all), single, build.Options{All: all})
		}
	}
}

func told(t *testing.T, name string, src suite.Source, o build.Options) {
	t.Helper()
	p, err := build.Plan(src, o)
	if err != nil {
		t.Fatal(err)
	}
	sum := len(p.Sent())
	for _, l := range p.Left {
		if sum += l.Exchanges; l.Why == "" || l.Do == "" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if sum != len(src.Steps) {
		t.Errorf("%s: %d of %d exchanges are sent or left out: %d and %+v", name, sum, len(src.Steps), len(p.Sent()), p.Left)
	}
}
