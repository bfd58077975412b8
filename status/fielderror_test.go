package status_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

func TestPath(t *testing.T) {
	tests := []struct {
		name string
		path *status.Path
		want string
	}{
		{"root", nil, ""},
		{"member", status.NewPath("spec"), "spec"},
		{"members", status.NewPath("spec", "template", "size"), "spec.template.size"},
		{"child", status.NewPath("spec").Child("a", "b"), "spec.a.b"},
		{"child without names", status.NewPath("spec").Child(), "spec"},
		{"child of root", (*status.Path)(nil).Child("spec"), "spec"},
		{"index", status.NewPath("spec").Child("ports").Index(0).Child("name"), "spec.ports[0].name"},
		{"key", status.NewPath("metadata").Child("annotations").Key("a.b/c"), "metadata.annotations[a.b/c]"},
		{"index of root", (*status.Path)(nil).Index(2), "[2]"},
		{"index of index", status.NewPath("m").Index(1).Index(2), "m[1][2]"},
		{"leading dot", status.NewPath(".spec", "replicas"), ".spec.replicas"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.path.String()) })
	}
}

func TestPathsShareTheirParents(t *testing.T) {
	spec := status.NewPath("spec")
	a, b := spec.Child("a"), spec.Child("b")
	assert.Equal(t, []string{"spec", "spec.a", "spec.b"}, []string{spec.String(), a.String(), b.String()})
}

func TestFieldErrors(t *testing.T) {
	p := status.NewPath("f")
	five := 5
	text := "s"
	type pair struct {
		A string `json:"a"`
	}
	tests := []struct {
		name  string
		err   *status.FieldError
		cause status.CauseType
		want  string
	}{
		{"required", status.RequiredField(p, ""), "FieldValueRequired", `f: Required value`},
		{"required with detail", status.RequiredField(p, "name or generateName is required"), "FieldValueRequired",
			`f: Required value: name or generateName is required`},
		{"not found", status.NotFoundField(p, "v"), "FieldValueNotFound", `f: Not found: "v"`},
		{"duplicate", status.DuplicateField(p, "v"), "FieldValueDuplicate", `f: Duplicate value: "v"`},
		{"duplicate object", status.DuplicateField(p, map[string]any{"name": "p"}), "FieldValueDuplicate",
			`f: Duplicate value: {"name":"p"}`},
		{"invalid", status.InvalidField(p, "v", "bad"), "FieldValueInvalid", `f: Invalid value: "v": bad`},
		{"invalid without detail", status.InvalidField(p, "v", ""), "FieldValueInvalid", `f: Invalid value: "v"`},
		{"type", status.TypeInvalidField(p, "string", "must be of type integer"), "FieldValueTypeInvalid",
			`f: Invalid value: "string": must be of type integer`},
		{"unsupported", status.NotSupportedField(p, "v", []string{"b", "a", ""}), "FieldValueNotSupported",
			`f: Unsupported value: "v": supported values: "b", "a", ""`},
		{"unsupported list", status.NotSupportedField(p, []string{"Bar"}, []string{"All"}), "FieldValueNotSupported",
			`f: Unsupported value: ["Bar"]: supported values: "All"`},
		{"unsupported, none allowed", status.NotSupportedField(p, "v", nil), "FieldValueNotSupported", `f: Unsupported value: "v"`},
		{"forbidden", status.ForbiddenField(p, "no"), "FieldValueForbidden", `f: Forbidden: no`},
		{"too long", status.TooLongField(p, "vvv", 2), "FieldValueTooLong", `f: Too long: may not be more than 2 bytes`},
		{"too long characters", status.TooLongCharactersField(p, "vvv", 2), "FieldValueTooLong",
			`f: Too long: may not be more than 2 characters`},
		{"too short", status.TooShortField(p, "v", 2), "FieldValueTooShort", `f: Too short: must be at least 2 characters`},
		{"too many", status.TooManyField(p, 6, 5), "FieldValueTooMany", `f: Too many: 6: must have at most 5 items`},
		{"too many for one", status.TooManyField(p, 2, 1), "FieldValueTooMany", `f: Too many: 2: must have at most 1 item`},
		{"too long for any value", status.TooLongField(p, "vvv", -1), "FieldValueTooLong", `f: Too long: value is too long`},
		{"too many for any list", status.TooManyField(p, 0, -1), "FieldValueTooMany", `f: Too many: 0: has too many items`},
		{"too many, uncounted", status.TooManyField(p, -1, 5), "FieldValueTooMany", `f: Too many: must have at most 5 items`},
		{"too few", status.TooFewField(p, 0, 2), "FieldValueTooFew", `f: Too few: 0: must have at least 2 items`},
		{"too few, uncounted", status.TooFewField(p, -1, 2), "FieldValueTooFew", `f: Too few: must have at least 2 items`},
		{"internal", status.InternalField(p, errors.New("boom")), "InternalError", `f: Internal error: boom`},
		{"type of the caller", &status.FieldError{Type: "Odd", Field: "f", BadValue: 1}, "Odd", `f: Odd: 1`},

		{"quoted", status.InvalidField(p, "a\"\n", ""), "FieldValueInvalid", `f: Invalid value: "a\"\n"`},
		{"int", status.InvalidField(p, 5, ""), "FieldValueInvalid", `f: Invalid value: 5`},
		{"int64", status.InvalidField(p, int64(math.MinInt64), ""), "FieldValueInvalid",
			`f: Invalid value: -9223372036854775808`},
		{"float", status.InvalidField(p, 1.5, ""), "FieldValueInvalid", `f: Invalid value: 1.5`},
		{"not a number", status.InvalidField(p, math.NaN(), ""), "FieldValueInvalid", `f: Invalid value: NaN`},
		{"bool", status.InvalidField(p, true, ""), "FieldValueInvalid", `f: Invalid value: true`},
		{"pointer", status.InvalidField(p, &five, ""), "FieldValueInvalid", `f: Invalid value: 5`},
		{"pointer to string", status.InvalidField(p, &text, ""), "FieldValueInvalid", `f: Invalid value: "s"`},
		{"nil pointer", status.InvalidField(p, (*int)(nil), ""), "FieldValueInvalid", `f: Invalid value: null`},
		{"nil", status.InvalidField(p, nil, ""), "FieldValueInvalid", `f: Invalid value: null`},
		{"struct", status.InvalidField(p, &pair{"x"}, ""), "FieldValueInvalid", `f: Invalid value: {"a":"x"}`},
		{"named string", status.InvalidField(p, apimeta.MatchExact, ""), "FieldValueInvalid", `f: Invalid value: "Exact"`},
		{"raw JSON", status.InvalidField(p, json.RawMessage(`[1]`), ""), "FieldValueInvalid", `f: Invalid value: [1]`},
		{"not JSON", status.InvalidField(p, complex(1, 2), ""), "FieldValueInvalid", `f: Invalid value: (1+2i)`},
		{"the object itself", status.InvalidField(nil, "v", "bad"), "FieldValueInvalid", `Invalid value: "v": bad`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.err.Error())
			assert.Equal(t, tt.cause, tt.err.Type)
		})
	}
}

