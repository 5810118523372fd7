package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// boltMagic stands in each database behind the head of its first page (the meta page of bbolt).
var boltMagic = [...]byte{0xed, 0xda, 0x0c, 0xed}

// LoadMap reads a map file, or judges the recording that a file is; holder is who is still writing into the recording.
// The user's rules for places have the last word on both.
func LoadMap(path string, o Options) (m *mapfile.Map, holder *store.Holder, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read map: %w", err)
	}
	head := make([]byte, 20)
	n, _ := io.ReadFull(f, head)
	f.Close()
	if n == len(head) && bytes.Equal(head[16:], boltMagic[:]) {
		r, err := Judge(path, o)
		if err != nil {
			return nil, nil, err
		}
		return r.Map, r.Holder, nil
	}
	if m, err = ReadMap(path); err != nil {
		return nil, nil, err
	}
	rules.Apply(m, o.Rules.Places)
	return m, nil, nil
}

// ReadMap reads a map file as it is.
func ReadMap(path string) (*mapfile.Map, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read map: %w", err)
	}
	defer f.Close()
	m, err := mapfile.Decode(f)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return m, nil
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("read map %s: not JSON at byte %d: %w", path, syntax.Offset, syntax)
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read map %s: the file is empty", path)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("read map %s: the file is cut short", path)
	}
	return nil, fmt.Errorf("read map %s: %w", path, err)
}
