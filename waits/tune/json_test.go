package tune

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is written as JSON is read as such.
func TestReport(t *testing.T) {
	a := &Answer{High: time.Second, Validations: 3, Results: []Result{{Strategy: "settle", Time: 40 * time.Millisecond, Passed: 3}}}
	var b bytes.Buffer
	if err := a.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	r, err := ReadReport(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1000, 40, 3}, []float64{r.Against, r.Strategies[0].Millis, float64(r.Strategies[0].Passed)}); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadReport(f *testing.F) {
	f.Add([]byte(`{"flaketap":"waits-tune","version":1,"strategies":[{"strategy":"settle","tried":[{"ms":1}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := ReadReport(data); err == nil && r.Flaketap != format {
			t.Errorf("%q is taken for an answer", data)
		}
	})
}
