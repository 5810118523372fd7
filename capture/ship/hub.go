package ship

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// ErrRefused is what errors are that waiting does not mend: a wrong credential, other terms, a later format.
var ErrRefused = errors.New("refused")

// ErrMoved is what [Hub.Append] and [Hub.Keep] give where the recorder's last block is not the one that was named, or
// nothing is there any more.
var ErrMoved = errors.New("the hub has other blocks of this recorder")

// Hub takes what recorders send. Its errors are transient, as a network's are, unless they are [ErrRefused] or
// [ErrMoved].
type Hub interface {
	// Agree gives the terms of a recorder. The first one's are kept, others are refused.
	Agree(ctx context.Context, terms Terms) error
	// Known returns what the hub has of a recorder; the zero Mark for nothing.
	Known(ctx context.Context, recorder string) (Mark, error)
	// Append adds a block behind the last one, and returns once it is kept for good.
	Append(ctx context.Context, recorder string, last Mark, next Mark, data []byte) (Mark, error)
	// Keep takes a piece, which has a name for its content, and returns once it is kept for good.
	Keep(ctx context.Context, name string, piece []byte) error
	// Report says how a recorder is doing.
	Report(ctx context.Context, r Report) error
}

// Format is the version of what recorders, hubs and collectors agree on beside the form of blocks: who keeps what, and
// where. It rises when versions of flaketap cannot work together on one name any more. What is only added, to terms,
// reports or blocks, changes it not: who does not know it passes over it.
const Format = 1

// Terms are what all recorders of one name have to have in common.
type Terms struct {
	Format  int    `json:"format"`
	Secrets string `json:"secrets"` // how they stand in blocks: Revealed, or what TokensOf returns
	// Seed, where secrets are revealed, is drawn by the first recorder: the key of tokens that are made of what was
	// collected, in hex.
	Seed string `json:"seed,omitempty"`
}

// Same reports whether two recorders can send under one name.
func (t Terms) Same(other Terms) bool { return t.Format == other.Format && t.Secrets == other.Secrets }

// Revealed are the terms of recorders that send secrets as they are.
const Revealed = "revealed"

// TokensOf are the terms of recorders that send tokens made with a key. It tells keys apart and does not give them
// away.
func TokensOf(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("flaketap: which key is it"))
	return "tokens " + hex.EncodeToString(mac.Sum(nil)[:8])
}

// termsOf are the terms of a recorder with this key; nil reveals secrets.
func termsOf(key []byte) Terms {
	if key == nil {
		seed := make([]byte, sha256.Size)
		rand.Read(seed)
		return Terms{Format, Revealed, hex.EncodeToString(seed)}
	}
	return Terms{Format: Format, Secrets: TokensOf(key)}
}

// leastKey is how many bytes a file must have to be a key that nobody guesses.
const leastKey = 16

// KeyFile returns the key that is made of what a file holds.
func KeyFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if len(data) < leastKey {
		return nil, fmt.Errorf("read key: %s has %d bytes, a key has %d or more: head -c 32 /dev/urandom makes one",
			path, len(data), leastKey)
	}
	sum := sha256.Sum256(data)
	return sum[:], nil
}

// Mark is how far the hub has a recorder's exchanges.
type Mark struct {
	Position uint64 // of the recorder's last block, as the hub counts
	Through  uint64 // the recorder's own position of the last exchange in it
	Pass     int    // the number of the pass that it belongs to
	State    string // what block.StateOf says of the pass as it is described there
	Last     string // what tells that exchange from those of other copies of the recorder's file
	Version  string // of the flaketap that sent it; "" where it does not say
	Damaged  bool   // what the hub knows of the block cannot be read; nothing else but Position is known
}

// lastOf is a digest that tells an exchange from others at its place. Its content is no part of that: who has
// digests could try out guesses of short secrets.
func lastOf(e *exchange.Exchange) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d %d", e.Pass, e.Conn, e.Start.UnixNano(), e.Latency))
	return hex.EncodeToString(sum[:6])
}

// Report is how a recorder is doing, as it says itself.
type Report struct {
	Recorder string    `json:"recorder"`
	Machine  string    `json:"machine"`
	Label    string    `json:"label,omitempty"`
	File     string    `json:"file"`
	Version  string    `json:"version,omitempty"` // of its flaketap
	Recorded uint64    `json:"recorded"`          // exchanges in its file
	Shipped  uint64    `json:"shipped"`           // of these, those that were sent, or cannot be read
	At       time.Time `json:"at"`
	Done     bool      `json:"done,omitempty"` // it ended, and has sent all
	Trouble  string    `json:"trouble,omitempty"`
}

// Identity is the name under which the hub knows the recorder of a file: the same for each copy of it.
func Identity(rec exchange.Recording) string {
	h := sha256.New()
	h.Write(rec.Key)
	if len(rec.Passes) > 0 { // recorders may share a key
		p := rec.Passes[0]
		fmt.Fprintf(h, "%d %q %q %q", p.Started.UnixNano(), p.Target, p.Listen, p.Label)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
