package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/waits/past"
)

// magic begins an index. Its number changes with what [past.Read] reads and how it is stored.
const magic = "flaketap waits 1\n"

// maxIndex bounds the size of an index, in bytes.
const maxIndex = 128 << 20

// index is what is kept of a history: all of it up to a commit.
type index struct {
	Head    string
	Commits []past.Commit
}

var errDamaged = errors.New("the index is damaged")

// indexPath is where the index of a folder lies; "" where none is kept.
func indexPath(folder string, o Options) string {
	if o.Cache == "" {
		return ""
	}
	real, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{real, strconv.Itoa(o.Commits)}, o.Paths...), "\x00")))
	return filepath.Join(o.Cache, hex.EncodeToString(sum[:16])+".waits")
}

// loadIndex reads an index; nil where there is none that can be relied on.
func loadIndex(path string) *index {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	if err != nil {
		return nil
	}
	x, err := decodeIndex(data)
	if err != nil {
		return nil
	}
	return x
}

// decodeIndex reads what encodeIndex wrote: the magic, the sum of what follows, and that.
func decodeIndex(data []byte) (*index, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < sha256.Size || len(data) > maxIndex {
		return nil, errDamaged
	}
	if sum := sha256.Sum256(rest[sha256.Size:]); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errDamaged
	}
	x := &index{}
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(x); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	return x, nil
}

func encodeIndex(x *index) ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(x); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	sum := sha256.Sum256(body.Bytes())
	return append(append([]byte(magic), sum[:]...), body.Bytes()...), nil
}

// saveIndex keeps an index for the next time. Where that cannot be, the next time reads the history again.
func saveIndex(path string, x *index) {
	if path == "" {
		return
	}
	data, err := encodeIndex(x)
	if err != nil || len(data) > maxIndex || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	staged, err := outfile.Stage(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err == nil {
		_ = staged.Put()
	}
}
