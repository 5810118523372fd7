package ownfiles

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// magicClass begins a class file.
const magicClass = "\xca\xfe\xba\xbe"

var errClass = errors.New("decode class: it is cut off, or no class file of the JVM")

// DecodeClass returns what a class file has (JVMS 4): fields of its objects, by the names in JSON that annotations give
// them, and its constants in the order of its pool, which is the order in which the compiler met them.
func DecodeClass(data []byte) (search.Unit, error) {
	c := class{bytes: bytesOf{rest: data}}
	c.read()
	if c.bytes.short {
		return search.Unit{}, errClass
	}
	return c.unit, nil
}

// bytesOf reads what stands one behind the other. Past the end are zeros, and short is set.
type bytesOf struct {
	rest  []byte
	short bool
}

func (b *bytesOf) take(n int) []byte {
	if b.short || n < 0 || n > len(b.rest) {
		b.rest, b.short = nil, true
		return nil
	}
	out := b.rest[:n]
	b.rest = b.rest[n:]
	return out
}

func (b *bytesOf) number(width int) (n int) {
	for _, x := range b.take(width) {
		n = n<<8 | int(x)
	}
	return n
}

// class is a class file that is read.
type class struct {
	bytes bytesOf
	utf8  map[int]string
	// refers has the entries of the pool that are of methods, by the entry of their name and type, and those by that of
	// the name.
	refers   map[int]int
	compared int // numbers that the code has
	unit     search.Unit
}

// Widths of entries of the constant pool, by their tags (JVMS 4.4), but for texts.
var widths = map[int]int{3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4,
	15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}

// Access flags of fields (JVMS 4.5) that no answer has.
const (
	static    = 0x0008
	synthetic = 0x1000
)

func (c *class) read() {
	if string(c.bytes.take(len(magicClass))) != magicClass {
		c.bytes.short = true
		return
	}
	c.bytes.take(4) // version
	c.readPool()
	c.bytes.take(6) // access, this, super
	c.bytes.take(2 * c.bytes.number(2))
	for n := c.bytes.number(2); n > 0 && !c.bytes.short; n-- {
		access, name, descriptor := c.bytes.number(2), c.utf8[c.bytes.number(2)], c.utf8[c.bytes.number(2)]
		given := c.readAttributes()
		switch m := (search.Member{Name: name, Kind: kindOf(descriptor)}); {
		case access&(static|synthetic) != 0:
		case len(given) > 0:
			for _, g := range given {
				m.Name, m.Own, m.Given = g, name, true
				c.unit.Members = append(c.unit.Members, m)
			}
		default:
			c.unit.Members = append(c.unit.Members, m)
		}
	}
	for n := c.bytes.number(2); n > 0 && !c.bytes.short; n-- {
		c.bytes.take(6)
		c.addGiven(c.readAttributes())
	}
	c.addGiven(c.readAttributes())
}

// maxMembers bounds what is kept of one class.
const maxMembers = 2000

// addGiven takes names that something else than a field has.
func (c *class) addGiven(names []string) {
	for _, name := range names {
		has := func(m search.Member) bool { return m.Name == name }
		if len(c.unit.Members) < maxMembers && !slices.ContainsFunc(c.unit.Members, has) {
			c.unit.Members = append(c.unit.Members, search.Member{Name: name, Given: true})
		}
	}
}

// readPool takes the constants.
func (c *class) readPool() {
	c.utf8, c.refers = map[int]string{}, map[int]int{}
	var texts []int
	n := c.bytes.number(2)
	for i := 1; i < n && !c.bytes.short; i++ {
		tag := c.bytes.number(1)
		if tag == 1 {
			c.utf8[i] = string(c.bytes.take(c.bytes.number(2)))
			continue
		}
		width, known := widths[tag]
		if !known {
			c.bytes.short = true
			return
		}
		info := c.bytes.take(width)
		if c.bytes.short {
			return
		}
		switch tag {
		case 3:
			c.addNumber(float64(int32(binary.BigEndian.Uint32(info))))
		case 4:
			c.addNumber(float64(math.Float32frombits(binary.BigEndian.Uint32(info))))
		case 5:
			c.addNumber(float64(int64(binary.BigEndian.Uint64(info))))
		case 6:
			c.addNumber(math.Float64frombits(binary.BigEndian.Uint64(info)))
		case 10:
			c.refers[i] = int(binary.BigEndian.Uint16(info[2:]))
		case 12:
			c.refers[i] = int(binary.BigEndian.Uint16(info))
		case 8:
			texts = append(texts, int(binary.BigEndian.Uint16(info)))
		}
		if tag == 5 || tag == 6 {
			i++ // it takes two places
		}
	}
	for _, i := range texts {
		c.unit.Texts = append(c.unit.Texts, c.utf8[i])
	}
}