func TestInvalid(t *testing.T) {
	kind := apimeta.GroupKind{Group: "example.com", Kind: "Widget"}
	size := status.NewPath("spec", "size")
	tests := []struct {
		name string
		kind apimeta.GroupKind
		errs status.FieldErrors
		want string
	}{
		{"one", kind, status.FieldErrors{status.RequiredField(size, "")},
			`"message":"Widget.example.com \"a\" is invalid: spec.size: Required value","reason":"Invalid","details":{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.size"}]},"code":422}`},
		{"several", kind, status.FieldErrors{status.RequiredField(size, ""),
			status.InvalidField(status.NewPath("spec", "n"), -1, "negative")},
			`"message":"Widget.example.com \"a\" is invalid: [spec.size: Required value, spec.n: Invalid value: -1: negative]","reason":"Invalid","details":{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.size"},{"reason":"FieldValueInvalid","message":"Invalid value: -1: negative","field":"spec.n"}]},"code":422}`},
		{"duplicates", apimeta.GroupKind{Kind: "ConfigMap"},
			status.FieldErrors{status.RequiredField(size, ""), status.RequiredField(size, "")},
			`"message":"ConfigMap \"a\" is invalid: spec.size: Required value","reason":"Invalid","details":{"name":"a","kind":"ConfigMap","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.size"}]},"code":422}`},
		{"none", apimeta.GroupKind{Kind: "ConfigMap"}, nil,
			`"message":"ConfigMap \"a\" is invalid","reason":"Invalid","details":{"name":"a","kind":"ConfigMap"},"code":422}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(status.Invalid(tt.kind, "a", tt.errs).Status)
			require.NoError(t, err)
			assert.Equal(t, failure+tt.want, string(got))
		})
	}
}

func TestInvalidLeavesItsInput(t *testing.T) {
	errs := status.FieldErrors{
		status.RequiredField(status.NewPath("a"), ""),
		status.RequiredField(status.NewPath("a"), ""),
		status.RequiredField(status.NewPath("b"), ""),
	}
	status.Invalid(apimeta.GroupKind{Kind: "K"}, "a", errs)
	assert.Equal(t, "[a: Required value, a: Required value, b: Required value]", errs.Error())
}
