package cel

import (
	"net/url"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// namedFormat is a named format of texts. faults returns the faults of a text.
type namedFormat struct {
	function, name string
	faults         func(text string) []string
	pattern        int // the length of the regular expression that API servers charge for
}

func namedFormats() []*namedFormat {
	// prefix validates a prefix of a name, which may end in a dash.
	prefix := func(faults func(string) []string) func(string) []string {
		return func(text string) []string {
			if len(text) > 1 && strings.HasSuffix(text, "-") {
				text = text[:len(text)-2] + "a"
			}
			return faults(text)
		}
	}
	ofSchema := func(format, fault string) func(string) []string {
		return func(text string) []string {
			if schema.HasFormat(format, text) {
				return nil
			}
			return []string{fault}
		}
	}
	return []*namedFormat{
		{"dns1123Label", "DNS1123Label", apimeta.ValidateDNS1123Label, 30},
		{"dns1123Subdomain", "DNS1123Subdomain", apimeta.ValidateDNS1123Subdomain, 60},
		{"dns1035Label", "DNS1035Label", apimeta.ValidateDNS1035Label, 30},
		{"qualifiedName", "QualifiedName", apimeta.ValidateQualifiedName, 60},
		{"dns1123LabelPrefix", "DNS1123LabelPrefix", prefix(apimeta.ValidateDNS1123Label), 30},
		{"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", prefix(apimeta.ValidateDNS1123Subdomain), 60},
		{"dns1035LabelPrefix", "DNS1035LabelPrefix", prefix(apimeta.ValidateDNS1035Label), 30},
		{"labelValue", "LabelValue", apimeta.ValidateLabelValue, 40},
		{"uri", "URI", uriFaults, 1103},
		{"uuid", "uuid", ofSchema("uuid", "does not match the UUID format"), 70},
		{"byte", "byte", ofSchema("byte", "invalid base64"), 84},
		{"date", "date", ofSchema("date", "invalid date"), 71},
		{"datetime", "datetime", ofSchema("datetime", "invalid datetime"), 71},
	}
}

func uriFaults(text string) []string {
	if _, err := url.ParseRequestURI(text); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// formatFunctions returns format.named, one function for each format, and validate.
func formatFunctions() []cel.EnvOption {
	formats := &opaqueType[*namedFormat]{Type: cel.ObjectType(formatTypeName),
		equal: func(a, b *namedFormat) bool { return a.name == b.name }}
	byName := map[string]ref.Val{}
	var all []cel.EnvOption
	for _, f := range namedFormats() {
		value := formats.wrap(f)
		byName[f.function] = value
		name := "format." + f.function
		all = append(all, cel.Function(name,
			cel.Overload(name, nil, formats.Type, cel.FunctionBinding(func(...ref.Val) ref.Val { return value }))))
	}
	named := cel.Overload("format-named", []*cel.Type{cel.StringType}, cel.OptionalType(formats.Type),
		unary(func(name string) ref.Val {
			if f, ok := byName[name]; ok {
				return types.OptionalOf(f)
			}
			return types.OptionalNone
		}))
	validate := cel.MemberOverload("format-validate", []*cel.Type{formats.Type, cel.StringType},
		cel.OptionalType(cel.ListType(cel.StringType)), binary(func(f *namedFormat, text string) ref.Val {
			if faults := f.faults(text); len(faults) > 0 {
				return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, faults))
			}
			return types.OptionalNone
		}))
	return append(all, cel.Function("format.named", named), cel.Function("validate", validate))
}
