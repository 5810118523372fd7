package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/infile"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/index"
	"github.com/flaketap/flaketap/store"
)

// Trials is the name of the recording in the folder.
const Trials = "trials.db"

// Tried is the name of the recording in the folder that has each trial, in the order in which they ran: it can be
// looked at while they do.
const Tried = "tried.db"

// Log is that recording, open for writing.
type Log struct{ db *store.Store }

// OpenLog opens the recording in a folder that is there, and makes it where there is none. A search that resumes an
// earlier one adds to what that recorded; any other replaces it. Close ends it.
func OpenLog(dir string, resumes bool) (*Log, error) {
	path, o := filepath.Join(dir, Tried), store.Options{Doing: "searching"}
	if !resumes {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("record trials: %w", err)
		}
	}
	db, err := store.Open(path, o)
	if errors.Is(err, fs.ErrNotExist) {
		db, err = store.Create(path, o)
	}
	if err == nil {
		_, err = db.BeginPass(exchange.Pass{Started: time.Now(), Source: "mock search", Start: exchange.StartReset})
	}
	if err != nil {
		return nil, fmt.Errorf("record trials: %w", err)
	}
	return &Log{db}, nil
}

// Add records the API's exchange of a trial.
func (l *Log) Add(trial []*exchange.Exchange) error {
	if len(trial) == 0 {
		return nil
	}
	e := *trial[0] // the search goes on with its own
	if err := l.db.Record(&e); err != nil {
		return fmt.Errorf("record trial: %w", err)
	}
	return nil
}

// Close ends the recording.
func (l *Log) Close() error { return errors.Join(l.db.EndPass(time.Now()), l.db.Close()) }

// Behavior is one that was found.
type Behavior struct {
	Name     string // of its folder: "003"
	Findings []search.Finding
	Stubs    []byte // its mappings: those whose answers are whole, where they are known
	// Trials are what was recorded with these stubs, several times: the API's exchange, and that of the journal.
	Trials [][]*exchange.Exchange
}

// WriteTrials writes the recording of the trials into a folder that is there.
func WriteTrials(dir string, all []*search.Behavior) (err error) {
	db, err := store.Create(filepath.Join(dir, Trials), store.Options{Doing: "searching"})
	if err != nil {
		return fmt.Errorf("write trials: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.BeginPass(exchange.Pass{Started: time.Now(), Source: "mock search", Start: exchange.StartReset}); err != nil {
		return fmt.Errorf("write trials: %w", err)
	}
	for i, b := range all {
		proofs := b.Proofs
		if b.Whole != nil {
			proofs = b.Whole.Proofs
		}
		for _, trial := range proofs {
			for _, e := range trial {
				e.Sequence = index.Folder(i)
				if err := db.Record(e); err != nil {
					return fmt.Errorf("write trials: %w", err)
				}
			}
		}
	}
	return db.EndPass(time.Now())
}

// Read reads a folder that a search has written. The redactor is that of its recording. The error says what is missing.
func Read(dir string) (all []Behavior, redactor exchange.Redactor, err error) {
	listed, err := ReadIndex(dir)
	if errors.Is(err, index.ErrOther) {
		return nil, redactor, fmt.Errorf("read behaviors: %s is not the index of a search", filepath.Join(dir, index.Name))
	}
	if err != nil {
		return nil, redactor, fmt.Errorf("read behaviors: %w", err)
	}
	trials, redactor, err := readTrials(filepath.Join(dir, Trials))
	if err != nil {
		return nil, redactor, err
	}
	for i, x := range listed.Behaviors {
		b := Behavior{Name: index.Folder(i), Findings: x.Findings, Trials: trials[index.Folder(i)]}
		folder := b.Name
		if x.Whole {
			folder = index.WholeFolder(i)
		}
		if b.Stubs, err = infile.Read(filepath.Join(dir, folder, "stubs.json"), maxFile); err != nil {
			return nil, redactor, fmt.Errorf("read behaviors: %w", err)
		}
		if _, err := mock.ParseStubs(b.Stubs, mock.NoFile); err != nil {
			return nil, redactor, fmt.Errorf("read behaviors: %s: %w", b.Name, err)
		}
		all = append(all, b)
	}
	return all, redactor, nil
}

// maxFile bounds the bytes of the index of a search, and of the stubs of each behavior.
const maxFile = 64 << 20

// ReadIndex reads the index of the folder of a search. The error is [index.ErrOther] where it is another file.
func ReadIndex(dir string) (found index.Found, err error) {
	name := filepath.Join(dir, index.Name)
	data, err := infile.Read(name, maxFile)
	if err != nil {
		return found, err
	}
	if found, err = index.Decode(data); err != nil {
		return found, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}

// readTrials reads the recording: the trials by the names of behaviors.
func readTrials(path string) (trials map[string][][]*exchange.Exchange, redactor exchange.Redactor, err error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, redactor, fmt.Errorf("read trials: %w", err)
	}
	defer db.Close()
	recording, err := db.Recording()
	if err != nil {
		return nil, redactor, fmt.Errorf("read trials: %w", err)
	}
	redactor.Key = recording.Key
	out := map[string][][]*exchange.Exchange{}
	for e, err := range db.Exchanges() {
		if err != nil {
			return nil, redactor, fmt.Errorf("read trials: %w", err)
		}
		trials := out[e.Sequence]
		if last := len(trials) - 1; e.Request.Target == search.Journal && last >= 0 && len(trials[last]) == 1 {
			trials[last] = append(trials[last], e)
			continue
		}
		out[e.Sequence] = append(trials, []*exchange.Exchange{e})
	}
	return out, redactor, nil
}
