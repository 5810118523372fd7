package js

import (
	"fmt"

	"github.com/flaketap/flaketap/suite/script"
)

// Drawn is an expression of letters that are others in each run.
func Drawn(v script.FreshText) string {
	switch v.Letters {
	case script.UpperHexDigits:
		return fmt.Sprintf("Math.random().toString(16).slice(2, %d).toUpperCase()", 2+v.Length)
	case script.Digits:
		return fmt.Sprintf("Math.random().toFixed(%d).slice(2)", v.Length)
	}
	return fmt.Sprintf("Math.random().toString(16).slice(2, %d)", 2+v.Length)
}
