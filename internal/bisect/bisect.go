package bisect

// Shortest returns the least n, from 1 to all, of which hit says that the first n of some things bring a result about,
// by halves: for hits that stay hits with more things. That all of them do is for the caller to know.
func Shortest(all int, hit func(n int) (bool, error)) (int, error) {
	for low := 0; low+1 < all; {
		middle := (low + all) / 2
		ok, err := hit(middle)
		switch {
		case err != nil:
			return 0, err
		case ok:
			all = middle
		default:
			low = middle
		}
	}
	return all, nil
}
