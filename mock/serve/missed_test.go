package serve

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/replay/service"
)

// A real service that is allowed and cannot be connected to is told with the cause, and counted.
func TestMissedServiceIsTold(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := gone.Addr().String()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	x := Externals{Intercept: "env", Allow: []string{"127.0.0.1"}}
	led, err := x.Lead(t.Context(), &service.Service{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := led.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 2 {
		here, there := net.Pipe()
		led.join(there, addr)
		here.Close()
	}
	seen := led.Report().Refused
	if len(seen) != 1 || seen[0].To != addr || seen[0].Times != 2 || !strings.Contains(seen[0].Why, "cannot be connected to: dial tcp "+addr) {
		t.Errorf("it tells %+v", seen)
	}
	for port := range 2 * maxMissed {
		led.miss(fmt.Sprintf("127.0.0.1:%d", port), io.EOF)
	}
	if seen := led.Report().Refused; len(seen) != maxMissed {
		t.Errorf("it tells %d places", len(seen))
	}
}
