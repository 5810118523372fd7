package mutant

import (
	"bytes"
	"slices"
	"strconv"
)

// Status gives the answer another status: those that the operation was seen to answer with elsewhere, and two that it
// was not.
const Status Kind = "status"

// status gives answers another status. It is about no place but the status, which no other fault is about: a survey
// makes its mutants, with [Mutant.To].
func status() fault {
	return fault{kind: Status, breaks: nowhere, tells: func(m Mutant) string {
		return m.unlessVolatile("that the status is " + strconv.Itoa(m.Status))
	}}
}

// otherStatuses returns the mutants of a status: to each that the operation answered with elsewhere, to one of its
// class and one of another, which it did not. The first are what an API does that finds nothing where something is, or
// refuses what it took.
func (s *Survey) otherStatuses(m Mutant) []Mutant {
	m.Kind = Status
	var out []Mutant
	for _, code := range s.statuses[m.Operation] {
		if m.To, m.Plausible = code, true; code != m.Status && code >= 200 {
			out = append(out, m)
		}
	}
	m.Plausible = false
	for _, to := range [][]int{near(m.Status), far(m.Status)} {
		for _, code := range to {
			if !slices.Contains(s.statuses[m.Operation], code) {
				m.To = code
				out = append(out, m)
				break
			}
		}
	}
	return out
}

// near returns statuses of the same class that may have a body, and far those that say something else.
func near(status int) []int {
	switch status / 100 {
	case 2:
		return []int{200, 201, 202, 203}
	case 3:
		return []int{302, 307, 301, 308}
	case 4:
		return []int{400, 404, 403, 409, 422}
	case 5:
		return []int{500, 503, 502}
	}
	return nil
}

func far(status int) []int {
	switch status / 100 {
	case 2, 3:
		return []int{500, 404, 400, 503, 502}
	default:
		return []int{200, 201, 202, 203}
	}
}

// withStatus returns a head with another status.
func withStatus(head []byte, status int) []byte {
	head = bytes.TrimLeft(head, "\r\n") // empty lines may stand before it
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	end := "\n"
	if bytes.HasSuffix(line, []byte("\r")) {
		end = "\r\n"
	}
	proto, _, _ := bytes.Cut(line, []byte(" "))
	out := append(bytes.Clone(proto), ' ')
	out = append(strconv.AppendInt(out, int64(status), 10), ' ')
	return append(append(append(out, reason(status)...), end...), rest...)
}

// reason is the phrase of the statuses that mutants have (RFC 9110 §15).
func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 202:
		return "Accepted"
	case 203:
		return "Non-Authoritative Information"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 307:
		return "Temporary Redirect"
	case 308:
		return "Permanent Redirect"
	case 400:
		return "Bad Request"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 409:
		return "Conflict"
	case 422:
		return "Unprocessable Content"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	}
	return ""
}
