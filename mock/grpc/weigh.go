package grpc

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Bounds of what a message holds. Two bytes are a message, and one is an element of a list: what is made of them takes
// hundreds of times as much.
const (
	maxMessages = 100_000   // with entries of maps
	maxValues   = 1_000_000 // that are no messages
	// maxPacked is how many bytes may be packed into messages with their type (google.protobuf.Any), those within others
	// counted again: they are read anew with all that is in them.
	maxPacked = 4 * maxMessage
)

// anyName is the message that has others packed with their type.
const anyName protoreflect.FullName = "google.protobuf.Any"

// scale counts what a message holds. It is asked before anything is made of the bytes.
type scale struct {
	types                    *dynamicpb.Types
	messages, values, packed int // that were counted so far
}

// over is an error where there is more than the bounds let be.
func (s *scale) over() error {
	switch {
	case s.messages > maxMessages:
		return fmt.Errorf("it holds more than %d messages", maxMessages)
	case s.values > maxValues:
		return fmt.Errorf("it holds more than %d values", maxValues)
	case s.packed > maxPacked:
		return fmt.Errorf("more than %d MiB are packed into it", maxPacked>>20)
	}
	return nil
}

// wire counts what the bytes of a message hold, and returns with the first that is too much. What they say of fields
// that the description does not name stays as it is.
func (s *scale) wire(raw []byte, of protoreflect.MessageDescriptor, depth int) error {
	s.messages++
	if depth == 0 {
		return fmt.Errorf("its messages are more than %d deep", maxDepth)
	}
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return protowire.ParseError(n)
		}
		raw = raw[n:]
		size := protowire.ConsumeFieldValue(number, kind, raw)
		if size < 0 {
			return protowire.ParseError(size)
		}
		if err := s.field(s.named(of, number), number, kind, raw[:size], depth); err != nil {
			return err
		}
		raw = raw[size:]
	}
	return s.over()
}

// named is the field, or extension, of a number; nil where there is none.
func (s *scale) named(of protoreflect.MessageDescriptor, number protowire.Number) protoreflect.FieldDescriptor {
	if f := of.Fields().ByNumber(number); f != nil {
		return f
	}
	if x, err := s.types.FindExtensionByNumber(of.FullName(), number); err == nil {
		return x.TypeDescriptor()
	}
	return nil
}

// field counts what the bytes of one field hold.
func (s *scale) field(
	f protoreflect.FieldDescriptor, number protowire.Number, kind protowire.Type, raw []byte, depth int,
) error {
	s.values++
	var inner []byte
	switch {
	case f == nil:
		return s.over()
	case f.Kind() == protoreflect.MessageKind && kind == protowire.BytesType:
		inner, _ = protowire.ConsumeBytes(raw) // which was read above; so below
		return s.wire(inner, f.Message(), depth-1)
	case f.Kind() == protoreflect.GroupKind && kind == protowire.StartGroupType:
		inner, _ = protowire.ConsumeGroup(number, raw)
		return s.wire(inner, f.Message(), depth-1)
	case kind == protowire.BytesType && f.IsList():
		inner, _ = protowire.ConsumeBytes(raw)
		s.values += elements(inner, f.Kind())
	}
	return s.over()
}

// elements is how many elements of a list are packed into bytes: none of texts, which are not packed.
func elements(packed []byte, of protoreflect.Kind) (n int) {
	switch of {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind, protoreflect.GroupKind:
		return 0
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return len(packed) / 4
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return len(packed) / 8
	}
	for _, b := range packed {
		if b < 0x80 { // the last one of a number
			n++
		}
	}
	return n
}

// read reads a message that is within the bounds, with all that is packed into it.
func (s *scale) read(raw []byte, to protoreflect.Message, depth int) error {
	err := s.wire(raw, to.Descriptor(), depth)
	if err == nil {
		err = unmarshal(raw, to, s.types)
	}
	if err == nil {
		err = s.unpacked(to, depth)
	}
	return err
}

// unmarshal reads a message. Of a map's entry whose key comes twice, the second time as another type, the library
// panics (v1.36.12): that is an error of the message.
func unmarshal(raw []byte, to protoreflect.Message, types *dynamicpb.Types) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	return proto.UnmarshalOptions{RecursionLimit: maxDepth, Resolver: types}.Unmarshal(raw, to.Interface())
}

// unpacked counts what is packed with its type into a message and into those in it, which was counted itself.
func (s *scale) unpacked(in protoreflect.Message, depth int) (err error) {
	if in.Descriptor().FullName() == anyName {
		return s.unpack(in, depth)
	}
	in.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				err = s.unpacked(v.Message(), depth)
				return err == nil
			})
		case f.IsMap() || f.Message() == nil:
		case f.IsList():
			for i := 0; i < v.List().Len() && err == nil; i++ {
				err = s.unpacked(v.List().Get(i).Message(), depth)
			}
		default:
			err = s.unpacked(v.Message(), depth)
		}
		return err == nil
	})
	return err
}

// unpack counts what one of them holds. What is of no known type is told where it is written as JSON.
func (s *scale) unpack(packed protoreflect.Message, depth int) error {
	fields := packed.Descriptor().Fields()
	kind, err := s.types.FindMessageByURL(packed.Get(fields.ByName("type_url")).String())
	if err != nil {
		return nil
	}
	raw := packed.Get(fields.ByName("value")).Bytes()
	s.packed += len(raw)
	return s.read(raw, kind.New(), depth-1)
}
