package docpatch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// unmergeable returns the answer to a patch that makes no sense for the object. Upstream treats that as a fault of the
// server, and answers 500.
func unmergeable(format string, args ...any) error {
	return status.Generic(500, fmt.Sprintf(format, args...))
}

func malformedRetainKeys() error { return status.BadRequest("invalid patch format of retainKeys") }
func malformedDeletion() error   { return status.BadRequest("invalid patch format of primitive list") }
func malformedOrder() error      { return status.BadRequest("invalid patch format of setElementOrder list") }

func listOfLists() error { return refused(errors.New("lists of lists are not supported")) }

func noKeyForMaps() error { return unmergeable("cannot merge lists without merge key for struct") }

func noKey(v doc.Value, key string) error {
	return unmergeable("map: %v does not contain declared merge key: %s", v.Plain(), key)
}

func unknownDirective(what, v doc.Value) error {
	return unmergeable("unknown patch type: %s in map: %v", what.Plain(), v.Plain())
}

func mixedElements(lists []doc.Value) error {
	all := make([]any, len(lists))
	for i, list := range lists {
		all[i] = elementsOrNone(list).Plain()
	}
	return unmergeable("list element types are not identical: %v", all)
}

func otherOrder(patch, order doc.Value) error {
	return unmergeable("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", patch.Plain(), orderDirective,
		order.Plain())
}

func wrongElement(want, got doc.Value) error {
	return unmergeable("expected a %s, but received a %s", want.GoType(), typeText(got))
}

func notAStruct(s *schema.Schema) error {
	kind := s.Type
	switch {
	case s.Type == schema.ObjectType:
		kind = "map"
	case s.Type == schema.AnyType:
		kind = "interface"
	}
	return unmergeable("merging an object in json but data type is not struct, instead is: %s", kind)
}

func noSuchField(s *schema.Schema, name string) error {
	return unmergeable("unable to find api field in struct %s for the json field %q",
		s.Object.Name[strings.LastIndexByte(s.Object.Name, '.')+1:], name)
}

func notAList() error { return unmergeable("expected slice or array type, but got: struct") }

func elementsOrNone(list doc.Value) doc.Value {
	if list.IsAbsent() {
		return doc.ListOf()
	}
	return list
}

// typeText names the Go type of a value as the verb %s prints it.
func typeText(v doc.Value) string {
	if v.IsNull() {
		return "%!s(<nil>)"
	}
	return v.GoType()
}
