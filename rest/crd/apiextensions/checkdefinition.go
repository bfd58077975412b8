package apiextensions

import (
	"context"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/clientconfig"
	"github.com/decorum-go/decorum/status"
)

// checker checks one definition.
type checker struct {
	faults
	lenient lenience
	checks  Checks
	// uncompiled lists schemas that are valid but that this library cannot compile. Validate reports them if it finds no
	// other error.
	uncompiled status.FieldErrors
}

// lenience says which rules a definition may break because its stored form breaks them already.
type lenience struct {
	noSchema, notStructural, unprunedDefaults, mutableItemsOfSets, nullableKeys, unknownTypes bool

	reviewVersions bool            // the review versions of the webhook need not contain one that the server understands
	webhook        bool            // a webhook may convert the objects
	sameSchema     map[string]bool // versions whose schema has not changed
	tooMany        map[string]bool // versions that may have too many selectable fields
	established    bool            // the names are fixed
	caBundle       bool            // the certificates of the webhook may be invalid
}

// Checks are the checks of a definition that depend on the host.
type Checks struct {
	// CEL evaluates validation rules. Set it to cel.Evaluator() of module cel. Without it, definitions with rules are
	// refused.
	CEL rest.Evaluator
	// IgnoreRules accepts definitions with rules if CEL is nil. The rules then have no effect.
	IgnoreRules bool
	// Webhooks accepts definitions whose objects a webhook converts.
	Webhooks bool
	// History permits definitions to declare a history of their objects with [VersionsAnnotation] and [ForAnnotation].
	// Otherwise the annotations have no effect, and their values are not checked.
	History bool
	// Enter is called before a definition of a client is checked, and leave afterwards. It can wait, so that one definition
	// is checked at a time: large definitions are expensive, and other requests need the processors too. Its error is the
	// reason of a 503. Default: any number of definitions are checked at a time.
	Enter func(ctx context.Context) (leave func(), err error)
	// Own reports whether a write is the server's own, which may set [CompiledAnnotation]. Default: none is.
	Own func(ctx context.Context) bool
}

// Validate returns the faults of a definition, with the causes of kube-apiserver in its order. old is the stored
// definition, and nil on create.
func (checks Checks) Validate(d, old *CustomResourceDefinition) status.FieldErrors {
	c := &checker{checks: checks, lenient: lenienceOf(d, old)}
	if old == nil {
		c.name(d)
	}
	c.spec(&d.Spec)
	if old != nil {
		c.fixed(&d.Spec, &old.Spec)
	}
	c.names(&d.Status.AcceptedNames, status.NewPath("status", "acceptedNames"))
	c.storedVersions(d)
	c.approval(d, old)
	c.history(d, old)
	if d.Spec.PreserveUnknownFields && (old == nil || !old.Spec.PreserveUnknownFields) {
		c.fail(status.InvalidField(status.NewPath("spec", "preserveUnknownFields"), true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"))
	}
	if len(c.errs) == 0 {
		return c.uncompiled
	}
	return c.errs
}

// validateStatus returns the faults of the status of a definition.
func validateStatus(d *CustomResourceDefinition) status.FieldErrors {
	c := &checker{}
	c.names(&d.Status.AcceptedNames, status.NewPath("status", "acceptedNames"))
	return c.errs
}

func lenienceOf(d, old *CustomResourceDefinition) lenience {
	if old == nil {
		return lenience{caBundle: true}
	}
	l := lenience{established: old.HasBeenEstablished(), sameSchema: map[string]bool{}}
	l.caBundle = !l.established
	if w := webhookOf(&old.Spec); w != nil {
		l.webhook = true
		l.reviewVersions = len(w.ConversionReviewVersions) > 0 && !clientconfig.Understood(w.ConversionReviewVersions)
		l.caBundle = l.caBundle || w.ClientConfig != nil && len(w.ClientConfig.CABundle) > 0 &&
			faultOfCertificates(w.ClientConfig.CABundle) != ""
	}
	for i := range old.Spec.Versions {
		s := old.Spec.Versions[i].schema()
		l.noSchema = l.noSchema || s == nil
		l.notStructural = l.notStructural || s != nil && !structural(s)
		l.unprunedDefaults = l.unprunedDefaults || s != nil && structural(s) && unpruned(s)
		l.mutableItemsOfSets = l.mutableItemsOfSets || s.any(hasMutableItemsOfSet)
		l.nullableKeys = l.nullableKeys || s.any(func(s *JSONSchemaProps) bool { return len(keyFaults(s, nil)) > 0 })
		l.unknownTypes = l.unknownTypes ||
			s.any(func(s *JSONSchemaProps) bool { return s.Type != "" && !known(openAPITypes, s.Type) })
	}
	for _, v := range d.Spec.Versions {
		was := firstNamed(old.Spec.Versions, v.Name)
		l.sameSchema[v.Name] = was != nil && reflect.DeepEqual(was.Schema, v.Schema)
	}
	l.tooMany = keptTooMany(shareOf(d.Spec.Versions), shareOf(old.Spec.Versions))
	return l
}

// keptTooMany returns the versions whose selectable fields are too many, but not changed. "" stands for fields that all
// versions share.
func keptTooMany(now, was shared) map[string]bool {
	kept := map[string]bool{"": len(was.selectable) > maxSelectable && reflect.DeepEqual(was.selectable, now.selectable)}
	for _, v := range now.versions {
		if old := firstNamed(was.versions, v.Name); old != nil {
			kept[v.Name] = len(old.SelectableFields) > maxSelectable &&
				reflect.DeepEqual(old.SelectableFields, v.SelectableFields)
		}
	}
	return kept
}

// schema returns the schema of a version, or nil.
func (v *CustomResourceDefinitionVersion) schema() *JSONSchemaProps {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// Is reports whether the status has a condition of this type that is true.
func (d *CustomResourceDefinition) Is(t ConditionType) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == t {
			return c.Status == apimeta.ConditionTrue
		}
	}
	return false
}

// HasBeenEstablished reports whether the kind of a definition is served or was served, so that the store may hold
// objects of it.
func (d *CustomResourceDefinition) HasBeenEstablished() bool {
	return slices.ContainsFunc(d.Status.Conditions, func(c CustomResourceDefinitionCondition) bool {
		return c.Type == Established && (c.Status == apimeta.ConditionTrue || c.Reason == ReasonNotServed)
	})
}

// name checks that the name of a definition is the plural and the group. The API has checked its form.
func (c *checker) name(d *CustomResourceDefinition) {
	for _, n := range []struct {
		field, value string
		set          bool
	}{{"generateName", d.GenerateName, d.GenerateName != ""}, {"name", d.Name, true}} {
		if n.set && n.value != d.Spec.Names.Plural+"."+d.Spec.Group {
			c.fail(status.InvalidField(status.NewPath("metadata", n.field), n.value, `must be spec.names.plural+"."+spec.group`))
		}
	}
}

// fixed checks the fields that never change, and those that do not change once the kind is served.
func (c *checker) fixed(now, was *CustomResourceDefinitionSpec) {
	at := status.NewPath("spec")
	immutable := func(p *status.Path, now, was string) {
		if now != was {
			c.fail(status.InvalidField(p, now, "field is immutable"))
		}
	}
	if c.lenient.established {
		immutable(at.Child("scope"), string(now.Scope), string(was.Scope))
		immutable(at.Child("names", "kind"), now.Names.Kind, was.Names.Kind)
	}
	immutable(at.Child("group"), now.Group, was.Group)
	immutable(at.Child("names", "plural"), now.Names.Plural, was.Names.Plural)
}
