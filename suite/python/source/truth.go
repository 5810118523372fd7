package source

// Truth is whether Python takes a value for true; ok is false for those of which that is not known here.
func Truth(v any) (yes, ok bool) {
	switch v := v.(type) {
	case nil:
		return false, true
	case bool:
		return v, true
	case string:
		return v != "", true
	}
	return false, false
}
