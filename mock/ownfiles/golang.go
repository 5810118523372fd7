package ownfiles

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Bounds of what is read of a program.
const (
	maxSections = 96 << 20 // bytes of all of its sections
	maxStructs  = 2000
	maxFields   = 200    // of a struct
	maxDepth    = 5      // of structs within others
	maxWithin   = 20_000 // fields of these
	maxParts    = 200    // sections
	// maxCandidates bounds what looks like the description of a struct at first, and is read on.
	maxCandidates = 200_000
)

// image is what a program has in memory before it runs, but for its code.
type image struct {
	parts []part
	order binary.ByteOrder
	word  int // bytes of a pointer
	left  int // fields that may yet be read of structs within others
}

// part is a section, and where it lies in memory.
type part struct {
	name string
	at   uint64
	data []byte
}

// OfProgram returns the structs of a Go program (ELF, Mach-O, or PE) whose fields have names in JSON: those of its own
// module, or all where it has none of its own. A stripped program has them, too. An error says that it is none.
func OfProgram(r io.ReaderAt) ([]search.Unit, error) {
	built, err := buildinfo.Read(r)
	if err != nil {
		return nil, fmt.Errorf("read program: %w", err)
	}
	m, err := imageOf(r)
	if err != nil {
		return nil, fmt.Errorf("read program: %w", err)
	}
	own := func(pkg string) bool {
		return pkg == "" || pkg == "main" || built.Main.Path != "" && strings.HasPrefix(pkg+"/", built.Main.Path+"/")
	}
	var mine, others []search.Unit
	for _, s := range m.structs() {
		if own(s.pkg) {
			mine = append(mine, s.unit)
		} else {
			others = append(others, s.unit)
		}
	}
	if len(mine) > 0 {
		return mine, nil
	}
	return others, nil
}

// imageOf reads the sections that may hold descriptions of types.
func imageOf(r io.ReaderAt) (*image, error) {
	m := &image{order: binary.LittleEndian, word: 8, left: maxWithin}
	left := maxSections
	add := func(name string, at, size uint64, open io.Reader) {
		for _, not := range []string{"text", "pclntab", "symtab", "debug", "eh_frame", "bss", "strtab"} {
			if strings.Contains(name, not) {
				return
			}
		}
		if size > uint64(left) || len(m.parts) >= maxParts {
			return
		}
		data, err := io.ReadAll(io.LimitReader(open, int64(size)))
		if err == nil && len(data) > 0 {
			left -= len(data)
			m.parts = append(m.parts, part{name, at, data})
		}
	}
	if f, err := elf.NewFile(r); err == nil {
		m.order = f.ByteOrder
		if f.Class == elf.ELFCLASS32 {
			m.word = 4
		}
		for _, s := range f.Sections {
			if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 || s.Type == elf.SHT_RELA {
				add(s.Name, s.Addr, s.Size, s.Open())
			}
		}
		m.relocate(f)
		return m, nil
	}
	if f, err := macho.NewFile(r); err == nil {
		m.order = f.ByteOrder
		for _, s := range f.Sections {
			add(s.Name, s.Addr, s.Size, s.Open())
		}
		return m, nil
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, errors.New("it is no ELF, Mach-O or PE")
	}
	var base uint64
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		base = h.ImageBase
	case *pe.OptionalHeader32:
		base, m.word = uint64(h.ImageBase), 4
	}
	for _, s := range f.Sections {
		add(s.Name, base+uint64(s.VirtualAddress), uint64(s.Size), s.Open())
	}
	return m, nil
}

// relocate puts the pointers of a position-independent ELF where its loader would: they stand in a table
// (R_X86_64_RELATIVE, R_AARCH64_RELATIVE), each with its place, its kind and its value.
func (m *image) relocate(f *elf.File) {
	const entry = 24
	relative := map[elf.Machine]uint64{
		elf.EM_X86_64: uint64(elf.R_X86_64_RELATIVE), elf.EM_AARCH64: uint64(elf.R_AARCH64_RELATIVE),
	}
	relocated, known := relative[f.Machine]
	if !known || m.word != 8 {
		return
	}
	for _, p := range m.parts {
		if !strings.HasPrefix(p.name, ".rela") {
			continue
		}
		for table := p.data; len(table) >= entry; table = table[entry:] {
			if m.order.Uint64(table[8:]) != relocated {
				continue
			}
			if to := m.from(m.order.Uint64(table)); len(to) >= 8 {
				copy(to, table[16:24])
			}
		}
	}
}

// from is what stands from an address on; nothing where no part has it.
func (m *image) from(at uint64) []byte {
	for _, p := range m.parts {
		if at >= p.at && at-p.at < uint64(len(p.data)) {
			return p.data[at-p.at:]
		}
	}
	return nil
}

// pointer is the number of the width of a pointer that stands at an offset.
func (m *image) pointer(b []byte, at int) uint64 {
	switch {
	case at+m.word > len(b):
		return 0
	case m.word == 4:
		return uint64(m.order.Uint32(b[at:]))
	}
	return m.order.Uint64(b[at:])
}

// described is a struct, and the package of its type, "" for one without a name.
type described struct {
	pkg  string
	unit search.Unit
}

