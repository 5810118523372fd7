package exchange

import "strings"

// Part returns the place of what a text at p holds, in one of the forms that have a name: a marker, which begins with
// @, stands between the place of the text and the places within it, as in /body/token/@jwt/claims/exp.
func (p Place) Part(marker string) Place { return p + "/" + Place(marker) }

// The markers of the forms that texts are read in.
const (
	PartJSON      = "@json"      // a JSON text within a string
	PartLines     = "@ndjson"    // JSON texts line by line, or one after the other (RFC 7464)
	PartJWT       = "@jwt"       // header, claims, signature
	PartBase64    = "@base64"    // what base64 stands for, where that is JSON or a text
	PartXML       = "@xml"       // elements, their attributes as @name, their text as #text
	PartHTML      = "@html"      // elements by name, or form controls by theirs
	PartForm      = "@form"      // the pairs of a form
	PartMultipart = "@multipart" // the parts of a message by their names
	PartEvents    = "@sse"       // server-sent events
	PartBinary    = "@binary"    // length and type of bytes that are no text
	PartCookie    = "@cookie"    // Set-Cookie: by cookie, its value and its attributes
	PartMedia     = "@media"     // Content-Type: the type, and its parameters
	PartMembers   = "@members"   // a header that is a list by its definition
)

var markers = [...]string{PartJSON, PartLines, PartJWT, PartBase64, PartXML, PartHTML, PartForm, PartMultipart,
	PartEvents, PartBinary,
	PartCookie, PartMedia, PartMembers}

// Text returns the text that p is a part of, the outermost where one lies within another, and the marker behind it. ok
// is false where p is no part of a text.
func (p Place) Text() (text Place, marker string, ok bool) {
	for from := 0; ; {
		k := strings.Index(string(p[from:]), "/@")
		if k < 0 {
			return "", "", false
		}
		segment, _, _ := strings.Cut(string(p[from+k+1:]), "/")
		for _, m := range markers {
			if segment == m && from+k > 0 {
				return p[:from+k], m, true
			}
		}
		from += k + 1
	}
}
