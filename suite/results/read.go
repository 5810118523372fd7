package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrUnknown is what [Read] returns for what holds no results in a form that it knows.
var ErrUnknown = errors.New("no test results in a known format (JUnit XML, go test -json, jest --json, TAP, unittest -v)")

// Read reads the results that a runner left in a file of that name, which is for messages alone: the content tells the
// form. A file in a known form that holds no test gives none. Where it breaks off or is damaged, the results before
// that are returned with the error.
func Read(r io.Reader, name string) ([]Result, error) {
	all, err := ReadDetailed(r, name)
	return Plain(all), err
}

// ReadDetailed is [Read] with all that the runner says of each test.
func ReadDetailed(r io.Reader, name string) ([]Detailed, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read results: %w", err)
	case len(data) > MaxFile:
		return nil, fmt.Errorf("read results %s: it has more than %d bytes", name, MaxFile)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var l list
	switch body := bytes.TrimLeft(data, " \t\r\n"); {
	case bytes.HasPrefix(body, []byte("<")):
		err = readJUnit(body, &l)
	case isJest(body):
		err = readJest(body, &l)
	case isGoTest(body):
		err = readGoTest(data, &l)
	case isTAP(body):
		err = readTAP(data, &l)
	case isUnittest(data):
		err = readUnittest(data, &l)
	default:
		err = ErrUnknown
	}
	if err != nil {
		err = fmt.Errorf("read results %s: %w", name, err)
	}
	return l.results, err
}

// errFull is why the rest of a file is not read.
var errFull = fmt.Errorf("it holds more than %d tests", MaxTests)
