package queue

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// ErrSealed is what cannot be opened: it was sealed with another key, or for another name, or is damaged.
var ErrSealed = errors.New("it cannot be opened with this key")

// contentMost bounds, in bytes, what is opened.
const contentMost = 512 << 20

// Key seals what passes a board. It may be used by several goroutines.
type Key struct {
	aead   cipher.AEAD
	id     string // tells keys apart, and nothing of them
	tokens []byte // the key of what stands in the place of secrets in messages
	enc    *zstd.Encoder
	dec    *zstd.Decoder
}

// NewKey makes a key of a secret that a replay and its workers share.
func NewKey(secret []byte) (*Key, error) {
	own, err := hkdf.Key(sha256.New, secret, nil, "flaketap workers: content", 32)
	if err != nil {
		return nil, err
	}
	tokens, err := hkdf.Key(sha256.New, secret, nil, "flaketap workers: tokens", 32)
	if err != nil {
		return nil, err
	}
	id, err := hkdf.Key(sha256.New, secret, nil, "flaketap workers: name of the key", 8)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, err
	}
	k := &Key{id: hex.EncodeToString(id), tokens: tokens}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		return nil, err
	}
	k.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	k.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(contentMost))
	return k, err
}

// seal returns content as it is kept under a name.
func (k *Key) seal(name string, content []byte) []byte {
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // which never fails
	return k.aead.Seal(nonce, nonce, k.enc.EncodeAll(content, nil), []byte(name))
}

// openShort is open for what is said over a wire.
func (k *Key) openShort(name string, sealed []byte) ([]byte, error) {
	if len(sealed) > wireMost {
		return nil, fmt.Errorf("open %s: more than %d bytes", name, wireMost)
	}
	return k.open(name, sealed)
}

// open returns what was sealed for a name.
func (k *Key) open(name string, sealed []byte) ([]byte, error) {
	n := k.aead.NonceSize()
	if len(sealed) < n {
		return nil, fmt.Errorf("open %s: %w", name, ErrSealed)
	}
	packed, err := k.aead.Open(nil, sealed[:n], sealed[n:], []byte(name))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, ErrSealed)
	}
	content, err := k.dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return content, nil
}
