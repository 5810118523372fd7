package compare

// lookup finds the positions of hashes, as a map does, and keeps its memory for the next list. Nobody can foresee the
// hashes, so that nobody can make them meet.
type lookup struct {
	slots []slot
	mask  uint64
}

type slot struct {
	hash uint64
	at   int32 // a position, or -1: the hash is known, and has none
	used bool
}

// over empties the lookup and makes room for n hashes.
func (l *lookup) over(n int) *lookup {
	size := 8
	for size < 2*n {
		size *= 2
	}
	if cap(l.slots) < size {
		l.slots = make([]slot, size)
	}
	l.slots, l.mask = l.slots[:size], uint64(size-1)
	clear(l.slots)
	return l
}

// slot returns where a hash stands, or is to stand.
func (l *lookup) slot(hash uint64) *slot {
	for i := hash & l.mask; ; i = (i + 1) & l.mask {
		if s := &l.slots[i]; !s.used || s.hash == hash {
			return s
		}
	}
}

// put takes a hash in, unless it is there: then it returns the position that it has.
func (l *lookup) put(hash uint64, at int32) (before int32, there bool) {
	s := l.slot(hash)
	if s.used {
		return s.at, true
	}
	*s = slot{hash, at, true}
	return 0, false
}

// move gives a hash that is there another position.
func (l *lookup) move(hash uint64, at int32) { l.slot(hash).at = at }

// get returns the position of a hash, -1 where it has none.
func (l *lookup) get(hash uint64) int32 {
	if s := l.slot(hash); s.used {
		return s.at
	}
	return -1
}
