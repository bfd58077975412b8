package managed

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Before servers could apply, kubectl applied on the client: it kept the configuration in an annotation, and wrote the
// object as an update. If the manager "kubectl" applies on the server, it owns the fields of that configuration.
const (
	kubectl               = "kubectl"
	annotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

func lastApplied(obj doc.Value) string {
	return obj.Lookup("metadata", "annotations", annotationLastApplied).Text()
}

// notLastApplied drops the conflicts over fields that the client has applied before and that have not changed since.
func (k *Kind) notLastApplied(conflicts merge.Conflicts, live doc.Value, typedLive *typed.TypedValue) merge.Conflicts {
	config, _, err := codec.DecodeJSON([]byte(lastApplied(live)))
	if err != nil || config.Get("apiVersion").Text() != k.apiVersion {
		return conflicts
	}
	applied, err := k.typeValue(config)
	if err != nil {
		return conflicts
	}
	set, err := applied.ToFieldSet()
	if err != nil {
		return conflicts
	}
	differs, err := applied.Compare(typedLive)
	if err != nil {
		return conflicts
	}
	set = set.Difference(differs.Modified).Difference(differs.Added).Difference(differs.Removed)
	return slices.DeleteFunc(slices.Clone(conflicts),
		func(c merge.Conflict) bool { return set.Has(fieldpath.Path(c.Path)) })
}

// withLastApplied updates the annotation if the object has one, so that the client can go back to client-side apply.
func withLastApplied(obj, config doc.Value) doc.Value {
	if lastApplied(obj) == "" {
		return obj
	}
	bare := config
	if a := config.Lookup("metadata", "annotations"); a.Has(annotationLastApplied) {
		bare = config.WithAt(a.Without(annotationLastApplied), "metadata", "annotations")
	}
	annotations := obj.Lookup("metadata", "annotations")
	var text bytes.Buffer
	json.HTMLEscape(&text, codec.AppendJSON(nil, bare)) // the client writes the same, with a line feed
	updated := annotations.With(annotationLastApplied, doc.Of(text.String()+"\n"))
	total := 0
	for key, value := range updated.Members() {
		total += len(key) + len(value.Text())
	}
	if total > apimeta.TotalAnnotationsLimit {
		updated = annotations.Without(annotationLastApplied)
	}
	return obj.WithAt(updated, "metadata", "annotations")
}
