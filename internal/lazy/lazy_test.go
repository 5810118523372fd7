package lazy

import "testing"

func TestRegexp(t *testing.T) {
	re := Regexp(`^a+$`)
	if first := re(); !first.MatchString("aa") || first.MatchString("b") || re() != first {
		t.Error("it is another expression, or compiled again")
	}
	wrong := Regexp(`(`) // which nobody hears of before it is asked for
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression is taken")
		}
	}()
	wrong()
}
