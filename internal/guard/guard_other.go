//go:build !unix

package guard

// Guard would end processes where this one is killed.
type Guard struct{}

// OfGroup returns nil: there are no process groups.
func OfGroup(int) *Guard { return nil }

// OfFamily returns nil.
func OfFamily(int) *Guard { return nil }

// Dismiss does nothing.
func (*Guard) Dismiss() {}
