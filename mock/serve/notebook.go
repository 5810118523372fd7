package serve

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
)

// Notebook runs trials, and keeps what became of each in a file, so that the same search goes on where it was ended: a
// trial that the file has is not run again. Beside it is a recording of them, to be looked at while they run.
type Notebook struct {
	api    search.API
	file   *os.File
	seen   *archive.Log
	shown  exchange.Redactor
	known  map[string][]search.Outcome // by trial, in the order in which they ran
	Resume int                         // how many trials of a budget the file had
}

// notebookName is the file in the folder of what was found.
const notebookName = "trials.jsonl"

// notebookHead is the first line of the file.
type notebookHead struct {
	Flaketap string `json:"flaketap"` // "mock-search-trials"
	Version  int    `json:"version"`
	Of       string `json:"of"` // a digest of what was searched
}

type notebookLine struct {
	Trial   string         `json:"trial"`
	Outcome search.Outcome `json:"outcome"`
	Extra   bool           `json:"extra,omitempty"` // it ran beyond the budget, or once more
}

// HasNotebook reports whether a folder is that of a search that was ended, which can go on.
func HasNotebook(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, notebookName))
	return err == nil
}

// OpenNotebook opens the notebook of a folder, or begins it. of tells what is searched: a notebook of something else is
// an error. Close ends it.
func OpenNotebook(dir, of string, api search.API) (*Notebook, error) {
	digest := sha256.Sum256([]byte(of))
	n := &Notebook{api: api, known: map[string][]search.Outcome{}, shown: anyRedactor()}
	head := notebookHead{"mock-search-trials", 1, hex.EncodeToString(digest[:])}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make notebook: %w", err)
	}
	var err error
	if n.file, err = os.OpenFile(filepath.Join(dir, notebookName), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("open notebook: %w", err)
	}
	if err := n.read(head); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", n.file.Name(), err), n.file.Close())
	}
	if n.seen, err = archive.OpenLog(dir, len(n.known) > 0); err != nil {
		return nil, errors.Join(err, n.file.Close())
	}
	return n, nil
}

// maxNotebookLine bounds a line of the notebook.
const maxNotebookLine = 8 << 20

// read reads the file, leaves out a last line that is not whole, and writes the head of a new one. What another search
// left that ended before its first trial, as by a mistake in its command, is replaced.
func (n *Notebook) read(want notebookHead) error {
	lines := bufio.NewReaderSize(n.file, 64<<10)
	var whole int64
	for first := true; ; first = false {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(line) > maxNotebookLine {
			return errors.New("a line is too long")
		}
		if first {
			var got notebookHead
			if err := json.Unmarshal(line, &got); err != nil || got != want {
				if _, more := lines.Peek(1); errors.Is(more, io.EOF) && got.Flaketap == want.Flaketap {
					break
				}
				return errors.New("another search wrote it: repeat that command to go on with it, or give another --out")
			}
		} else {
			var l notebookLine
			if err := json.Unmarshal(line, &l); err != nil {
				return fmt.Errorf("it is damaged behind byte %d: %w", whole, err)
			}
			n.known[l.Trial] = append(n.known[l.Trial], l.Outcome)
			if !l.Extra {
				n.Resume++
			}
		}
		whole += int64(len(line))
	}
	if err := n.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := n.file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	if whole == 0 {
		return n.write(want)
	}
	return nil
}

func (n *Notebook) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = n.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write notebook: %w", err)
	}
	return nil
}

func trialKey(raw []byte) string {
	digest := sha256.Sum256(raw)
	return hex.EncodeToString(digest[:16])
}

// unknown leaves out of the trials that are likely to come those that the file tells.
func (n *Notebook) unknown(likely func(int) []search.Trial) func(int) []search.Trial {
	if likely == nil || len(n.known) == 0 {
		return likely
	}
	return func(most int) []search.Trial {
		told := map[string]int{}
		return slices.DeleteFunc(likely(most), func(t search.Trial) bool {
			raw, err := json.Marshal(t)
			key := trialKey(raw)
			told[key]++
			return err == nil && !t.Anew && told[key] <= len(n.known[key])
		})
	}
}

// Try returns what became of a trial, which is run where the file does not tell. Secrets are tokens in it, as they are
// in the file: the search that goes on has to see what the first one saw.
func (n *Notebook) Try(ctx context.Context, t search.Trial) (search.Outcome, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return search.Outcome{}, fmt.Errorf("write notebook: %w", err)
	}
	key := trialKey(raw)
	known := n.known[key]
	if len(known) > 0 && !t.Anew {
		n.known[key] = known[1:]
		known[0].Past = true
		return known[0], nil
	}
	t.Likely = n.unknown(t.Likely)
	out, err := n.api.Try(ctx, t)
	if err == nil {
		err = n.seen.Add(out.Record)
	}
	if err != nil {
		return out, err
	}
	out.Body = redact.Body(n.shown, "application/json", out.Body)
	out.Log = string(redact.Body(n.shown, "text/plain", []byte(out.Log)))
	for i := range out.Calls {
		out.Calls[i].Target = redact.Target(n.shown, out.Calls[i].Target)
	}
	for i := range out.Reads {
		out.Reads[i].Target = redact.Target(n.shown, out.Reads[i].Target)
	}
	return out, n.write(notebookLine{key, out, t.Extra || len(known) > 0})
}

// Close closes the files, which stay.
func (n *Notebook) Close() error { return errors.Join(n.seen.Close(), n.file.Close()) }
