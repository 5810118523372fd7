package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// A node says again what was read, but for white space.
func FuzzReadNode(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.50,"x\u00e9",null,{}],"a":true}`))
	f.Add([]byte(`{"\ud800":1}`))
	f.Add([]byte(strings.Repeat("[", 50) + strings.Repeat("]", 50)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		n := plan.ReadNode(payload)
		if n == nil {
			return
		}
		var before, after any
		if json.Unmarshal(payload, &before) != nil || json.Unmarshal(n.JSON(), &after) != nil {
			t.Fatalf("%q is said as %q", payload, n.JSON())
		}
	})
}
