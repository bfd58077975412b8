package cel

import (
	"fmt"
	"net/url"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// urlFunctions returns url, isURL and the functions of URLs.
func urlFunctions() []cel.EnvOption {
	urls := &opaqueType[*url.URL]{Type: cel.ObjectType(urlTypeName),
		equal: func(a, b *url.URL) bool { return a.String() == b.String() }}
	get := func(name, id string, result *cel.Type, part func(*url.URL) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id, []*cel.Type{urls.Type}, result, unary(part)))
	}
	text := func(part func(*url.URL) string) func(*url.URL) ref.Val {
		return func(u *url.URL) ref.Val { return types.String(part(u)) }
	}
	return []cel.EnvOption{
		cel.Function("url", cel.Overload("string_to_url", []*cel.Type{cel.StringType}, urls.Type,
			parsed(parseURL, urls.wrap))),
		cel.Function("isURL", cel.Overload("is_url_string", []*cel.Type{cel.StringType}, cel.BoolType,
			readable(url.ParseRequestURI))),
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

// parseURL accepts absolute URLs and absolute paths, like url.ParseRequestURI. Only
// url.Parse recognizes fragments.
func parseURL(text string) (*url.URL, error) {
	_, err := url.ParseRequestURI(text)
	var u *url.URL
	if err == nil {
		u, err = url.Parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
	}
	return u, nil
}
