package validate

import (
	"cmp"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
)

// isConverted reports whether a definition names a webhook that converts its objects. It cannot be called here.
func (r *run) isConverted(m *Manifest) bool {
	return isDefinition(m) && textOf(m.object, "spec", "conversion", "strategy") == "Webhook"
}

// withoutWebhook returns a definition that the API can serve without its webhook: it changes only the apiVersion of
// objects in another version than the stored one. It returns all other objects as they are.
func (r *run) withoutWebhook(m *Manifest) *Manifest {
	if !r.isConverted(m) {
		return m
	}
	spec := m.object.Get("spec")
	for _, version := range spec.Get("versions").Elements() {
		if version.Get("storage").Kind() == doc.Bool && version.Get("storage").Bool() {
			kind := apimeta.GroupKind{Group: textOf(spec, "group"), Kind: textOf(spec, "names", "kind")}
			r.stored[kind] = textOf(version, "name")
		}
	}
	served := *m
	served.object = m.object.With("spec",
		spec.With("conversion", doc.MapOf(doc.Member{Key: "strategy", Value: doc.Of("None")})))
	served.body, served.isYAML = nil, false
	return &served
}

// converts reports whether a webhook would convert the object of a manifest to the version that the API stores.
func (r *run) converts(m *Manifest) bool {
	stored := r.stored[m.Kind.GroupKind()]
	return stored != "" && stored != m.Kind.Version
}

// former returns what is known of the former state of an object.
func (r *run) former(t *target, m *Manifest) (former formerState, known bool) {
	former, known = r.old[t.key]
	if known && r.converts(m) {
		former.missing = cmp.Or(former.missing, "a webhook converts the old one")
	}
	return former, known
}
