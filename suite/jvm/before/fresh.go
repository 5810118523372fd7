package before

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// fresh draws a text that is another in each run.
func (f *File) fresh(_ *script.Script, _ *script.Test, v script.FreshText) string {
	return Fresh(v, f.Kotlin)
}

// Fresh is the statement that draws a text which is another in each run, in Kotlin or in Java.
func Fresh(v script.FreshText, kotlin bool) string {
	if kotlin {
		return "val " + v.Name + ` = "` + v.Before + "${" + drawn(v, kotlin) + "}" + v.After + `"`
	}
	text := "String " + v.Name + " = " + literal.Java(v.Before) + " + " + drawn(v, kotlin)
	if v.After != "" {
		text += " + " + literal.Java(v.After)
	}
	return text + ";"
}

// drawn is an expression of letters that are others in each run.
func drawn(v script.FreshText, kotlin bool) string {
	hex := fmt.Sprintf("java.util.UUID.randomUUID().toString().substring(0, %d)", v.Length)
	switch {
	case v.Letters == script.Digits:
		number := "java.util.concurrent.ThreadLocalRandom.current().nextInt(1" + strings.Repeat("0", v.Length) + ")"
		format := literal.Java(fmt.Sprintf("%%0%dd", v.Length))
		if kotlin {
			return format + ".format(" + number + ")"
		}
		return "String.format(" + format + ", " + number + ")"
	case v.Letters != script.UpperHexDigits:
		return hex
	case kotlin:
		return hex + ".uppercase()"
	}
	return hex + ".toUpperCase()"
}

// everywhere puts a variable into the literals of a test's own statements.
func (f *File) everywhere(s *script.Script, t *script.Test, text, variable string,
	but []script.Span) ([]script.Edit, bool) {
	return handset.Everywhere(s.Text, f.literals(t.BodyStart, t.BodyEnd), text, variable, but, f.words())
}
