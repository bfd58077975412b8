package front

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// readStreamOptions reads the options of a stream from the parameters of a URL, and checks them. It ignores unknown
// parameters, because the URL has other ones, such as pretty.
func readStreamOptions(options *schema.Schema, parameters url.Values) (doc.Value, error) {
	v := doc.MapOf()
	for _, p := range options.Object.Properties {
		values := parameters[p.Name]
		if len(values) == 0 || typeMetaField(p.Name) {
			continue
		}
		one, list := p.Schema, p.Schema.Type == schema.ArrayType
		switch {
		case !list:
			values = values[:1]
		case one.Items.Type == schema.IntegerType:
			values = strings.Split(strings.Join(values, ","), ",") // port-forward allows ports=80,443
		}
		if list {
			one = one.Items
		}
		elements := make([]doc.Value, 0, len(values))
		for _, value := range values {
			element, err := parseParameter(one.Type, value)
			if err != nil {
				return doc.Value{}, status.BadRequest(fmt.Sprintf("the parameter %q: %v", p.Name, err))
			}
			elements = append(elements, element)
		}
		if list {
			v = v.With(p.Name, doc.ListOf(elements...))
		} else {
			v = v.With(p.Name, elements[0])
		}
	}
	return resource.CheckOptions(options, v)
}

// typeMetaField reports whether a field belongs to the TypeMeta of the options structs of Kubernetes, and so is not a
// parameter.
func typeMetaField(name string) bool { return name == "kind" || name == "apiVersion" }

// parseParameter parses one value of a parameter. Numbers must be finite, because JSON has no others.
func parseParameter(typ, value string) (doc.Value, error) {
	switch typ {
	case schema.BooleanType:
		return doc.OfBool(route.ParseBool(value)), nil
	case schema.IntegerType:
		i, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return doc.Value{}, errors.New(words.NotAnInteger(value, 64))
		}
		return doc.OfInt(i), nil
	case schema.NumberType:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || f != f || f-f != 0 {
			return doc.Value{}, fmt.Errorf("%q is not a number", value)
		}
		return doc.OfNumber(strconv.FormatFloat(f, 'g', -1, 64)), nil
	}
	return doc.Of(value), nil
}