// structs finds the descriptions of structs (internal/abi.StructType) by their form: the kind, then the fields, as many
// as there is room for, each with a name that can be read.
func (m *image) structs() (out []described) {
	fieldsAt := 5*m.word + 16 // behind abi.Type, and the package of its fields
	tried := 0
	for _, p := range m.parts {
		for i := 0; i+fieldsAt+3*m.word <= len(p.data) && len(out) < maxStructs; i += m.word {
			b := p.data[i:]
			n := m.pointer(b, fieldsAt+m.word)
			if m.kind(b) != reflect.Struct || n == 0 || n > maxFields || m.pointer(b, fieldsAt+2*m.word) != n {
				continue
			}
			if tried++; tried > maxCandidates {
				return out
			}
			if members := m.members(m.from(m.pointer(b, fieldsAt)), int(n), 0); len(members) > 0 {
				out = append(out, described{m.owner(p, b), search.Unit{Members: members}})
			}
		}
	}
	return out
}

// kind is the kind of a type that is described.
func (m *image) kind(b []byte) reflect.Kind {
	if at := 2*m.word + 7; at < len(b) {
		return reflect.Kind(b[at] & 31)
	}
	return reflect.Invalid
}

// members are those fields of a struct that have names in JSON.
func (m *image) members(fields []byte, n, depth int) (out []search.Member) {
	for i := range n {
		at := i * 3 * m.word
		name, tag, is := nameOf(m.from(m.pointer(fields, at)))
		if !is {
			return nil
		}
		given, has := reflect.StructTag(tag).Lookup("json")
		if given, _, _ = strings.Cut(given, ","); !has || given == "" || given == "-" {
			continue
		}
		k, of := m.jsonKind(m.from(m.pointer(fields, at+m.word)), depth)
		out = append(out, search.Member{Name: given, Own: name, Given: true, Kind: k, Of: of})
	}
	return out
}

// jsonKind is the kind that encoding/json makes of a type, and the members of a struct that it is, or has as elements.
func (m *image) jsonKind(b []byte, depth int) (inJSON kind.Kind, of []search.Member) {
	switch k := m.kind(b); {
	case k == reflect.Bool:
		return kind.Boolean, nil
	case k >= reflect.Int && k <= reflect.Uintptr:
		return kind.Integer, nil
	case k == reflect.Float32 || k == reflect.Float64:
		return kind.Number, nil
	case k == reflect.String:
		return kind.String, nil
	case k == reflect.Slice || k == reflect.Array:
		if depth < maxDepth {
			_, of = m.jsonKind(m.elem(b), depth+1)
		}
		return kind.List, of
	case k == reflect.Map:
		return kind.Object, nil
	case k == reflect.Pointer && depth < maxDepth:
		return m.jsonKind(m.elem(b), depth+1)
	case k == reflect.Struct && depth < maxDepth:
		fieldsAt := 5*m.word + 16
		if n := m.pointer(b, fieldsAt+m.word); n > 0 && n <= maxFields && int(n) <= m.left {
			m.left -= int(n)
			of = m.members(m.from(m.pointer(b, fieldsAt)), int(n), depth+1)
		}
		if len(of) > 0 { // else it may have a form of its own, as a time has
			return kind.Object, of
		}
	}
	return kind.Unknown, nil
}

// elem is what a pointer, a list or an array is of.
func (m *image) elem(b []byte) []byte { return m.from(m.pointer(b, 4*m.word+16)) }

// nameOf reads a name, and its tag (internal/abi.Name): flags, then each behind its length.
func nameOf(b []byte) (name, tag string, is bool) {
	const tagged, known = 1 << 1, 1<<4 - 1
	if len(b) == 0 || b[0]&^known != 0 {
		return "", "", false
	}
	name, rest, is := lengthened(b[1:])
	if !is || name == "" {
		return "", "", false
	}
	if b[0]&tagged != 0 {
		tag, _, is = lengthened(rest)
	}
	return name, tag, is
}

func lengthened(b []byte) (text string, rest []byte, is bool) {
	n, width := binary.Uvarint(b[:min(2, len(b))])
	if width <= 0 || uint64(len(b)-width) < n {
		return "", nil, false
	}
	end := width + int(n)
	return string(b[width:end]), b[end:], true
}

// owner is the path of the package of a type, which stands behind the description of a struct
// (internal/abi.UncommonType) as an offset within the section; "" where the type has no name.
func (m *image) owner(p part, b []byte) string {
	const named = 1
	behind := 8*m.word + 16
	if at := 2*m.word + 4; b[at]&named == 0 || behind+4 > len(b) {
		return ""
	}
	at := uint64(m.order.Uint32(b[behind:]))
	if at >= uint64(len(p.data)) {
		return "?"
	}
	pkg, _, is := nameOf(p.data[at:])
	if !is {
		return "?"
	}
	return pkg
}

// isProgram reports whether a file begins as programs do.
func isProgram(head []byte) bool {
	return slices.ContainsFunc([]string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe"}, func(magic string) bool {
		return bytes.HasPrefix(head, []byte(magic))
	})
}
