package wire

// Latin1 returns bytes as a text that has a character for each of them, as ISO 8859-1 has it: what heads are made of
// where they are no ASCII.
func Latin1(raw string) string {
	runes := make([]rune, len(raw))
	for i := range len(raw) {
		runes[i] = rune(raw[i])
	}
	return string(runes)
}
