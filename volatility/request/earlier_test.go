package request

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
)

// TestCarriedKeepsValues: what is remembered of an answer is the value that later ones repeat, not the answer.
func TestCarriedKeepsValues(t *testing.T) {
	const answers, size = 64, 256 << 10
	var bindings []exchange.Binding
	for seq := range uint64(answers) {
		bindings = append(bindings, exchange.Binding{Value: fmt.Sprint(1000 + seq), Producer: exchange.Ref{Seq: seq, Place: "/body/id"}})
	}
	c := NewEarlier(bindings, nil)
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for seq := range uint64(answers) {
		body := fmt.Sprintf(`{"id":%d,"note":"%s"}`, 2000+seq, strings.Repeat("x", size))
		c.Learn(seq, &exchange.Observation{Run: 1, Response: &exchange.Response{Status: 200, Message: exchange.Message{Body: []byte(body)}}})
	}
	if after := held(); after > before+answers*size/4 {
		t.Errorf("%d answers of %d bytes take %d", answers, size, after-before)
	}
	if fits := c.Fits(notation.ScalarOf("1007"), notation.ScalarOf("2007"), 1); len(fits) != 1 {
		t.Errorf("the value of the run is not remembered: %q", fits)
	}
}
