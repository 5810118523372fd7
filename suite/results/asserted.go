package results

// Asserted is what executions say of one assertion of a test, which may stand in a function that tests share.
type Asserted struct {
	Test  string // as its runner names it, or what had it run
	Where Where  // the assertion, by the file's path in the suite
	From  Where  // the line of the test that leads to it; zero where it is not known
	Runs  []AssertedIn
}

// AssertedIn is what one execution says of an assertion: whether it failed, and when its test ran.
type AssertedIn struct {
	Run int // of those that are looked at, from 0
	Detailed
	// Saw are the values that it compared where it failed, as JSON where they are such: one, or several where it is in a
	// loop. None where they are not to be had.
	Saw []string
}

// Failed counts the executions in which the assertion failed.
func (a *Asserted) Failed() int {
	n := 0
	for _, r := range a.Runs {
		if r.Detailed.Failed() {
			n++
		}
	}
	return n
}
