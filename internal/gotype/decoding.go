package gotype

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/go-json-experiment/json/jsontext"
)

// DecodingError returns the error with which an API server rejects a JSON text that does not fit a Go type, or nil if
// it fits. Clients know these messages from encoding/json, which words them differently from release to release; here
// they depend on the text and the type alone. DecodingError returns the first error in the order of the text. An error
// of a type's own UnmarshalJSON takes precedence over all others and stops the reading. The text must be valid JSON.
// Messages name types of this module as clients know them (v1.ObjectMeta).
func DecodingError(text []byte, t reflect.Type) error {
	if t == reflect.TypeFor[apimeta.Document]() { // only its head has types
		t = reflect.TypeFor[apimeta.PartialObjectMetadata]()
	}
	r := &goReader{in: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))}
	if err := r.value(t); err != nil {
		return r.ownError(err)
	}
	return r.first
}

// goReader reads a JSON text as encoding/json would read it into a Go type, and keeps only the first error.
type goReader struct {
	in    *jsontext.Decoder
	of    reflect.Type // the struct whose field is being read
	path  []string     // the names that lead to that field
	first error
}

// ownError returns the error to report for a type that decodes itself. It keeps the type's own message, but rewords
// errors of encoding/json and of package time, because the types of Kubernetes pass them on.
func (r *goReader) ownError(err error) error {
	wrong, ok := err.(*json.UnmarshalTypeError)
	switch {
	case !ok:
		return OwnError(err)
	case r.of == nil && wrong.Struct != "":
		return errors.New(words.NotOfField(wrong.Value, wrong.Struct, wrong.Field, goName(wrong.Type)))
	}
	return r.mismatch(wrong.Value, wrong.Type, wrong.Field)
}

// OwnError returns the error to report for a type that decodes itself from text and has refused one with err. It
// depends on no release of package time.
func OwnError(err error) error {
	if refused, ok := err.(*time.ParseError); ok {
		return errors.New(words.OfTime(refused))
	}
	return err
}

func (r *goReader) refuse(err error) {
	if r.first == nil {
		r.first = err
	}
}

// mismatch returns the error for a value that does not fit a type. below is the rest of the path, reported by a nested
// decoder.
func (r *goReader) mismatch(value string, t reflect.Type, below string) error {
	path := r.path
	if below != "" {
		path = append(slices.Clip(path), below)
	}
	if r.of == nil || r.of.Name() == "" && len(path) == 0 {
		return errors.New(words.NotOfType(value, goName(t)))
	}
	name := goName(t)
	if t.Kind() == reflect.String && isOurs(r.of) && path[len(path)-1] == "uid" {
		name = "types.UID"
	}
	return errors.New(words.NotOfField(value, r.of.Name(), strings.Join(path, "."), name))
}

// value reads one value into t. It returns an error only for a type that decodes itself.
func (r *goReader) value(t reflect.Type) error {
	kind := r.in.PeekKind()
	declared := t
	for t.Kind() == reflect.Pointer {
		if kind == 'n' {
			return r.in.SkipValue()
		}
		if t.Elem().Kind() != reflect.Pointer {
			t = t.Elem()
			break
		}
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) {
		raw, err := r.in.ReadValue()
		if err != nil {
			return err
		}
		if t == timeType && kind != '"' && kind != 'n' {
			return errors.New("Time.UnmarshalJSON: input is not a JSON string")
		}
		return reflect.New(t).Interface().(json.Unmarshaler).UnmarshalJSON(raw)
	}
	if kind != 'n' && reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return r.text(kind, t, declared)
	}
	switch kind {
	case '{':
		return r.object(t)
	case '[':
		return r.array(t)
	}
	token, err := r.in.ReadToken()
	if err != nil {
		return err
	}
	return r.literal(token, t)
}

var (
	timeType            = reflect.TypeFor[time.Time]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// text reads a value into a type that decodes itself from text.
func (r *goReader) text(kind jsontext.Kind, t, declared reflect.Type) error {
	raw, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	if kind != '"' {
		r.refuse(r.mismatch(jsonKind(kind), declared, ""))
		return nil
	}
	plain, _ := jsontext.AppendUnquote(nil, raw) // the error reports invalid UTF-8, which encoding/json replaces
	return reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText(plain)
}

// jsonKind returns the name that errors give to a kind of value.
func jsonKind(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	}
	return "bool"
}

// literal reads a scalar. Null fits every type, because encoding/json leaves the Go value unchanged.
func (r *goReader) literal(token jsontext.Token, t reflect.Type) error {
	if token.Kind() == 'n' || t == anyType && token.Kind() != '0' {
		return nil
	}
	fits := false
	switch kind := t.Kind(); token.Kind() {
	case 't', 'f':
		fits = kind == reflect.Bool
	case '"':
		if kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			r.base64(token.String())
			return nil
		}
		if text := jsontext.Value(token.String()); t == numberType && (text.Kind() != '0' || !text.IsValid()) {
			return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", strconv.Quote(token.String()))
		}
		fits = kind == reflect.String
	case '0':
		r.number(token.String(), t)
		return nil
	}
	if !fits {
		r.refuse(r.mismatch(jsonKind(token.Kind()), t, ""))
	}
	return nil
}

