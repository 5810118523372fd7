package notation

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Shapes is a set of notations that a string satisfies.
type Shapes uint32

const (
	shapeRFC3339 Shapes = 1 << iota
	shapeRFC1123
	shapeDateTime
	shapeDate
	shapeTime
	ShapeUUID4
	ShapeUUID
	ShapeJWT
	ShapeBcrypt
	shapeEmail
	ShapeURI
	ShapeIPv4
	ShapeHex
	ShapeBase64
	shapeObjectHash // Foo@72c11c70 within a text
	shapeAddress    // 0x7f3a… within a text
	shapeSourceLine // File.java:12, line 12 within a text
	ShapeTempPath
	ShapeRandom // no format: a string that was drawn, from its mixture of letters and digits
	ShapeDigits // a number in a string
	shapeUUID1
	shapeUUID3
	shapeUUID5
	shapeUUID6
	shapeUUID7
	shapeULID
	shapeIPv6
	shapeMAC
	ShapeSemver
	shapeDuration
	ShapeBase64URL
)

// format is a notation that may be stated of texts, by its name: docs/map.md lists them.
type format struct {
	Shape Shapes
	Name  string
}

// Formats goes through the notations that may be stated of texts, the most telling first. hex has its length added.
func Formats() iter.Seq[format] { return slices.Values(statedFormats[:]) }

// FormatOf names the most telling of some notations, "" where there is none.
func FormatOf(sh Shapes) string {
	for _, f := range statedFormats {
		if sh&f.Shape != 0 {
			return f.Name
		}
	}
	return ""
}

var statedFormats = [...]format{
	{shapeRFC3339, "rfc3339"}, {shapeRFC1123, "rfc1123"}, {shapeDateTime, "datetime"}, {shapeDate, "date"},
	{shapeTime, "time"},
	{ShapeUUID4, "uuid4"}, {shapeUUID1, "uuid1"}, {shapeUUID3, "uuid3"}, {shapeUUID5, "uuid5"}, {shapeUUID6, "uuid6"},
	{shapeUUID7, "uuid7"},
	{ShapeUUID, "uuid"}, {shapeULID, "ulid"}, {shapeMAC, "mac"}, {shapeIPv6, "ipv6"}, {ShapeSemver, "semver"},
	{shapeDuration, "duration"},
	{ShapeJWT, "jwt"}, {ShapeBcrypt, "bcrypt"}, {shapeEmail, "email"}, {ShapeURI, "uri"},
	{ShapeIPv4, "ipv4"}, {ShapeHex, "hex"}, {ShapeBase64, "base64"}, {ShapeBase64URL, "base64url"},
	{ShapeDigits, "digits"},
}

// FormatShapes are all of them.
const FormatShapes = shapeRFC3339 | shapeRFC1123 | shapeDateTime | shapeDate | shapeTime |
	ShapeUUID4 | ShapeUUID | ShapeJWT | ShapeBcrypt | shapeEmail | ShapeURI | ShapeIPv4 | ShapeHex | ShapeBase64 |
	ShapeDigits | shapeUUID1 | shapeUUID3 | shapeUUID5 | shapeUUID6 | shapeUUID7 | shapeULID | shapeIPv6 |
	shapeMAC | ShapeSemver | shapeDuration | ShapeBase64URL

// Hint names a notation that is worth a hint though nothing moved: docs/map.md lists them.
type Hint string

// The hints that are named elsewhere.
const (
	HintDate     Hint = "date"     // a day, without a time of it
	HintEpoch    Hint = "epoch"    // a moment as a number
	HintCalendar Hint = "calendar" // the present weekday, month, year or hour
	HintTempPath Hint = "temp-path"
)

// HintOf names the most telling of some notations that is worth a hint though nothing moved, "" where there is none.
func HintOf(sh Shapes) Hint {
	for _, h := range hints {
		if sh&h.shape != 0 {
			return h.name
		}
	}
	return ""
}

// source is what would make a value of a notation move.
type source int

const (
	otherwise source = iota
	clock            // it tells a day or a moment
	chance           // it was drawn, or is where something lies in memory
)

// hint is a notation that is worth a hint.
type hint struct {
	shape  Shapes
	name   Hint
	source source
}

