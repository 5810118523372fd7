package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

// message puts an error, with the advice that belongs to it, into one line of plain words: what libraries say in terms
// of Go is said in terms of the file or flag, joined errors stand behind each other, and nothing steers a terminal.
func message(err error) string {
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

// What the flag package says of a command line that it cannot read.
var (
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -(.+)$`)
	noValue     = regexp.MustCompile(`^flag needs an argument: -(.+)$`)
	wrongValue  = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^:"]+): .*$`)
	noFlag      = regexp.MustCompile(`^bad flag syntax: (.+)$`)
)

// flagMistake says what is wrong with the flags of a command, and what it would take instead.
func flagMistake(command string, flags []cli.Flag, err error) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		if near := console.Nearest(m[1], flagNames(flags)); near != "" {
			return console.Usage(fmt.Errorf("unknown flag --%s; did you mean --%s?", m[1], near))
		}
		return console.Usage(fmt.Errorf("unknown flag --%s; %s --help lists them", m[1], command))
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("--%s needs %s", m[1], takes(flags, m[1])))
	}
	if m := wrongValue.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("--%s must be %s, got %s", m[2], takes(flags, m[2]), m[1]))
	}
	if m := noFlag.FindStringSubmatch(text); m != nil {
		return console.Usage(fmt.Errorf("%q is not a flag; %s --help lists them", m[1], command))
	}
	return console.Usage(err)
}

// takes says what values a flag takes.
func takes(flags []cli.Flag, name string) string {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return "a value"
	}
	switch flags[i].(type) {
	case *cli.IntFlag, *cli.Uint64Flag:
		return "a whole number such as 10"
	case *cli.Float64Flag:
		return "a number such as 0.05"
	case *cli.DurationFlag:
		return "a duration such as 30s or 2m"
	case *cli.BoolFlag:
		return "true or false"
	}
	return "a value"
}

// flagNames lists the names of flags, without their short forms.
func flagNames(flags []cli.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Names()[0])
	}
	return out
}
