package cmdline

// Texts is the value of a flag that may be given more than once, each time one text as it stands: it may hold commas,
// at which the library parts the values of a StringSliceFlag.
type Texts []string

// Set adds a text. It implements [flag.Value].
func (t *Texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// String is what the help shows for a default: there is none. It implements [flag.Value].
func (t *Texts) String() string { return "" }

// TextsOf returns the texts of a flag's value; none where the command has no such flag.
func TextsOf(value any) []string {
	given, ok := value.(*Texts)
	if !ok {
		return nil
	}
	return *given
}
