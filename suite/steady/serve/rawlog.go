package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/steady"
)

// rawLog is the file that lists what passed unchanged. A nil rawLog is none.
type rawLog struct {
	f   *os.File
	w   *bufio.Writer
	err error // the first
}

// openRawLog makes the file; "" gives none. It is not to be the recording.
func openRawLog(path, db string) (*rawLog, error) {
	if path == "" {
		return nil, nil
	}
	if outfile.NotInput(path, []string{db}) != nil {
		return nil, console.Usage(fmt.Errorf("--raw %s must not be the recording", path))
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write what passes unchanged: %w", err)
	}
	return &rawLog{f: f, w: bufio.NewWriter(f)}, nil
}

// write adds a line.
func (l *rawLog) write(operation, place string, r steady.Raw) {
	line, err := json.Marshal(struct {
		Operation string `json:"operation"`
		Seq       uint64 `json:"exchange,omitempty"`
		Place     string `json:"place,omitempty"`
		Reason    string `json:"reason"`
	}{operation, r.Seq, place, r.Reason})
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

func (l *rawLog) close() error {
	if l == nil {
		return nil
	}
	if err := errors.Join(l.err, l.w.Flush(), l.f.Close()); err != nil {
		return fmt.Errorf("write what passes unchanged: %w", err)
	}
	return nil
}
