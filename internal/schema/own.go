package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/status"
)

// decides reports whether a type that encodes itself may reject a value that its schema allows.
func decides(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[apimeta.Time](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[apimeta.FieldsV1]():
		return false
	}
	return true
}

// isTaken adds an error if a type that encodes itself rejects a value. The type's own message is the only known reason.
func (f *findings) isTaken(t reflect.Type, v doc.Value, at *trail) {
	if f.full() {
		return
	}
	if err := gotype.ToGo(v, reflect.New(t).Interface()); err != nil {
		f.add(status.TypeInvalidField(at.below(f.root), plain(v), err.Error()))
	}
}

// holdsKeys adds errors for members of a map whose names are not valid keys of the Go map.
func (f *findings) holdsKeys(t reflect.Type, v doc.Value, at *trail) {
	step := trail{up: at, index: member, inMap: true}
	for name := range v.Members() {
		if f.full() {
			return
		}
		if err := parseKey(t, name); err != nil {
			step.key = name
			f.add(status.TypeInvalidField(step.below(f.root), name, "the key is not of its type: "+err.Error()))
		}
	}
}

// parseKey reads a member's name as encoding/json reads the key of a map.
func parseKey(t reflect.Type, name string) (err error) {
	key := reflect.New(t)
	if text, ok := key.Interface().(encoding.TextUnmarshaler); ok {
		return gotype.OwnError(text.UnmarshalText([]byte(name)))
	}
	switch {
	case key.Elem().CanInt():
		_, err = strconv.ParseInt(name, 10, t.Bits())
	case key.Elem().CanUint():
		_, err = strconv.ParseUint(name, 10, t.Bits())
	}
	if err != nil {
		article := "a"
		if t.Kind().String()[0] == 'i' { // int, int8, ...; "a uint"
			article = "an"
		}
		return fmt.Errorf("%q is not %s %s", name, article, t.Kind())
	}
	return nil
}
