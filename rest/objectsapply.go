package rest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

func (o objects) Apply(ctx context.Context, key storage.Key, version string, manifest []byte,
	options apimeta.ApplyOptions) error {
	stored, done, err := o.begin(key.Resource)
	if err != nil {
		return err
	}
	defer done()
	res, err := inVersion(stored, version)
	if err != nil {
		return err
	}
	if res.Managed == nil {
		return status.UnsupportedMediaType(res.PatchTypes(nil))
	}
	at := service.Address{Namespace: key.Namespace, Name: key.Name}
	if err := at.CheckName(); err != nil {
		return err
	}
	ctx = o.api.calling(ctx, at.Access(res, kind.Patch))
	w := o.api.writes.New(res, resource.Target{Namespace: key.Namespace, Name: key.Name}, write.Asked{
		Manager: o.manager, Agent: userNameIn(ctx), Validation: apimeta.FieldValidationStrict, Force: options.Force,
	})
	if err := w.ApplyText(manifest); err != nil {
		return err
	}
	_, err = w.Update(ctx)
	return err
}

// inVersion returns a resource in one of its versions.
func inVersion(res *resource.Resource, version string) (*resource.Resource, error) {
	for _, in := range res.EveryVersion() {
		if in.GVK.Version == version {
			return in, nil
		}
	}
	return nil, fmt.Errorf("%w: %s is not served in version %q", storage.ErrResource, res.GR, version)
}
