package gotype

import (
	"errors"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// ToGo is [codec.ToGo], but its error is that of [DecodingError], so that a client may read it.
func ToGo(v doc.Value, into any) error {
	if codec.ToGo(v, into) == nil {
		return nil
	}
	if err := DecodingError(codec.AppendJSON(nil, v), reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	return errUnfit
}

// errUnfit replaces an error that encoding/json would not return, such as that of a type with methods for another JSON
// package.
var errUnfit = errors.New("the value does not fit its type")
