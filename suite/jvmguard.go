package suite

// guardedLink reads what [jvmWriter.guarded] wrote: a function that looks at an answer where that is what the suite expects,
// r -> { if (r.statusCode() == 200) r.then().body("'a'", equalTo(1)); return anything(); }.
func (r *jvmReader) guardedLink(a *Assertion, answer pyName, arg *jvmArg) (expr, bool) {
	i := arg.from
	for i < arg.to && !r.tokens[i].is("if") {
		i++
	}
	if !a.ours || i+1 >= arg.to || !r.tokens[i+1].is("(") {
		return nil, false
	}
	or := pyBool{op: "or"}
	end := r.match[i+1]
	for from, k := i+2, i+2; k <= end; k++ {
		switch t := &r.tokens[k]; {
		case k == end || t.is("&&"):
			guard := r.guard(answer, from, k)
			if guard == nil {
				return nil, false
			}
			or.xs = append(or.xs, guard)
			from = k + 1
		case t.is("("):
			k = r.match[k]
		}
	}
	from := end + 1
	if r.tokens[from].is("{") {
		from++
	}
	to := from
	for to < arg.to && !r.tokens[to].is(";") && !r.tokens[to].is("}") {
		if r.tokens[to].is("(") {
			to = r.match[to]
		}
		to++
	}
	_, links := chain(r.parse(from, to))
	if len(links) != 2 || links[0].name != "then" {
		return nil, false
	}
	inner := *a
	x, _ := r.link(answer, &links[1], &inner)
	if x == nil {
		return nil, false
	}
	if said, ok := x.(pyBool); ok && said.op == "or" {
		or.xs = append(or.xs, said.xs...)
	} else {
		or.xs = append(or.xs, x)
	}
	return or, true
}

// guard reads one condition, r.statusCode() == 200 or r.path("'a'") instanceof java.util.Map, and returns its opposite; nil
// where it is another.
func (r *jvmReader) guard(answer pyName, from, to int) expr {
	for k := from; k < to; k++ {
		switch t := &r.tokens[k]; {
		case t.is("("):
			k = r.match[k]
		case t.is("="), t.is("=="):
			_, links := chain(r.parse(from, k))
			status, ok := r.parse(k+1+len("==")-len(t.text), to).(jvmNum)
			if !ok || len(links) != 1 || links[0].name != "statusCode" {
				return nil
			}
			return pyCompare{pyAttr{answer, "status_code"}, []string{"!="}, []expr{pyNum(status)}}
		case t.is("instanceof"), t.is("is"):
			_, links := chain(r.parse(from, k))
			if len(links) != 1 || links[0].name != "path" || len(links[0].args) != 1 {
				return nil
			}
			text, ok := links[0].args[0].x.(jvmText)
			if !ok {
				return nil
			}
			p, known := parseGPath(text.token.text, pyCall{fn: pyAttr{answer, "json"}})
			for ; known && k < to; k++ {
				if kind := map[string]string{"Map": "dict", "List": "list"}[r.tokens[k].text]; kind != "" {
					return pyUnary{"not", isinstance(p.x, kind)}
				}
			}
			return nil
		}
	}
	return nil
}

// spread gives the meaning of a statement that a path leads to a list with some value: a name behind a list leads to the list
// of its elements' members.
func spread(path expr, has expr) expr {
	all, ok := has.(pyBool)
	if !ok || len(all.xs) != 1 {
		return has
	}
	value := all.xs[0].(pyCompare).x
	or := pyBool{op: "or"}
	const element = "e"
	for list, rest := path, expr(nil); ; {
		i, ok := list.(pyIndex)
		if !ok {
			break
		}
		if _, ok := i.i.(pyStr); !ok {
			break
		}
		rest = deeper(pyName{element}, i.i, rest)
		list = i.x
		or.xs = append(or.xs, pyBool{"and", []expr{isinstance(list, "list"),
			pyCompare{value, []string{"in"}, []expr{pyComp{elem: rest, name: element, list: list}}}}})
	}
	or.xs = append(or.xs, has)
	return or
}

// deeper puts a step before those of a path that begins with a name.
func deeper(name pyName, step, path expr) expr {
	if i, ok := path.(pyIndex); ok {
		return pyIndex{deeper(name, step, i.x), i.i}
	}
	return pyIndex{name, step}
}
