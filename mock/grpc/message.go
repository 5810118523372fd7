package grpc

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Bounds of a message.
const (
	maxMessage = 4 << 20 // what implementations take by default
	maxDepth   = 100     // of messages within messages, as implementations have it
)

// prefix is the length of what stands before a message: whether it is compressed, and its size.
const prefix = 5

// MaxBody is the most that a call's body takes, its message and what stands before it.
const MaxBody = prefix + maxMessage

var (
	errTooLarge = fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)
	errFramed   = errors.New("its body is not one message")
)

// unframed is the one message of a body, without what stands before it.
func unframed(body []byte, encoding string) ([]byte, error) {
	if len(body) < prefix {
		return nil, errFramed
	}
	size := binary.BigEndian.Uint32(body[1:prefix])
	if size > maxMessage {
		return nil, errTooLarge
	}
	message := body[prefix:]
	if uint32(len(message)) != size { // a body is held, so its length is no larger than an int
		return nil, errFramed
	}
	switch {
	case body[0] == 0:
		return message, nil
	case body[0] == 1 && encoding == "gzip":
		return unzipped(message)
	}
	return nil, fmt.Errorf("its message is compressed by %q, and gzip alone is read", encoding)
}

func unzipped(message []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil, fmt.Errorf("unpack message: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxMessage+1))
	if err != nil {
		return nil, fmt.Errorf("unpack message: %w", err)
	}
	if len(out) > maxMessage {
		return nil, errTooLarge
	}
	return out, nil
}

// framed is a message with what stands before it, not compressed.
func framed(message []byte) []byte {
	out := make([]byte, prefix, prefix+len(message))
	binary.BigEndian.PutUint32(out[1:], uint32(len(message))) // its JSON was read, which has a bound
	return append(out, message...)
}

// toJSON is the JSON of a framed message.
func (m *Method) toJSON(body []byte, encoding string, of protoreflect.MessageDescriptor) ([]byte, error) {
	raw, err := unframed(body, encoding)
	if err != nil {
		return nil, err
	}
	message := dynamicpb.NewMessage(of)
	if err := (&scale{types: m.types}).read(raw, message, maxDepth); err != nil {
		return nil, fmt.Errorf("it is no %s: %w", of.FullName(), err)
	}
	out, err := protojson.MarshalOptions{Resolver: m.types}.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("it is no %s: %w", of.FullName(), err)
	}
	var compact bytes.Buffer // its blanks are others in each build
	if err := json.Compact(&compact, out); err != nil {
		return nil, fmt.Errorf("write %s as JSON: %w", of.FullName(), err)
	}
	return compact.Bytes(), nil
}

// fromJSON is the framed message of its JSON; no text at all is an empty one.
func (m *Method) fromJSON(text []byte, of protoreflect.MessageDescriptor) ([]byte, error) {
	message := dynamicpb.NewMessage(of)
	if len(bytes.TrimSpace(text)) > 0 {
		err := protojson.UnmarshalOptions{RecursionLimit: maxDepth, Resolver: m.types}.Unmarshal(text, message)
		if err != nil {
			return nil, fmt.Errorf("it is no %s: %w", of.FullName(), err)
		}
	}
	raw, err := proto.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("it is no %s: %w", of.FullName(), err)
	}
	return framed(raw), nil
}
