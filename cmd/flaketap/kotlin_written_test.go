package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite"
)

// Whatever the dialect of Kotlin that people write says it can write in the place of an assertion, Kotlin compiles; so it
// does where an assertion is commented out.
func TestRealJVMKotlinFormsCompile(t *testing.T) {
	tools := newJVMTools(t)
	s, err := suite.Read("ShopTest.kt", read(t, "testdata/written/ShopTest.kt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	written := 0
	for form := -1; ; form++ {
		text, n := s.Text, 0
		for _, e := range slices.Backward(editsOf(s, form)) {
			text = text[:e.Start] + e.Text + text[e.End:]
			n++
		}
		if n == 0 && form > 0 {
			break
		}
		written += n
		text = strings.Replace(text, "package shop", fmt.Sprintf("package shop%d", form+1), 1)
		files = append(files, putFile(t, dir, fmt.Sprintf("shop%d/ShopTest.kt", form+1), []byte(text)))
	}
	tools.kotlinc(t.TempDir(), files...)
	if t.Logf("%d edits in %d files", written, len(files)); written < 600 {
		t.Errorf("%d edits: too few to tell", written)
	}
}
