package main

import "testing"

// Whatever the dialect of Kotlin that people write says it can write in the place of an assertion, Kotlin compiles; so it
// does where an assertion is commented out.
func TestRealJVMKotlinFormsCompile(t *testing.T) {
	t.Parallel()
	newJVMTools(t).kotlinc(t.TempDir(), formsOf(t, "ShopTest.kt")...)
}
