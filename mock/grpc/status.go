package grpc

import (
	"net/http"
	"strconv"
	"strings"
)

// The fields of an answer by which it names its status, and says why: those of WireMock's extension for gRPC.
const (
	StatusName   = "Grpc-Status-Name"
	StatusReason = "Grpc-Status-Reason"
)

// Status is a status of gRPC, by its number.
type Status int

// The statuses that are given here. The others are known by [StatusNamed].
const (
	OK              Status = 0
	unknown         Status = 2
	invalidArgument Status = 3
	aborted         Status = 10
	Unimplemented   Status = 12
	Internal        Status = 13
	unavailable     Status = 14
)

// statuses are the names of all, and the HTTP statuses that google.rpc.Code says stand for them.
var statuses = [...]struct {
	name string
	http int
}{
	{"OK", 200}, {"CANCELLED", 499}, {"UNKNOWN", 500}, {"INVALID_ARGUMENT", 400}, {"DEADLINE_EXCEEDED", 504},
	{"NOT_FOUND", 404}, {"ALREADY_EXISTS", 409}, {"PERMISSION_DENIED", 403}, {"RESOURCE_EXHAUSTED", 429},
	{"FAILED_PRECONDITION", 400}, {"ABORTED", 409}, {"OUT_OF_RANGE", 400}, {"UNIMPLEMENTED", 501}, {"INTERNAL", 500},
	{"UNAVAILABLE", 503}, {"DATA_LOSS", 500}, {"UNAUTHENTICATED", 401},
}

// String is the name of a status, or its number where it has none.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statuses) {
		return strconv.Itoa(int(s))
	}
	return statuses[s].name
}

// HTTP is the HTTP status that stands for a status.
func (s Status) HTTP() int {
	if s < 0 || int(s) >= len(statuses) {
		return http.StatusInternalServerError
	}
	return statuses[s].http
}

// StatusNamed is the status of a name, or of a number.
func StatusNamed(name string) (s Status, ok bool) {
	for i, known := range statuses {
		if strings.EqualFold(name, known.name) || name == strconv.Itoa(i) {
			return Status(i), true
		}
	}
	return 0, false
}

// StatusOf is the status that an HTTP status stands for: the usual one of those with the same.
func StatusOf(status int) Status {
	switch {
	case status/100 == 2:
		return OK
	case status == http.StatusBadRequest:
		return invalidArgument
	case status == http.StatusConflict:
		return aborted
	case status == http.StatusInternalServerError:
		return Internal
	case status == http.StatusBadGateway:
		return unavailable // as clients read it of a proxy
	}
	for i, known := range statuses {
		if known.http == status {
			return Status(i)
		}
	}
	return unknown
}

// percent writes a message as the field grpc-message has it: what is no visible ASCII in percents.
func percent(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

// unpercent reads it back; what is no percents stays as it is.
func unpercent(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
