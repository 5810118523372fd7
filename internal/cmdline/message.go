package cmdline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// Message puts an error, with the advice that belongs to it, into one line of plain words: what libraries say in terms
// of Go is said in terms of the file or flag, joined errors stand behind each other, and nothing steers a terminal.
func Message(err error) string {
	text := err.Error()
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		text = strings.ReplaceAll(text, kind.Error(), jsonMistake(kind))
	}
	var path *fs.PathError
	if errors.As(err, &path) { // without the system call, and with the path once
		text = strings.ReplaceAll(text, path.Error(), path.Path+": "+path.Err.Error())
		text = strings.ReplaceAll(text, path.Path+": "+path.Path+": ", path.Path+": ")
	}
	text = strings.ReplaceAll(text, "the file is cut short: unexpected EOF", "the file is cut short")
	if h := hint(err); h != "" {
		text += "; " + h
	}
	return console.OneLine(text)
}

// jsonMistake says in words of JSON that a value is of the wrong type.
func jsonMistake(e *json.UnmarshalTypeError) string {
	want := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array", reflect.Array: "an array",
		reflect.Struct: "an object", reflect.Map: "an object",
	}[e.Type.Kind()]
	got := cmp.Or(map[string]string{"string": "a string", "number": "a number", "object": "an object",
		"array": "an array"}[e.Value], e.Value)
	return fmt.Sprintf("%s is %s, not %s", cmp.Or(e.Field, "it"), got, cmp.Or(want, "a number in range"))
}
