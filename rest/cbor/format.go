package cbor

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest"
)

// Format returns the transcoder for rest.Options.CBOR.
//
// The encoder begins every item with the tag of self-described CBOR (the bytes d9 d9 f7). Equal objects have equal
// bytes: keys are sorted by their bytes, numbers have their shortest form, and texts and keys are byte strings, as in
// Kubernetes. The decoder accepts text strings and byte strings alike. It turns bytes under the tags 21 to 23 into the
// text that the tag names. It returns an error for values that JSON cannot express, and for duplicate keys.
func Format() rest.Transcoder { return format{encoder(), decoder()} }

type format struct {
	encode cbor.EncMode
	decode cbor.DecMode
}

// selfDescribed is the prefix of every encoded item (RFC 8949, 3.4.6).
const selfDescribed = "\xd9\xd9\xf7"

// encoder returns an encoder whose output depends only on the value: sorted keys and the shortest numbers. It writes
// texts as byte strings, as Kubernetes does.
func encoder() cbor.EncMode {
	mode, err := cbor.EncOptions{
		Sort:          cbor.SortBytewiseLexical,
		ShortestFloat: cbor.ShortestFloat16,
		NaNConvert:    cbor.NaNConvertReject,
		InfConvert:    cbor.InfConvertReject,
		IndefLength:   cbor.IndefLengthForbidden,
		String:        cbor.StringToByteString,
	}.EncMode()
	if err != nil {
		panic("the options of the encoder contradict each other: " + err.Error())
	}
	return mode
}

const (
	maxNesting = 10_000  // levels, as in JSON
	maxItems   = 2 << 20 // the most items of a list or map; a body within the usual limit cannot have more
)

// undefined is a simple value that the library would decode as null.
const undefined = cbor.SimpleValue(23)

// decoder returns a decoder that accepts texts as byte strings too, because Kubernetes writes them so. It rejects
// duplicate keys, and what JSON cannot express: NaN, infinities, bignums and undefined.
func decoder() cbor.DecMode {
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(cbor.WithRejectedSimpleValue(undefined))
	if err != nil {
		panic("undefined is a simple value: " + err.Error())
	}
	mode, err := cbor.DecOptions{
		DupMapKey:             cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:       maxNesting,
		MaxArrayElements:      maxItems,
		MaxMapPairs:           maxItems,
		IntDec:                cbor.IntDecConvertSignedOrFail,
		MapKeyByteString:      cbor.MapKeyByteStringForbidden,
		DefaultMapType:        reflect.TypeFor[map[string]any](),
		UTF8:                  cbor.UTF8RejectInvalid,
		DefaultByteStringType: reflect.TypeFor[string](),
		ByteStringToString:    cbor.ByteStringToStringAllowedWithExpectedLaterEncoding,
		UnrecognizedTagToAny:  cbor.UnrecognizedTagContentToAny,
		TimeTagToAny:          cbor.TimeTagToRFC3339Nano,
		NaN:                   cbor.NaNDecodeForbidden,
		Inf:                   cbor.InfDecodeForbidden,
		BignumTag:             cbor.BignumTagForbidden,
		SimpleValues:          simple,
	}.DecMode()
	if err != nil {
		panic("the options of the decoder contradict each other: " + err.Error())
	}
	return mode
}

func (f format) AppendFromJSON(dst, json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	plain, err := toPlain(v)
	if err != nil {
		return dst, err
	}
	encoded, err := f.encode.Marshal(plain)
	if err != nil {
		return dst, err
	}
	return append(append(dst, selfDescribed...), encoded...), nil
}

func (f format) ToJSON(data []byte) ([]byte, error) {
	var plain any
	if err := f.decode.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	v, err := fromPlain(plain)
	if err != nil {
		return nil, err
	}
	return codec.AppendJSON(nil, v), nil
}

// toPlain returns a document as Go values for the encoder. A number that JSON writes as an integer stays an integer.
func toPlain(v doc.Value) (any, error) {
	switch v.Kind() {
	case doc.Map:
		out := make(map[string]any, v.Len())
		for key, member := range v.Members() {
			plain, err := toPlain(member)
			if err != nil {
				return nil, err
			}
			out[key] = plain
		}
		return out, nil
	case doc.List:
		out := make([]any, 0, v.Len())
		for _, element := range v.Elements() {
			plain, err := toPlain(element)
			if err != nil {
				return nil, err
			}
			out = append(out, plain)
		}
		return out, nil
	case doc.String:
		return v.Text(), nil
	case doc.Bool:
		return v.Bool(), nil
	case doc.Number:
		if i, ok := v.Int(); ok && !strings.ContainsAny(v.Literal(), ".eE") {
			return i, nil
		}
		if number, ok := v.Float(); ok {
			return number, nil
		}
		return nil, fmt.Errorf("%s is too large for a CBOR number", v.Literal())
	}
	return nil, nil
}

var errUTF8 = errors.New("a string is not UTF-8")

func fromPlain(plain any) (doc.Value, error) {
	switch p := plain.(type) {
	case nil:
		return doc.NullValue(), nil
	case bool:
		return doc.OfBool(p), nil
	case int64:
		return doc.OfInt(p), nil
	case float64:
		return doc.OfNumber(strconv.FormatFloat(p, 'g', -1, 64)), nil
	case string:
		if !utf8.ValidString(p) {
			return doc.Value{}, errUTF8
		}
		return doc.Of(p), nil
	case []any:
		values := make([]doc.Value, len(p))
		for i, element := range p {
			var err error
			if values[i], err = fromPlain(element); err != nil {
				return doc.Value{}, err
			}
		}
		return doc.ListOf(values...), nil
	case map[string]any:
		members := make([]doc.Member, 0, len(p))
		for key, member := range p {
			if !utf8.ValidString(key) {
				return doc.Value{}, errUTF8
			}
			v, err := fromPlain(member)
			if err != nil {
				return doc.Value{}, err
			}
			members = append(members, doc.Member{Key: key, Value: v})
		}
		slices.SortFunc(members, func(a, b doc.Member) int { return strings.Compare(a.Key, b.Key) })
		return doc.MapOf(members...), nil
	}
	return doc.Value{}, errors.New("a simple value has no form in JSON")
}