// addNumber takes a number that one would write out: others are hashes, masks, and sizes.
func (c *class) addNumber(n float64) {
	if math.Abs(n) < 1e9 {
		c.unit.Numbers = append(c.unit.Numbers, n)
	}
}

// readAttributes goes through the attributes of a field, a method, or the class, takes the numbers of its code, and
// returns the names that annotations give what they stand at. Other texts of annotations are constants: the paths of
// @GetMapping, for one.
func (c *class) readAttributes() (given []string) {
	for n := c.bytes.number(2); n > 0 && !c.bytes.short; n-- {
		name := c.utf8[c.bytes.number(2)]
		content := bytesOf{rest: c.bytes.take(c.bytes.number(4))}
		lists := 1
		switch name {
		case "Code":
			content.take(4) // the sizes of its stack and its variables
			c.readCode(content.take(content.number(4)))
			continue
		case "RuntimeVisibleParameterAnnotations":
			lists = content.number(1)
		case "RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations":
		default:
			continue
		}
		for ; lists > 0 && !content.short; lists-- {
			for m := content.number(2); m > 0 && !content.short; m-- {
				given = append(given, c.readAnnotation(&content, 0)...)
			}
		}
	}
	return given
}

// naming are the annotations whose texts are names in JSON: of Jackson, Gson, Moshi, kotlinx, JSON-B and fastjson.
var naming = []string{"JsonProperty", "JsonAlias", "SerializedName", "Json", "SerialName", "JsonbProperty", "JSONField"}

// maxNested bounds how deep annotations are within each other.
const maxNested = 8

// readAnnotation returns the names that an annotation gives (JVMS 4.7.16), and takes its other texts as constants.
func (c *class) readAnnotation(b *bytesOf, depth int) (given []string) {
	named := c.utf8[b.number(2)]
	var texts []string
	for n := b.number(2); n > 0 && !b.short; n-- {
		element := c.utf8[b.number(2)]
		found := c.readElement(b, depth)
		if element == "value" || element == "name" || element == "alternate" || element == "path" || element == "url" {
			texts = append(texts, found...)
		}
	}
	switch {
	case named == "Lkotlin/Metadata;": // what the compiler notes for itself
	case slices.Contains(naming, strings.TrimSuffix(named[strings.LastIndexAny(named, "/$")+1:], ";")):
		return texts
	default:
		c.unit.Texts = append(c.unit.Texts, texts...)
	}
	return nil
}

// readElement returns the texts of a value of an annotation.
func (c *class) readElement(b *bytesOf, depth int) (texts []string) {
	if depth > maxNested {
		b.short = true
		return nil
	}
	switch b.number(1) {
	case 's':
		return []string{c.utf8[b.number(2)]}
	case 'e':
		b.take(4)
	case '@':
		return c.readAnnotation(b, depth+1)
	case '[':
		for n := b.number(2); n > 0 && !b.short; n-- {
			texts = append(texts, c.readElement(b, depth+1)...)
		}
	default:
		b.take(2)
	}
	return texts
}

// kindOf is the kind of what a field of a type holds (JVMS 4.3.2); Unknown for a class that may be anything.
func kindOf(descriptor string) kind.Kind {
	switch name := strings.TrimSuffix(descriptor[strings.LastIndexByte(descriptor, '/')+1:], ";"); {
	case strings.HasPrefix(descriptor, "["), name == "Set", name == "Collection":
		return kind.List
	case descriptor == "D", descriptor == "F":
		return kind.Number
	case descriptor == "I", descriptor == "J", descriptor == "S":
		return kind.Integer
	case descriptor == "Z":
		return kind.Boolean
	case strings.HasPrefix(descriptor, "Ljava/"):
		return kind.Named(name)
	}
	return kind.Unknown
}
