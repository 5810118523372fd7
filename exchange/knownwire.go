package exchange

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
)

// knownWire is a Known as it is written: secrets in the clear.
type knownWire struct {
	Words        []string
	Places       []Place
	Layers       []map[string]string // values by spelling
	Stored, Full bool
}

// MarshalBinary writes the secrets, in the clear, for another process that is to know them.
func (k *Known) MarshalBinary() ([]byte, error) {
	w := knownWire{Words: k.names.words, Places: k.names.places, Stored: k.stored, Full: k.full}
	for _, layer := range k.layers {
		w.Layers = append(w.Layers, layer.values())
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(w); err != nil {
		return nil, fmt.Errorf("write secrets: %w", err)
	}
	return b.Bytes(), nil
}

// UnmarshalBinary reads what [Known.MarshalBinary] wrote.
func (k *Known) UnmarshalBinary(content []byte) error {
	var w knownWire
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&w); err != nil {
		return fmt.Errorf("read secrets: %w", err)
	}
	*k = Known{names: naming{words: w.Words, places: w.Places}, stored: w.Stored, full: w.Full}
	for _, layer := range w.Layers {
		for text := range layer {
			if len(text) < minKnown {
				return errors.New("read secrets: one is too short to be looked for")
			}
		}
		k.layers = append(k.layers, newMatcher(layer))
	}
	return nil
}
