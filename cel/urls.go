package cel

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

func urlType() *cel.Type { return cel.ObjectType("kubernetes.URL") }

// urlValue is a URL in an expression.
type urlValue struct{ *url.URL }

// urlFunctions are url, isURL and what they give access to.
func urlFunctions() []cel.EnvOption {
	get := func(name, id string, result *cel.Type, part func(*url.URL) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id, []*cel.Type{urlType()}, result, cel.UnaryBinding(func(v ref.Val) ref.Val {
			u, ok := v.(urlValue)
			if !ok {
				return types.MaybeNoSuchOverloadErr(v)
			}
			return part(u.URL)
		})))
	}
	text := func(part func(*url.URL) string) func(*url.URL) ref.Val {
		return func(u *url.URL) ref.Val { return types.String(part(u)) }
	}
	return []cel.EnvOption{
		cel.Function("url", cel.Overload("string_to_url", []*cel.Type{cel.StringType}, urlType(), cel.UnaryBinding(func(v ref.Val) ref.Val {
			u, err := parseURL(v)
			if err != nil {
				return types.WrapErr(err)
			}
			return urlValue{u}
		}))),
		cel.Function("isURL", cel.Overload("is_url_string", []*cel.Type{cel.StringType}, cel.BoolType, cel.UnaryBinding(func(v ref.Val) ref.Val {
			_, err := parseURL(v)
			return types.Bool(err == nil)
		}))),
		get("getScheme", "url_get_scheme", cel.StringType, text(func(u *url.URL) string { return u.Scheme })),
		get("getHost", "url_get_host", cel.StringType, text(func(u *url.URL) string { return u.Host })),
		get("getHostname", "url_get_hostname", cel.StringType, text((*url.URL).Hostname)),
		get("getPort", "url_get_port", cel.StringType, text((*url.URL).Port)),
		get("getEscapedPath", "url_get_escaped_path", cel.StringType, text((*url.URL).EscapedPath)),
		get("getQuery", "url_get_query", cel.MapType(cel.StringType, cel.ListType(cel.StringType)), func(u *url.URL) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(map[string][]string(u.Query()))
		}),
	}
}

// parseURL accepts absolute URLs and absolute paths.
func parseURL(v ref.Val) (*url.URL, error) {
	text, ok := v.(types.String)
	if !ok {
		return nil, errors.New("no such overload")
	}
	u, err := url.ParseRequestURI(string(text))
	if err != nil {
		return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
	}
	return u, nil
}

// ConvertToNative implements ref.Val.
func (u urlValue) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(u.URL).AssignableTo(t) {
		return u.URL, nil
	}
	return nil, fmt.Errorf("a URL cannot become %v", t)
}

// ConvertToType implements ref.Val.
func (u urlValue) ConvertToType(t ref.Type) ref.Val {
	switch t.TypeName() {
	case urlType().TypeName():
		return u
	case types.TypeType.TypeName():
		return urlType()
	}
	return types.NewErr("type conversion error from '%s' to '%s'", urlType().TypeName(), t.TypeName())
}

// Equal implements ref.Val.
func (u urlValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(urlValue)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(u.String() == o.String())
}

// Type implements ref.Val.
func (urlValue) Type() ref.Type { return urlType() }

// Value implements ref.Val.
func (u urlValue) Value() any { return u.URL }
