package js

// Reads lists the names that tokens read, those of templates among them, and given those that they give a value, as id
// in id = made.id.
func Reads(tokens []Token) (reads, given []string) {
	for i, x := range tokens {
		if x.Kind == Word && (i == 0 || !tokens[i-1].Is(".")) {
			if i+1 < len(tokens) && tokens[i+1].Is("=") {
				given = append(given, x.Text)
			} else {
				reads = append(reads, x.Text)
			}
		}
		for _, hole := range x.Holes {
			inside, _ := Reads(hole)
			reads = append(reads, inside...)
		}
	}
	return reads, given
}
