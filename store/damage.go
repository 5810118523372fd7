package store

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
)

// ErrDamaged is what stands before the finding where the content of the file contradicts itself.
var ErrDamaged = errors.New("file is damaged")

// DamageError names a part of a recording that cannot be read. All else can: iterations go on after it.
type DamageError struct {
	Run         int    // the run whose observations are missing, 0 where exchanges are
	First, Last uint64 // the positions of the exchanges that are concerned; of a run, those that may be
	Err         error
}

func (e *DamageError) Error() string {
	what := fmt.Sprintf("exchanges %d to %d cannot be read", e.First, e.Last)
	switch {
	case e.Run > 0 && e.Last == math.MaxUint64:
		what = fmt.Sprintf("not all that run %d observed can be read", e.Run)
	case e.Run > 0:
		what = fmt.Sprintf("what run %d observed between exchanges %d and %d cannot be read", e.Run, e.First, e.Last)
	case e.First == e.Last:
		what = fmt.Sprintf("exchange %d cannot be read", e.First)
	}
	return what + ": " + e.Err.Error()
}

// Unwrap returns what is wrong with that part.
func (e *DamageError) Unwrap() error { return e.Err }

// damage says what part of the file an error is about, where it is about damage: what is missing before the end is
// damage as well. Other errors stay as they are.
func damage(err error, run int, first, last uint64) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: it is missing", ErrDamaged)
	case !errors.Is(err, ErrDamaged):
		return err
	}
	return &DamageError{Run: run, First: first, Last: last, Err: err}
}

func isDamage(err error) bool {
	var d *DamageError
	return errors.As(err, &d)
}

// Readable leaves out what cannot be read. It hands each such part to tell, unless that is nil.
func Readable[T any](all iter.Seq2[T, error], tell func(*DamageError)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			if d := (*DamageError)(nil); errors.As(err, &d) {
				if tell != nil {
					tell(d)
				}
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
