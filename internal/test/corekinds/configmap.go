// Package corekinds contains what the hosts of the transcripts share: two kinds of the core group that the library does
// not have, service accounts without tokens, and the rights of the clients. A test can serve these kinds without
// k8s.io/api, which takes minutes to compile.
package corekinds

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// ConfigMap is the kind ConfigMap of the core group, with all its fields.
type ConfigMap struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Immutable  *bool             `json:"immutable,omitempty"`
	Data       map[string]string `json:"data,omitempty"`
	BinaryData map[string][]byte `json:"binaryData,omitempty"`
}

// ConfigMaps declares the resource configmaps, with the rules of [ConfigMapContent].
func ConfigMaps() rest.Resource[ConfigMap] {
	return rest.Resource[ConfigMap]{
		Version: "v1", Plural: "configmaps",
		Names: rest.Names{Short: []string{"cm"}},
		Wire:  rest.Wire{Dialect: rest.DialectBuiltin},
		Columns: []rest.Column{
			rest.ColumnFunc(rest.Column{Name: "Data", Description: "How many keys the ConfigMap has."},
				func(m *ConfigMap) any { return len(m.Data) + len(m.BinaryData) }),
			rest.ColumnFunc(rest.Column{Name: "Age", Description: "The time since the object was created."},
				func(m *ConfigMap) any { return m.CreationTimestamp.Time }),
		},
		Hooks: rest.Hooks[ConfigMap]{Validate: func(_ context.Context, obj, old *ConfigMap) (status.FieldErrors, error) {
			if old == nil {
				return obj.content().Validate(nil), nil
			}
			before := old.content()
			return obj.content().Validate(&before), nil
		}},
	}
}

func (m *ConfigMap) content() ConfigMapContent {
	return ConfigMapContent{m.Immutable, m.Data, m.BinaryData}
}

// ConfigMapContent is the part of a ConfigMap that Kubernetes validates. Each Go type of the kind has these fields.
type ConfigMapContent struct {
	Immutable  *bool
	Data       map[string]string
	BinaryData map[string][]byte
}

// maxConfigMapSize is the largest size of all values together, in bytes.
const maxConfigMapSize = 1 << 20

var configKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// Validate enforces immutable, the form of the keys, that no key occurs in both maps, and the limit of their size.
// former is nil for a new object.
func (c ConfigMapContent) Validate(former *ConfigMapContent) (errs status.FieldErrors) {
	if former != nil && former.Immutable != nil && *former.Immutable {
		errs = c.changed(former)
	}
	for _, key := range slices.Sorted(maps.Keys(c.Data)) {
		errs = append(errs, checkConfigKey(status.NewPath("data").Key(key), key)...)
		if _, twice := c.BinaryData[key]; twice {
			errs = append(errs, status.InvalidField(status.NewPath("data").Key(key), key,
				"duplicate of key present in binaryData"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.BinaryData)) {
		errs = append(errs, checkConfigKey(status.NewPath("binaryData").Key(key), key)...)
	}
	size := 0
	for _, value := range c.Data {
		size += len(value)
	}
	for _, value := range c.BinaryData {
		size += len(value)
	}
	if size > maxConfigMapSize {
		errs = append(errs, status.TooLongField(status.NewPath(""), "", maxConfigMapSize))
	}
	return errs
}

// changed returns an error for each field that a write would change although the ConfigMap is immutable.
func (c ConfigMapContent) changed(former *ConfigMapContent) (errs status.FieldErrors) {
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"immutable", c.Immutable == nil || !*c.Immutable},
		{"data", !maps.Equal(c.Data, former.Data)},
		{"binaryData", !maps.EqualFunc(c.BinaryData, former.BinaryData, bytes.Equal)},
	} {
		if f.changed {
			errs = append(errs, status.ForbiddenField(status.NewPath(f.name), "field is immutable when `immutable` is set"))
		}
	}
	return errs
}

// checkConfigKey accepts the keys that are valid file names.
func checkConfigKey(path *status.Path, key string) (errs status.FieldErrors) {
	refuse := func(text string) { errs = append(errs, status.InvalidField(path, key, text)) }
	if len(key) > 253 {
		refuse("must be no more than 253 characters")
	}
	if !configKey.MatchString(key) {
		refuse("a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
			"(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')")
	}
	switch {
	case key == ".", key == "..":
		refuse("must not be '" + key + "'")
	case strings.HasPrefix(key, ".."):
		refuse("must not start with '..'")
	}
	return errs
}
