package workers

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "64": 64, "0": -1, "65": -1, "many": -1, "nats://a:1/b": 0} {
		n, hub, err := Read(text)
		if (err != nil) != (want < 0) || err == nil && (n != want || (hub == text) != (want == 0)) {
			t.Errorf("%s: %d, %q, %v", text, n, hub, err)
		}
	}
}

func TestCheck(t *testing.T) {
	maven := t.TempDir()
	if err := os.WriteFile(filepath.Join(maven, "pom.xml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	here := &service.Service{Command: "api --port {port}"}
	for _, c := range []struct {
		n      int
		o      Conditions
		refuse string
	}{
		{1, Conditions{Target: "http://a", Listen: "127.0.0.1:1", Results: []string{"r"}, Suites: []string{maven}}, ""},
		{2, Conditions{Service: here}, ""},
		{2, Conditions{Service: here, Target: "http://a"}, "--target"},
		{2, Conditions{Service: &service.Service{Command: "api"}}, "{port}"},
		{2, Conditions{Service: here, Reset: "./reset"}, "{port} in --reset"},
		{2, Conditions{Service: here, Reset: "./reset {port}", Listen: "127.0.0.1:0"}, ""},
		{2, Conditions{Service: here, Listen: "127.0.0.1:80"}, "--listen"},
		{2, Conditions{Service: here, Files: []string{"a/build.gradle"}}, "a/build.gradle"},
		{0, Conditions{Target: "http://a", Reset: "./reset"}, ""},
		{0, Conditions{Results: []string{"r"}}, "--results"},
		{0, Conditions{Suites: []string{maven}}, "pom.xml"},
	} {
		var said bytes.Buffer
		err := c.o.Check(c.n, &console.Console{Err: &said})
		if (err != nil) != (c.refuse != "") || err != nil && !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("%d at once, %+v: %v", c.n, c.o, err)
		}
		if left := c.n == 0 && c.o.Target != ""; left != (said.Len() > 0) {
			t.Errorf("%d at once, %+v: it says %q", c.n, c.o, said.String())
		}
	}
}
