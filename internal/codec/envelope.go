package codec

import (
	"bytes"
	"errors"
	"fmt"
)

// protobufMagic is the prefix of every Kubernetes Protobuf body: "k8s" and a zero byte.
var protobufMagic = []byte{'k', '8', 's', 0}

// Envelope is the content of a Kubernetes Protobuf body after the magic prefix (API concepts, Kubernetes Protobuf
// encoding).
type Envelope struct {
	APIVersion, Kind string
	// Raw is the encoded object. DecodeEnvelope returns a slice of the body.
	Raw []byte
}

// ErrNoProtobuf means that a body does not begin with the prefix of Kubernetes Protobuf.
var ErrNoProtobuf = errors.New("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")

// Field numbers of runtime.Unknown and runtime.TypeMeta.
const (
	envelopeTypeMeta    = 1
	envelopeRaw         = 2
	envelopeEncoding    = 3
	envelopeContentType = 4
	typeMetaAPIVersion  = 1
	typeMetaKind        = 2
)

var errEmpty = errors.New("empty data")

// DecodeEnvelope reads a Kubernetes Protobuf body.
func DecodeEnvelope(data []byte) (Envelope, error) {
	var e Envelope
	if len(data) == 0 {
		return e, errEmpty
	}
	body, ok := bytes.CutPrefix(data, protobufMagic)
	if !ok {
		return e, ErrNoProtobuf
	}
	err := eachField(body, func(f wireField) error {
		switch f.number {
		case envelopeTypeMeta:
			return eachField(f.bytes, func(f wireField) error {
				switch f.number {
				case typeMetaAPIVersion:
					e.APIVersion = string(f.bytes)
				case typeMetaKind:
					e.Kind = string(f.bytes)
				}
				return nil
			})
		case envelopeRaw:
			e.Raw = f.bytes
		case envelopeEncoding, envelopeContentType:
			if len(f.bytes) > 0 {
				return fmt.Errorf("the protobuf envelope holds %q, which is not supported", f.bytes)
			}
		}
		return nil
	})
	return e, err
}

// AppendEnvelope appends a Kubernetes Protobuf body.
func AppendEnvelope(dst []byte, e Envelope) []byte {
	return AppendEnvelopeTail(append(AppendEnvelopeHead(dst, e, len(e.Raw)), e.Raw...))
}

// AppendEnvelopeHead appends a Kubernetes Protobuf body up to the encoded object, which has this size.
func AppendEnvelopeHead(dst []byte, e Envelope, size int) []byte {
	var typeMeta []byte
	typeMeta = AppendField(typeMeta, typeMetaAPIVersion, []byte(e.APIVersion))
	typeMeta = AppendField(typeMeta, typeMetaKind, []byte(e.Kind))
	dst = append(dst, protobufMagic...)
	dst = AppendField(dst, envelopeTypeMeta, typeMeta)
	return AppendFieldHead(dst, envelopeRaw, size)
}

// AppendEnvelopeTail appends what comes after the encoded object.
func AppendEnvelopeTail(dst []byte) []byte {
	dst = AppendField(dst, envelopeEncoding, nil)
	return AppendField(dst, envelopeContentType, nil)
}
