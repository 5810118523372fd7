package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/flaketap/flaketap/internal/infile"

	// The types that every description may use, and that descriptor sets often leave out.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

// Bounds of a description.
const (
	maxSet    = 16 << 20 // of a descriptor set, in bytes
	maxSource = 1 << 20  // of each file of source, in bytes
)

// Description is what a service's descriptor says: its methods, with the types of their messages. It does not change.
type Description struct {
	methods map[string]*Method // by the path of their calls
	set     *descriptorpb.FileDescriptorSet
}

// Set is the description as [ParseSet] reads it.
func (d *Description) Set() ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(d.set)
}

// Method is a method of a service.
type Method struct {
	desc  protoreflect.MethodDescriptor
	types *dynamicpb.Types
}

// Methods are the paths of all methods, /PACKAGE.SERVICE/METHOD, sorted.
func (d *Description) Methods() []string { return slices.Sorted(maps.Keys(d.methods)) }

// Method is the method that a path calls; nil where there is none.
func (d *Description) Method(path string) *Method { return d.methods[path] }

// Unary reports whether a call of a method has one message, and one answer.
func (m *Method) Unary() bool { return !m.desc.IsStreamingClient() && !m.desc.IsStreamingServer() }

// IsSource reports whether the name of a file says that it is the source of a description.
func IsSource(file string) bool { return strings.HasSuffix(file, ".proto") }

// IsSet reports whether a file begins as a descriptor set does, and not as a text: with bytes that no text has.
func IsSet(beginning []byte) bool {
	return bytes.ContainsFunc(beginning, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}

// ReadFile reads a description from a file: the source, NAME.proto, whose imports lie beside it or in a folder above,
// or else a descriptor set, as protoc writes it with --descriptor_set_out.
func ReadFile(ctx context.Context, file string) (*Description, error) {
	if IsSource(file) {
		return compile(ctx, file)
	}
	data, err := infile.Read(file, maxSet)
	if err != nil {
		return nil, fmt.Errorf("read descriptor set: %w", err)
	}
	d, err := ParseSet(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// ParseSet reads a descriptor set.
func ParseSet(data []byte) (*Description, error) {
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{RecursionLimit: maxDepth}).Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("read descriptor set: %w", err)
	}
	own := map[string]bool{}
	for _, f := range set.GetFile() {
		own[f.GetName()] = true
	}
	for _, f := range set.GetFile() {
		for _, name := range f.GetDependency() {
			if own[name] {
				continue
			}
			known, err := protoregistry.GlobalFiles.FindFileByPath(name)
			if err != nil {
				return nil, fmt.Errorf("read descriptor set: %s imports %s, which is not in it: write it with protoc's --include_imports", f.GetName(), name)
			}
			own[name] = true
			set.File = append(set.File, protodesc.ToFileDescriptorProto(known))
		}
	}
	return describe(&set)
}

// compile reads a description from source.
func compile(ctx context.Context, file string) (*Description, error) {
	dir, name := filepath.Split(file)
	var roots []string
	for at := filepath.Clean(dir); len(roots) < 10; at = filepath.Dir(at) {
		if roots = append(roots, at); at == filepath.Dir(at) {
			break
		}
	}
	resolver := &protocompile.SourceResolver{ImportPaths: roots, Accessor: func(path string) (io.ReadCloser, error) {
		data, err := infile.Read(path, maxSource)
		return io.NopCloser(bytes.NewReader(data)), err
	}}
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(resolver), MaxParallelism: 1}
	compiled, err := c.Compile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, f := range compiled {
		set.File = withImports(set.File, f)
	}
	d, err := describe(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// withImports adds a file, behind all that it imports, where it is not there yet.
func withImports(to []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor,
) []*descriptorpb.FileDescriptorProto {
	if slices.ContainsFunc(to, func(x *descriptorpb.FileDescriptorProto) bool { return x.GetName() == f.Path() }) {
		return to
	}
	for i := range f.Imports().Len() {
		to = withImports(to, f.Imports().Get(i).FileDescriptor)
	}
	return append(to, protodesc.ToFileDescriptorProto(f))
}

// describe lists the methods of the files of a set.
func describe(set *descriptorpb.FileDescriptorSet) (*Description, error) {
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("read descriptor set: %w", err)
	}
	d, types := &Description{methods: map[string]*Method{}, set: set}, dynamicpb.NewTypes(files)
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			for j := range f.Services().Get(i).Methods().Len() {
				m := f.Services().Get(i).Methods().Get(j)
				path := fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name())
				d.methods[path] = &Method{m, types}
			}
		}
		return true
	})
	if len(d.methods) == 0 {
		return nil, errors.New("read descriptor: it describes no service")
	}
	return d, nil
}
