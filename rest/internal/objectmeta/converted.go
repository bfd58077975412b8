package objectmeta

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// CheckConverted returns an error if a converted object is not the original one, in upstream's words.
func CheckConverted(original, converted doc.Value) error {
	before, after := Of(original), Of(converted)
	for _, field := range []struct{ name, shown string }{{Name, "name"}, {Namespace, "namespace"}, {UID, "UID"}} {
		if e, a := before.Get(field.name).Text(), after.Get(field.name).Text(); e != a {
			return fmt.Errorf("must have the same %s: %v != %v", field.shown, e, a)
		}
	}
	return nil
}

// RestoreConverted returns a converted object with the metadata of the original one. Only its labels and annotations
// are those of the conversion, which must be valid if they have changed.
func RestoreConverted(original, converted doc.Value) (doc.Value, error) {
	m, after := Of(original), Of(converted)
	switch {
	case after.IsAbsent():
		return doc.Value{}, fmt.Errorf("missing metadata in converted object")
	case after.Kind() != doc.Map:
		return doc.Value{}, fmt.Errorf("invalid metadata of type %s in converted object", after.GoType())
	}
	for _, field := range []struct {
		name     string
		validate func(doc.Value) status.FieldErrors
	}{{Labels, validateLabels}, {Annotations, validateAnnotations}} {
		texts := after.Get(field.name)
		switch {
		case texts.IsAbsent() || texts.IsNull():
			m = m.Without(field.name)
			continue
		case texts.Kind() != doc.Map:
			return doc.Value{}, fmt.Errorf("invalid metadata.%s of type %s in converted object", field.name, texts.GoType())
		}
		for key, value := range texts.Members() {
			if value.Kind() != doc.String {
				return doc.Value{}, fmt.Errorf("metadata.%s[%s] must be a string, but is %s in converted object", field.name, key,
					value.GoType())
			}
		}
		if !doc.Equal(texts, m.Get(field.name)) {
			if errs := field.validate(texts); len(errs) > 0 {
				return doc.Value{}, errs
			}
		}
		m = m.With(field.name, texts)
	}
	return converted.With("metadata", m), nil
}
