package read

import (
	"path"
	"slices"
	"strings"
)

// Link gives those waits their time whose constant another of the files holds, and leaves out those whose name stands
// for no time that is known, unless it is written like a constant. It returns which file may name the constants of
// which.
func Link(files []*File) *Links {
	l := newLinks(files)
	for _, f := range files {
		for i := range f.Waits {
			if w := &f.Waits[i]; w.Time == 0 {
				l.time(f, w)
			}
		}
		f.Waits = slices.DeleteFunc(f.Waits, func(w Wait) bool { return w.Time == 0 && !likeConstant(w.Name) })
	}
	return l
}

// time gives a wait of a file the time that constants of others make.
func (l *Links) time(f *File, w *Wait) {
	if w.made != nil {
		v, ok := evaluate(w.made, func(ref string) (value, bool) {
			c := l.find(f, ref)
			if c == nil {
				return value{}, false
			}
			return c.value(), true
		})
		if ok {
			w.Time, _ = v.as(w.unit)
			w.Typed = v.time
		}
		return
	}
	if c := l.find(f, w.Name); c != nil {
		w.Time, _ = w.In(*c)
		w.Typed = c.Time > 0
	}
}

// Known are the files whose constants one may name: itself, those that it imports, and those of its package.
func (l *Links) Known(f *File) []*File { return l.known(f, "") }

// likeConstant reports whether a name is written as languages write those of constants.
func likeConstant(s string) bool {
	last := s[strings.LastIndexByte(s, '.')+1:]
	return last != "" && last == strings.ToUpper(last)
}

// Links finds files by what others call them.
type Links struct {
	byPath map[string]*File
	byStem map[string][]*File
	byDir  map[string][]*File // those of Go
}

// manySame bounds how many files of one name, or of one folder, are looked at.
const manySame = 64

func newLinks(files []*File) *Links {
	l := &Links{map[string]*File{}, map[string][]*File{}, map[string][]*File{}}
	for _, f := range files {
		bare := strings.TrimSuffix(f.Name, path.Ext(f.Name))
		l.byPath[bare] = f
		l.byPath[strings.TrimSuffix(bare, "/index")] = f
		if s := stem(f.Name); len(l.byStem[s]) < manySame {
			l.byStem[s] = append(l.byStem[s], f)
		}
		if dir := path.Dir(f.Name); f.Language == Go && len(l.byDir[dir]) < manySame {
			l.byDir[dir] = append(l.byDir[dir], f)
		}
	}
	return l
}

// find is the constant that a name in a file means, of another file.
func (l *Links) find(f *File, ref string) *Constant {
	for _, other := range l.known(f, ref) {
		if c := other.constant(ref); c != nil {
			return c
		}
	}
	return nil
}

// known are the files whose constants one may name, itself first; ref is the name that is looked for, if there is one.
func (l *Links) known(f *File, ref string) []*File {
	out := []*File{f}
	add := func(others ...*File) {
		for _, o := range others {
			if o != nil && o.Language == f.Language && len(out) < manySame && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	for _, name := range f.Imports[:min(len(f.Imports), 4*manySame)] {
		switch {
		case f.Language == JavaScript && strings.HasPrefix(name, "."):
			at := path.Join(path.Dir(f.Name), name)
			add(l.byPath[at], l.byPath[strings.TrimSuffix(at, path.Ext(at))])
		case f.Language == JavaScript: // an alias, or a package
			if strings.Contains(name, "/") {
				add(l.byStem[path.Base(name)]...)
			}
		default:
			for _, part := range lastTwo(name) {
				add(l.nearest(f, part)...)
			}
		}
	}
	add(l.byDir[path.Dir(f.Name)]...)
	for _, name := range append(lastTwo(ref), f.extends...) {
		if f.Language == Java || f.Language == Kotlin {
			add(l.nearest(f, name)...)
		}
	}
	return out
}

// nearest are the files of a stem, those in the folder of another one first.
func (l *Links) nearest(f *File, stem string) []*File {
	out := slices.Clone(l.byStem[stem])
	slices.SortStableFunc(out, func(a, b *File) int {
		return len(common(b.Name, f.Name)) - len(common(a.Name, f.Name))
	})
	return out
}

// common is the beginning that two texts share.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// lastTwo are the last two names of one with points.
func lastTwo(s string) []string {
	all := strings.Split(strings.Trim(s, "."), ".")
	return slices.DeleteFunc(all[max(0, len(all)-2):], func(s string) bool { return s == "" })
}
