package console

import "fmt"

// Suggest asks whether the known name nearest to a word was meant, or says otherwise where none is near.
func Suggest(word string, known []string, otherwise string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// Nearest returns the known name that a word was probably meant to be; "" where none is near.
func Nearest(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if len(word) > 64 {
		return ""
	}
	return best
}

// Slip returns the known name from which a word differs by a letter or two, as by a slip; "" where none is so near. It
// is for words of a format that has others which are near and mean something else.
func Slip(word string, known []string) string {
	near := Nearest(word, known)
	if near == "" || distance(word, near) > min(2, len(word)/3) {
		return ""
	}
	return near
}

// distance is how many letters must be put in, taken out or replaced to make b of a.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a) // no name of ours is so long
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
