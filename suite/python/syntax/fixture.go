package syntax

// UsedFixtures are the fixtures that a decorator has done before what it decorates, whether that asks for them or not.
func UsedFixtures(decorator Statement) (names []string) {
	x, err := ParseExpr(decorator.Tokens[1:])
	call, isCall := x.(Call)
	fn, isAttr := call.Fn.(Attr)
	if err != nil || !isCall || !isAttr || fn.Name != "usefixtures" {
		return nil
	}
	for _, arg := range call.Args {
		if name, ok := arg.(StrLit); ok {
			names = append(names, name.S)
		}
	}
	return names
}