func (r *goReader) base64(text string) {
	if fault := words.NotBase64(text); fault != "" {
		r.refuse(errors.New(fault))
	}
}

// number reads a number. The error includes the number itself if it is out of range, or has a fraction where the type
// is an integer.
func (r *goReader) number(text string, t reflect.Type) {
	var err error
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		_, err = strconv.ParseInt(text, 10, t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		_, err = strconv.ParseUint(text, 10, t.Bits())
	case reflect.Float32, reflect.Float64:
		_, err = strconv.ParseFloat(text, t.Bits())
	default:
		switch t {
		case anyType:
			t = reflect.TypeFor[float64]()
			_, err = strconv.ParseFloat(text, 64)
		case numberType:
		default:
			r.refuse(r.mismatch("number", t, ""))
		}
	}
	if err != nil {
		r.refuse(r.mismatch("number "+text, t, ""))
	}
}

// array reads a list. Like encoding/json, it skips elements that do not fit in a Go array.
func (r *goReader) array(t reflect.Type) error {
	switch {
	case t == anyType:
		return r.anything()
	case t.Kind() != reflect.Slice && t.Kind() != reflect.Array:
		r.refuse(r.mismatch("array", t, ""))
		return r.in.SkipValue()
	}
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	for i := 0; r.in.PeekKind() != ']'; i++ {
		if t.Kind() == reflect.Array && i >= t.Len() {
			if err := r.in.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if err := r.value(t.Elem()); err != nil {
			return err
		}
	}
	_, err := r.in.ReadToken()
	return err
}

var (
	anyType    = reflect.TypeFor[any]()
	numberType = reflect.TypeFor[json.Number]()
)

// anything reads a map or a list into an interface, where only a number can fail: it may be out of range.
func (r *goReader) anything() error {
	for depth := 0; ; {
		token, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		switch token.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '0':
			r.number(token.String(), anyType)
		}
		if depth == 0 {
			return nil
		}
	}
}

// object reads a map into a struct or a Go map. Like encoding/json, it reads a value before it converts the key, which
// decides the first error.
func (r *goReader) object(t reflect.Type) error {
	switch {
	case t == anyType:
		return r.anything()
	case t.Kind() == reflect.Struct:
	case t.Kind() == reflect.Map && (isMapKey(t.Key()) || reflect.PointerTo(t.Key()).Implements(textUnmarshalerType)):
	default:
		r.refuse(r.mismatch("object", t, ""))
		return r.in.SkipValue()
	}
	if _, err := r.in.ReadToken(); err != nil {
		return err
	}
	for r.in.PeekKind() != '}' {
		token, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if t.Kind() == reflect.Map {
			if err = r.value(t.Elem()); err == nil {
				err = r.key(name, t.Key())
			}
		} else {
			err = r.field(name, t)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.in.ReadToken()
	return err
}

// field reads the value of a struct member. If reading ends here, the path stays set for the error.
func (r *goReader) field(name string, t reflect.Type) error {
	f := fieldNamed(name, t)
	if f == nil {
		return r.in.SkipValue()
	}
	of, path := r.of, r.path
	r.of, r.path = t, slices.Clip(path)
	for i := 1; i < len(f.Index); i++ { // the path contains embedded structs under their Go names
		r.path = append(r.path, t.FieldByIndex(f.Index[:i]).Name)
	}
	r.path = append(r.path, f.Name)
	err := r.value(f.Go.Type)
	if err == nil {
		r.of, r.path = of, path
	}
	return err
}

// fieldNamed finds the field for a member as encoding/json does: by its exact name, otherwise ignoring case.
func fieldNamed(name string, t reflect.Type) *Field {
	fields, err := Fields(t)
	if err != nil {
		return nil
	}
	var folded *Field
	for i := range fields {
		f := &fields[i]
		if f.Name == name {
			return f
		}
		if strings.EqualFold(f.Name, name) && (folded == nil || slices.Compare(f.Index, folded.Index) < 0) {
			folded = f
		}
	}
	return folded
}

func isMapKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// key checks the key of a map whose keys are numbers or decode themselves. It returns an error only for the latter.
func (r *goReader) key(name string, t reflect.Type) error {
	if reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
	}
	if t.Kind() != reflect.String {
		r.number(name, t)
	}
	return nil
}

// isOurs reports whether a type of this module stands for a type that clients know.
func isOurs(t reflect.Type) bool {
	path, ok := strings.CutPrefix(t.PkgPath(), module)
	return ok && (path == "apimeta" || path == "rest" || strings.HasPrefix(path, "rest/internal/"))
}

// module is the prefix of the import paths of this module's packages.
var module = strings.TrimSuffix(reflect.TypeFor[Field]().PkgPath(), "internal/gotype")

// goName returns the name of a type in errors. Types of this module appear as the v1 types that clients know.
func goName(t reflect.Type) string {
	switch {
	case t.Name() != "" && isOurs(t):
		return "v1." + t.Name()
	case t.Name() != "":
		return t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + goName(t.Elem())
	case reflect.Slice:
		return "[]" + goName(t.Elem())
	case reflect.Map:
		return "map[" + goName(t.Key()) + "]" + goName(t.Elem())
	}
	return t.String()
}
