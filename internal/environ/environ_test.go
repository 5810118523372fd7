package environ

import (
	"slices"
	"testing"
)

func TestPrepend(t *testing.T) {
	for _, tt := range []struct{ env, want []string }{
		{nil, []string{"PATH=/d"}},
		{[]string{"PATH="}, []string{"PATH=/d"}},
		{[]string{"A=1", "PATH=/a", "B=2"}, []string{"A=1", "PATH=/d:/a", "B=2"}},
		{[]string{"PATHS=/a"}, []string{"PATHS=/a", "PATH=/d"}},
	} {
		was := slices.Clone(tt.env)
		if got := Prepend(tt.env, "PATH", "/d", ":"); !slices.Equal(got, tt.want) || !slices.Equal(tt.env, was) {
			t.Errorf("%q became %q, want %q", was, got, tt.want)
		}
	}
}

func TestRequire(t *testing.T) {
	got := Require([]string{"NODE_OPTIONS=--require /b"}, "/a c")
	if want := []string{`NODE_OPTIONS=--require "/a c" --require /b`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNodeQuoted(t *testing.T) {
	for word, want := range map[string]string{"/a/b": "/a/b", `/a b\"c`: `"/a b\\\"c"`} {
		if got := NodeQuoted(word); got != want {
			t.Errorf("%s gives %s, want %s", word, got, want)
		}
	}
}

func TestJavaQuoted(t *testing.T) {
	for option, want := range map[string]string{"-Dx=a": "-Dx=a", "-Dx=a b": `"-Dx=a b"`, `-Dx="a`: `'-Dx="a'`} {
		if got := JavaQuoted(option); got != want {
			t.Errorf("%s gives %s, want %s", option, got, want)
		}
	}
}
