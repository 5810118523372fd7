package lines

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Key is a name without the ways in which languages write it: replacedBy, replaced_by.
func Key(word string) string {
	if strings.ContainsAny(word, "_-") {
		word = strings.ReplaceAll(strings.ReplaceAll(word, "_", ""), "-", "")
	}
	return strings.ToLower(word)
}

var (
	// A text that something is compared with, or that is a case.
	comparedText = lazy.Regexp("(?:[=!]==?|\\bcase|\\bequals(?:IgnoreCase)?\\(|\\bin [\\[({])\\s*[\"'`]([^\"'`\\\\]{1,40})[\"'`]|[\"'`]([^\"'`\\\\]{1,40})[\"'`](?:\\s*[=!]==?|\\.equals\\()")
	// A number with which something is compared.
	comparedNumber = lazy.Regexp(`(?:[=!]==?|[<>]=?)\s*(\d{1,9})\b`)
)

// Texts are those that a line compares something with, ten at most.
func Texts(line string) (out []string) {
	for _, m := range comparedText().FindAllStringSubmatch(line, 10) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// compared are the texts, and the numbers, that a part of a line compares something with.
func compared(part string) []string {
	out := Texts(part)
	for _, m := range comparedNumber().FindAllStringSubmatch(part, 10) {
		n, _ := strconv.ParseFloat(m[1], 64) // it is digits
		out = append(out, Neighbors(n)...)
	}
	return out
}

// Neighbors are the texts of a number and of those beside it; none of a status, which something else is compared with.
func Neighbors(n float64) (out []string) {
	if IsStatus(n) {
		return nil
	}
	for _, v := range []float64{n, n - 1, n + 1} {
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return out
}

// typing are words that say of what type a value is that is read, or checked, on the same line.
var typing = lazy.Regexp(`\b(?:(str|string|text|String|getString|asText|GetString|isString|optString)|(int|float|number|double|long|Number|getDouble|getInt|getLong|asDouble|asInt|float64|Double|Integer|isFinite|isInteger|parseFloat)|` +
	`(bool|boolean|flag|Boolean|asBoolean|getBoolean)|(list|List|array|isArray|getArray|Array)|(dict|Map|isObject|getObject|getJSONObject|(?:typeof |["'])object))\b`)

// Kind is the type for which a line takes what it reads, or checks; Unknown where it says none, or several.
func Kind(line []byte) kind.Kind {
	said := kind.Unknown
	for _, m := range typing().FindAllSubmatch(line, 10) {
		for i, k := range []kind.Kind{kind.String, kind.Number, kind.Boolean, kind.List, kind.Object} {
			if len(m[i+1]) == 0 {
				continue
			}
			if said != kind.Unknown && said != k {
				return kind.Unknown
			}
			said = k
		}
	}
	return said
}

// statusNamed are the statuses that languages have names for (RFC 9110, section 15), by the key of the name.
var statusNamed = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"ok": 200, "created": 201, "accepted": 202, "nocontent": 204, "movedpermanently": 301, "found": 302,
		"seeother": 303, "notmodified": 304, "temporaryredirect": 307, "permanentredirect": 308, "badrequest": 400,
		"unauthorized": 401, "paymentrequired": 402, "forbidden": 403, "notfound": 404, "methodnotallowed": 405,
		"notacceptable": 406, "requesttimeout": 408, "conflict": 409, "gone": 410, "preconditionfailed": 412,
		"unsupportedmediatype": 415, "unprocessableentity": 422, "unprocessablecontent": 422, "locked": 423,
		"tooearly": 425, "toomanyrequests": 429, "internalservererror": 500, "notimplemented": 501, "badgateway": 502,
		"serviceunavailable": 503, "gatewaytimeout": 504,
	}
})

// aStatus is a number that may be a status, or the name of one: http.StatusConflict, HttpStatus.CONFLICT.
var aStatus = lazy.Regexp(`\b([1-5]\d\d)\b|\b(?:\w*Status|HTTP|codes|StatusCodes)[._]?([A-Za-z_]{2,40})\b`)

// Statuses are those that a line speaks of, by number or by name, ten at most.
func Statuses(line string) (out []int) {
	for _, m := range aStatus().FindAllStringSubmatch(line, 10) {
		status, _ := strconv.Atoi(m[1])
		if m[2] != "" {
			status = statusNamed()[Key(m[2])]
		}
		if status != 0 {
			out = append(out, status)
		}
	}
	return out
}

// statuses are numbers that most sources have as those of answers.
var statuses = []float64{
	200, 201, 202, 204, 301, 302, 304, 400, 401, 402, 403, 404, 405, 409, 410, 422, 429, 500, 502, 503, 504,
}

// IsStatus reports whether a number is for the most part a status where sources have it.
func IsStatus(n float64) bool { return slices.Contains(statuses, n) }

// NamesStatus reports whether a name is that of a status: Conflict, StatusConflict.
func NamesStatus(name string) bool {
	return statusNamed()[Key(strings.TrimPrefix(name, "Status"))] != 0
}
