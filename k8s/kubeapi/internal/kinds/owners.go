package kinds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/raw"
)

// OwnerReferences returns the plug-in OwnerReferencesPermissionEnforcement. Only those may change the owners of an
// object who may delete it, and only those may let it block the deletion of an owner who may write the finalizers of
// that owner.
func OwnerReferences() rest.Plugin { return &owners{} }

type owners struct{ api *rest.API }

// Plug implements [rest.Plugin].
func (o *owners) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	o.api = api.API
	return rest.PluginParts{Name: "owners", Admission: []admission.Hook{{Name: "owners.kubeapi",
		Operations: []admission.Operation{admission.Create, admission.Update}, Validate: o.validate}}}, nil
}

// owned is the part of an object that names its owners.
type owned struct {
	Metadata struct {
		OwnerReferences []apimeta.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
}

func (o *owners) validate(ctx context.Context, r *admission.Request) error {
	if r.Resource.Group == "" && r.Resource.Resource == "pods" && r.Subresource == "status" {
		return nil // a write of the status cannot change the owners
	}
	var now, was owned
	if err := r.Object(&now); err != nil {
		return err
	}
	if r.Operation == admission.Update {
		if err := r.OldObject(&was); err != nil {
			return err
		}
	}
	refs, old := now.Metadata.OwnerReferences, was.Metadata.OwnerReferences
	if equality.Semantic.DeepEqual(refs, old) {
		return nil
	}
	if r.Operation == admission.Update {
		decision, err := access.Authorize(ctx, access.Access{Verb: access.VerbDelete, Group: r.Resource.Group,
			Version: r.Resource.Version, Resource: r.Resource.Resource, Subresource: r.Subresource, Namespace: r.Namespace,
			Name: r.Name})
		if !decision.Allowed() {
			return fmt.Errorf("cannot set an ownerRef on a resource you can't delete: %v, %v", decision.Reason(), err)
		}
	}
	blocking := slices.DeleteFunc(slices.Clone(refs), func(ref apimeta.OwnerReference) bool {
		return !blocks(ref) || slices.ContainsFunc(old,
			func(was apimeta.OwnerReference) bool { return was.UID == ref.UID && blocks(was) })
	})
	if len(blocking) == 0 {
		return nil
	}
	everything := access.Access{Group: "*", Version: "*", Resource: "*", Name: "*"}
	if decision, _ := finalizing(ctx, everything); decision.Allowed() {
		return nil
	}
	for _, ref := range blocking {
		if err := o.permitBlocking(ctx, ref, r.Namespace); err != nil {
			return err
		}
	}
	return nil
}

// blocks reports whether a reference lets an object block the deletion of its owner.
func blocks(ref apimeta.OwnerReference) bool {
	return ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
}

// finalizing decides whether the user may write finalizers.
func finalizing(ctx context.Context, of access.Access) (access.Decision, error) {
	of.Verb, of.Subresource = access.VerbUpdate, "finalizers"
	return access.Authorize(ctx, of)
}

// permitBlocking returns an error unless the user may write the finalizers of an owner.
func (o *owners) permitBlocking(ctx context.Context, ref apimeta.OwnerReference, namespace string) error {
	version, err := apimeta.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return err
	}
	kind := version.WithKind(ref.Kind)
	resources := o.api.Objects().Resources()
	i := slices.IndexFunc(resources, func(r raw.Resource) bool { return slices.Contains(r.Kinds, kind) })
	if i < 0 {
		return fmt.Errorf("cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion %s Kind %s: no matches for kind %q in version %q",
			ref.APIVersion, ref.Kind, ref.Kind, ref.APIVersion)
	}
	plural, _, _ := strings.Cut(resources[i].Name, ".")
	at := access.Access{Group: version.Group, Version: version.Version, Resource: plural, Name: ref.Name}
	if resources[i].Namespaced {
		at.Namespace = namespace
	}
	if decision, err := finalizing(ctx, at); !decision.Allowed() {
		return fmt.Errorf("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: %v, %v",
			decision.Reason(), err)
	}
	return nil
}
