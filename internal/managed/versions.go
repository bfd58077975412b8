package managed

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// errNoVersion means that the kind is not served in the version of an entry. As upstream, the next write drops such
// entries.
var errNoVersion = errors.New("the kind has no such version")

// versions converts objects to the version in which an entry names its fields. No other code deals with entries of
// other versions.
type versions struct{ kind *Kind }

var _ merge.Converter = versions{}

func (v versions) Convert(obj *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	t := v.kind.typed()
	if string(version) == v.kind.apiVersion && obj.Schema() == t.Schema {
		return obj, nil
	}
	if v.kind.convert == nil {
		return nil, fmt.Errorf("%w: %s", errNoVersion, version)
	}
	converted, to, err := v.kind.convert(documentOf(obj), string(version))
	switch {
	case err != nil:
		return nil, err
	case to == nil:
		return nil, fmt.Errorf("%w: %s", errNoVersion, version)
	}
	return to.of(converted)
}

func (v versions) IsMissingVersionError(err error) bool { return errors.Is(err, errNoVersion) }
