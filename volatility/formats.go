package volatility

import "strings"

// FormatPattern returns the regular expression, without anchors, of a format of [Holds], readable to RE2, Python's re,
// Java and JavaScript alike; "" for one that says nothing of a text. The FORMATS of a suite's flaketap_checks.py are the
// same.
func FormatPattern(format string) string {
	if n, ok := strings.CutPrefix(format, "hex:"); ok {
		return `[0-9a-fA-F]{` + n + `}`
	}
	return FormatPatterns()[format]
}

// FormatPatterns returns the expressions of all formats, hex:N apart, by their names.
func FormatPatterns() map[string]string {
	return map[string]string{
		"rfc3339":   `\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`,
		"rfc1123":   `[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})`,
		"datetime":  `\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?`,
		"date":      `\d{4}-\d\d-\d\d`,
		"time":      `\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?`,
		"uuid4":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid":      `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
		"jwt":       `[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`,
		"bcrypt":    `\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}`,
		"email":     `[^@\s]+@[^@\s]+\.[^@\s.]+`,
		"uri":       `[a-zA-Z][a-zA-Z0-9+.-]*://\S+`,
		"ipv4":      `\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`,
		"uuid1":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid3":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid5":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid6":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid7":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"ulid":      `[0-7][0-9A-HJKMNP-TV-Z]{25}`,
		"mac":       `[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}`,
		"ipv6":      `[0-9A-Fa-f:]{2,39}(:\d{1,3}(\.\d{1,3}){3})?`,
		"semver":    `(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?`,
		"duration":  `P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?`,
		"base64url": `[A-Za-z0-9_-]+`,
		"digits":    `[0-9]+`,
		"hex":       `[0-9a-fA-F]+`,
		"base64":    `[A-Za-z0-9+/_-]+={0,2}`,
	}
}
