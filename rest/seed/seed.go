package seed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Options configure [Apply] and [New]. The zero value creates missing objects only.
type Options struct {
	// Manager is the field manager that managedFields record as the owner of the fields of the files. Default: "seed".
	Manager string
	// Update also changes objects that exist: they get the fields of the files, even if somebody has changed them
	// since (API concepts, Server-Side Apply, with force). Fields that an earlier release had in the files, and that
	// nobody else owns, are removed. Default: an object that exists stays as it is, so a change that a person has
	// made survives a restart.
	Update bool
	// KindTimeout is how long Apply waits for the kind of a definition that it has applied. Default: 30 seconds.
	KindTimeout time.Duration
}

// New returns a plug-in that calls [Apply] when the API starts. List it after the plug-ins whose kinds the files need.
func New(files fs.FS, options Options) rest.Plugin {
	return rest.PluginParts{Name: "seed", Start: func(ctx context.Context, api *rest.API) error {
		return Apply(ctx, api, files, options)
	}}
}

// Apply creates the objects of all files of files whose names end with .yaml, .yml or .json, in all directories. A
// file has one or more documents in YAML or JSON; empty documents and lists of the kind List are allowed. An object
// without a namespace belongs to the namespace "default", if its kind has namespaces.
//
// CustomResourceDefinitions come first, then namespaces, then all others. Each group follows the names of the files and
// the order of the documents in them. Apply waits until the API serves the kinds of the definitions.
//
// The writes take the same steps as all others, with the user of ctx, or rest.Options.HostUser; the Authorizer is not
// asked. The first error ends Apply, and names the file and the document: a document that is no object, a kind that
// the API does not serve or cannot apply, and every error of the write, such as a field that the kind does not have.
// The objects before it stay.
func Apply(ctx context.Context, api *rest.API, files fs.FS, options Options) error {
	manifests, err := read(files)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	slices.SortStableFunc(manifests, func(a, b manifest) int { return cmp.Compare(a.phase(), b.phase()) })
	s := seeder{objects: api.Objects().FieldManager(cmp.Or(options.Manager, "seed")), options: options}
	for _, m := range manifests {
		if err := s.apply(ctx, m); err != nil {
			return fmt.Errorf("seed: %s: %w", m.where, err)
		}
	}
	return nil
}

const defaultKindTimeout = 30 * time.Second

// seeder applies manifests.
type seeder struct {
	objects raw.Objects
	options Options
	defines bool // a definition has been applied, so a kind may still come
}

func (s *seeder) apply(ctx context.Context, m manifest) error {
	res, err := s.resource(ctx, m.kind)
	if err != nil {
		return err
	}
	key := storage.Key{Resource: res.Name, Name: m.name}
	switch {
	case res.Namespaced:
		key.Namespace = cmp.Or(m.namespace, "default")
	case m.namespace != "":
		return fmt.Errorf("metadata.namespace is set, but objects of kind %s have no namespace", m.kind.Kind)
	}
	s.defines = s.defines || m.phase() == definitions
	if !s.options.Update {
		_, err := s.objects.Get(ctx, key)
		if !status.IsNotFound(err) {
			return err
		}
	}
	return s.objects.Apply(ctx, key, m.kind.Version, m.text, apimeta.ApplyOptions{Force: s.options.Update})
}

// resource returns the resource of a kind. If definitions have been applied, it waits until the API serves the kind.
func (s *seeder) resource(ctx context.Context, kind apimeta.GroupVersionKind) (raw.Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.options.KindTimeout, defaultKindTimeout))
	defer cancel()
	for {
		changed := s.objects.Changed()
		for _, res := range s.objects.Resources() {
			if slices.Contains(res.Kinds, kind) {
				return res, nil
			}
		}
		missing := fmt.Errorf("the API stores no objects of kind %s in %s", kind.Kind, kind.GroupVersion())
		if !s.defines {
			return raw.Resource{}, missing
		}
		select {
		case <-changed:
		case <-s.objects.Ending():
			return raw.Resource{}, errors.Join(missing, errors.New("the API has shut down"))
		case <-ctx.Done():
			return raw.Resource{}, errors.Join(missing, ctx.Err())
		}
	}
}
