package formats

// Note says what became of an entry that is not taken in as it stands.
type Note struct {
	Entry int // counted from 1
	// Skipped says that the entry gave no exchange, because it is no HTTP. Otherwise its exchange is there, without
	// what Reason says.
	Skipped bool
	Reason  string
}
