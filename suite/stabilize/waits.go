package stabilize

// Wait is a read that a test sends again, in the suite's last form, until the API is ready.
type Wait struct {
	Test  string `json:"test"`
	File  string `json:"file"`
	Line  int    `json:"line"`  // of the suite that was patched
	Early int    `json:"early"` // runs in which it was read too early
	Of    int    `json:"of"`    // runs that were looked at
	Took  string `json:"took"`  // how long the API took, in words
}
