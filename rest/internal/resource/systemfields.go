package resource

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// metadataForCreate decides what a client may not set in the metadata of a new object.
func (res *Resource) metadataForCreate(obj doc.Value, namespace string) doc.Value {
	origin := objectmeta.Origin{Created: res.Now()}
	if res.Kind.Namespaced {
		origin.Namespace = namespace
	}
	if !res.Kind.Virtual {
		origin.UID = res.NewUID()
		switch {
		case res.Dialect.Generation:
			origin.Generation = doc.OfInt(1)
		case res.Dialect.ClientGeneration:
			origin.Generation = objectmeta.Of(obj).Get(objectmeta.Generation)
		}
	}
	return objectmeta.ForCreate(obj, origin)
}

// validateMetadata checks an object's metadata by the rules that all kinds share.
func (res *Resource) validateMetadata(obj, old doc.Value, o *WriteOptions) status.FieldErrors {
	errs, warnings := objectmeta.Rules{
		CheckName: res.Traits.CheckName, Namespaced: res.Kind.Namespaced, Nameless: res.Kind.Virtual,
		Core: res.Dialect.CoreMetadata, WarnOfBareFinalizers: res.Dialect.FinalizerWarnings,
	}.Validate(obj, old)
	for _, text := range warnings {
		o.warn(text)
	}
	return errs
}

// dropRepeatedOwners drops duplicate owner references and warns of them.
func dropRepeatedOwners(obj doc.Value, stage objectmeta.Stage, o *WriteOptions) doc.Value {
	obj, warning := objectmeta.WithoutRepeatedOwners(obj, stage)
	if warning != "" {
		o.warn(warning)
	}
	return obj
}