var hints = [...]hint{
	{shapeRFC3339, "rfc3339", clock}, {shapeRFC1123, "rfc1123", clock}, {shapeDateTime, "datetime", clock},
	{shapeDate, HintDate, clock},
	{ShapeUUID, "uuid", chance}, {ShapeJWT, "jwt", chance}, {ShapeBcrypt, "bcrypt", chance}, {ShapeHex, "hex", chance},
	{shapeObjectHash, "object-hash", chance}, {shapeAddress, "address", chance},
	{shapeSourceLine, "source-line", otherwise}, {ShapeTempPath, HintTempPath, otherwise},
}

// source is what would make a value move that a hint names.
func (h Hint) source() source {
	if h == HintEpoch || h == HintCalendar {
		return clock
	}
	for _, known := range hints {
		if known.name == h {
			return known.source
		}
	}
	return otherwise
}

// IsTime reports whether a hint names a day or a moment.
func (h Hint) IsTime() bool { return h.source() == clock }

// IsRandom reports whether a hint names what was drawn, or where something lies in memory.
func (h Hint) IsRandom() bool { return h.source() == chance }

// The notations. Each is also what the map's documentation says of the format of that name, and what a suite asserts.
var (
	reRFC1123 = lazy.Regexp(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), ` +
		`\d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})$`)
	reDate = lazy.Regexp(`^\d{4}-\d\d-\d\d$`)
	// Java leaves seconds out that are zero, and RFC 3339 has a colon in the zone where others have none.
	reDateTime = lazy.Regexp(
		`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?$`)
	reTime        = lazy.Regexp(`^\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$`)
	reJWT         = lazy.Regexp(`^[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*$`)
	reBcrypt      = lazy.Regexp(`^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$`)
	reEmail       = lazy.Regexp(`^[^@\s]+@[^@\s]+\.[^@\s.]+$`)
	reURI         = lazy.Regexp(`^[a-zA-Z][a-zA-Z0-9+.-]*://\S+$`)
	reULID        = lazy.Regexp(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	reMAC         = lazy.Regexp(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$|^[0-9A-Fa-f]{2}(-[0-9A-Fa-f]{2}){5}$`)
	reIPv6        = lazy.Regexp(`^[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}(:\d{1,3}(\.\d{1,3}){3})?$`)
	reSemver      = lazy.Regexp(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	reISODuration = lazy.Regexp(`^P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?$`)
	reIPv4        = lazy.Regexp(`^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$`)

	reObjectHash = lazy.Regexp(`(^|[^\w@.-])(\[+[A-Z]|[\w$.\[;]*[A-Za-z_$][\w$;]*)@[0-9a-f]{5,8}(\W|$)`)
	reAddress    = lazy.Regexp(`\b0x[0-9a-fA-F]{6,16}\b`)
	reSourceLine = lazy.Regexp(`\w\.(java|kt|scala|go|py|js|ts|rb|php|cs):\d+|File "[^"]+", line \d+`)
	reTempPath   = lazy.Regexp(
		`(^|[\s"'=:])(/tmp/|/var/folders/|/var/tmp/|[A-Z]:\\(Users\\[^\\]+\\AppData\\Local\\)?Temp\\)\S`)
)

// HoldsAddress reports whether a text holds an address in memory: 0x7f3a….
func HoldsAddress(s string) bool { return reAddress().MatchString(s) }

// HoldsSourceLine reports whether a text holds a line of a program: File.java:12.
func HoldsSourceLine(s string) bool { return reSourceLine().MatchString(s) }

// ShapesOf returns the notations that a string satisfies.
func ShapesOf(s string) Shapes { return ShapesAmong(s, ^Shapes(0)) }

// ShapesAmong returns those of the wanted notations that a string satisfies, and perhaps others of them. What decides
// is looked at before any expression is tried.
func ShapesAmong(s string, wanted Shapes) (sh Shapes) {
	n := len(s)
	if n > maxMomentText {
		return 0
	}
	if wanted&ShapeRandom != 0 {
		wanted |= telltaleShapes
	}
	may := func(shape Shapes) bool { return wanted&shape != 0 }
	if may(ShapeDigits) && AllDigits(s) {
		sh |= ShapeDigits
	}
	if n >= 3 && s[0] == 'P' && IsDigit(s[n-2]) && may(shapeDuration) && reISODuration().MatchString(s) {
		sh |= shapeDuration
	}
	if n < 5 {
		return sh
	}
	if IsDigit(s[0]) && n <= 64 && may(shapeDate|shapeRFC3339|shapeDateTime|shapeTime|ShapeIPv4|ShapeSemver) {
		sh |= dateShapes(s)
	}
	set := func(shape Shapes, ok bool) {
		if ok {
			sh |= shape
		}
	}
	set(ShapeUUID|version(s), n == 36 && isUUID(s))
	set(shapeULID, n == 26 && may(shapeULID) && isHexless(s) && reULID().MatchString(s))
	set(shapeMAC, n == 17 && may(shapeMAC) && reMAC().MatchString(s))
	set(shapeIPv6, n <= 45 && may(shapeIPv6) && isIPv6(s))
	set(ShapeBase64URL, n >= 16 && n%4 != 1 && may(ShapeBase64URL) && isBase64(s) && !strings.ContainsAny(s, "+/="))
	set(ShapeHex, n >= 8 && may(ShapeHex) && isHex(s))
	set(ShapeBase64, n >= 16 && n%4 == 0 && may(ShapeBase64) && isBase64(s))
	set(shapeRFC1123, n < 40 && n > 24 && s[3] == ',' && may(shapeRFC1123) && isRFC1123(s))
	set(ShapeBcrypt, n == 60 && may(ShapeBcrypt) && reBcrypt().MatchString(s))
	set(ShapeJWT, n > 20 && s[0] == 'e' && s[1] == 'y' && may(ShapeJWT) && isJWT(s))
	if may(shapeEmail|shapeObjectHash) && strings.IndexByte(s, '@') >= 0 {
		set(shapeEmail, reEmail().MatchString(s))
		set(shapeObjectHash, reObjectHash().MatchString(s))
	}
	set(ShapeURI, may(ShapeURI) && strings.Contains(s, "://") && reURI().MatchString(s))
	set(shapeAddress, may(shapeAddress) && strings.Contains(s, "0x") && reAddress().MatchString(s))
	set(shapeSourceLine, may(shapeSourceLine) && (strings.Contains(s, ":") || strings.Contains(s, "line ")) &&
		reSourceLine().MatchString(s))
	set(ShapeTempPath, may(ShapeTempPath) && (strings.Contains(s, "/tmp/") || strings.Contains(s, "/var/") ||
		strings.Contains(s, `:\`)) &&
		reTempPath().MatchString(s))
	set(ShapeRandom, may(ShapeRandom) && mixed(s, sh))
	return sh
}

func isRFC1123(s string) bool {
	_, ok := imfDate(s)
	return ok || reRFC1123().MatchString(s)
}

func dateShapes(s string) (sh Shapes) {
	if len(s) >= 10 && s[4] == '-' {
		switch {
		case len(s) == 10 && reDate().MatchString(s):
			return shapeDate
		case isRFC3339(s):
			return shapeRFC3339 | shapeDateTime
		case reDateTime().MatchString(s):
			return shapeDateTime
		}
	}
	if s[2] == ':' && reTime().MatchString(s) {
		return shapeTime
	}
	if len(s) <= 15 && reIPv4().MatchString(s) {
		return ShapeIPv4
	}
	// 21.11.2026 is a date: 01.12.2026 will be no version.
	if dots := strings.Count(s, "."); dots >= 2 && !(dots == 2 && len(s)-strings.LastIndexByte(s, '.') == len(".2026")) &&
		reSemver().MatchString(s) {
		return ShapeSemver
	}
	return 0
}

func isUUID(s string) bool {
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !hexDigit(s[i]) {
				return false
			}
		}
	}
	return true
}

// version adds to the shape of a UUID how it was made (RFC 9562).
func version(s string) Shapes {
	if len(s) != 36 || strings.IndexByte("89abAB", s[19]) < 0 {
		return 0
	}
	switch s[14] {
	case '1':
		return shapeUUID1
	case '3':
		return shapeUUID3
	case '4':
		return ShapeUUID4
	case '5':
		return shapeUUID5
	case '6':
		return shapeUUID6
	case '7':
		return shapeUUID7
	}
	return 0
}

// isHexless reports whether a text has a letter that is no hex digit, and a digit.
func isHexless(s string) bool {
	return strings.ContainsAny(s, "GHJKMNPQRSTVWXYZ") && strings.ContainsAny(s, "0123456789")
}

// isIPv6 wants eight groups, or fewer with one gap.
func isIPv6(s string) bool {
	colons := strings.Count(s, ":")
	if colons < 2 || !reIPv6().MatchString(s) {
		return false
	}
	gaps := strings.Count(s, "::")
	groups := colons
	if strings.Contains(s, ".") { // the last two groups as an IPv4 address
		groups++
	}
	return gaps == 1 && groups <= 7 && !strings.Contains(s, ":::") || gaps == 0 && groups == 7 && s[0] != ':' &&
		s[len(s)-1] != ':'
}

func hexDigit(c byte) bool { return IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isHex wants digits and letters both: a number is none, nor is a word.
func isHex(s string) bool {
	var digit, letter bool
	for i := range len(s) {
		if !hexDigit(s[i]) {
			return false
		}
		digit = digit || IsDigit(s[i])
		letter = letter || !IsDigit(s[i])
	}
	return digit && letter
}

// isBase64 wants upper and lower case and a digit: a path or a long word is none.
func isBase64(s string) bool {
	var digit, upper, lower bool
	body := strings.TrimRight(s, "=")
	if len(s)-len(body) > 2 || s[0] == '/' {
		return false
	}
	for i := range len(body) {
		switch c := body[i]; {
		case IsDigit(c):
			digit = true
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c != '+' && c != '/' && c != '-' && c != '_':
			return false
		}
	}
	return digit && upper && lower
}

// telltaleShapes are those of strings that are drawn, whatever they hold.
const telltaleShapes = ShapeUUID | ShapeHex | ShapeBase64 | ShapeJWT | ShapeBcrypt

// mixed reports whether a string looks like one that was drawn: no message, no name, no small number.
func mixed(s string, sh Shapes) bool {
	if sh&telltaleShapes != 0 {
		return true
	}
	if len(s) < 8 || strings.ContainsAny(s, " \t\n/@:") || utf8.RuneCountInString(s) != len(s) {
		return false
	}
	var digits, letters int
	for i := range len(s) {
		switch {
		case IsDigit(s[i]):
			digits++
		case s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z':
			letters++
		}
	}
	return digits >= 2 && letters >= 2 && digits+letters >= len(s)*3/4
}

func AllHex(s string) bool {
	for i := range len(s) {
		if !hexDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// ByChance are the notations that a string of theirs may fail to show: of those drawn letter by letter, one in a few
// has no digit, or no letter, or no capital.
const ByChance = ShapeHex | ShapeBase64 | ShapeBase64URL | ShapeRandom

// ByChanceCount is how many notations ByChance has.
const ByChanceCount = 4

// ChanceShapes lists the notations of ByChance.
func ChanceShapes() [ByChanceCount]Shapes {
	return [...]Shapes{ShapeHex, ShapeBase64, ShapeBase64URL, ShapeRandom}
}

// Unshown returns the notations of ByChance that a string may be of for all that its characters and its length say.
func Unshown(s string) (sh Shapes) {
	n := len(s)
	if n > maxMomentText {
		return 0
	}
	if n >= 8 && AllHex(s) {
		sh |= ShapeHex
	}
	if n >= 8 && IsToken(s) {
		sh |= ShapeRandom
	}
	if n >= 16 && IsToken(strings.TrimRight(strings.Map(standard, s), "=")) {
		if n%4 == 0 {
			sh |= ShapeBase64
		}
		if n%4 != 1 && !strings.ContainsAny(s, "+/=") {
			sh |= ShapeBase64URL
		}
	}
	return sh
}

// standard puts the two characters of base64url in the place of those of base64.
func standard(r rune) rune {
	switch r {
	case '+':
		return '-'
	case '/':
		return '_'
	}
	return r
}

// IsToken reports whether a text has letters, digits, - and _ alone: what keys and ids that are drawn are made of.
func IsToken(s string) bool {
	for i := range len(s) {
		if !WordByteAt(s, i) && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return s != ""
}

func AllDigits(s string) bool {
	return s != "" && digits(s) == len(s)
}

// GeneratedShapes are those of keys that no programmer wrote.
const GeneratedShapes = ShapeUUID | ShapeHex | ShapeBase64 | ShapeRandom | ShapeDigits | shapeRFC3339 |
	shapeDateTime | shapeDate | shapeEmail | ShapeIPv4
