package write

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// ReadDeleteOptions reads the body of a deletion. text returns its JSON.
func ReadDeleteOptions(body doc.Value, text func() []byte) (o apimeta.DeleteOptions, err error) {
	kind, err := KindOf(body, text)
	if err != nil {
		return o, status.BadRequest(err.Error())
	}
	if err := checkDeleteOptionsKind(kind); err != nil {
		return o, err
	}
	data := codec.AppendJSON(nil, body)
	if err := gotype.DecodingError(data, reflect.TypeFor[apimeta.DeleteOptions]()); err != nil {
		return o, status.BadRequest(err.Error())
	}
	err = json.Unmarshal(data, &o)
	return o, err
}

// checkDeleteOptionsKind refuses options of another request. They come in the version of any group.
func checkDeleteOptionsKind(kind apimeta.GroupVersionKind) error {
	if kind.Version == "" {
		kind.Group, kind.Version = "meta.k8s.io", "v1"
	}
	switch {
	case kind.Kind == "" || kind.Kind == "DeleteOptions":
		return nil
	case kind.Kind == "Status", slices.Contains(kindsOfEveryVersion, kind.Kind):
		return status.BadRequest(fmt.Sprintf("converting (v1.%s) to (v1.DeleteOptions): unknown conversion", kind.Kind))
	}
	return status.BadRequest(unregistered(kind))
}

// ValidateDeleteOptions returns an Invalid error if the options of a deletion are malformed or contradict each other.
func ValidateDeleteOptions(o apimeta.DeleteOptions) error {
	var errs status.FieldErrors
	if o.PropagationPolicy != nil && o.OrphanDependents != nil {
		errs = append(errs, status.InvalidField(status.NewPath("propagationPolicy"), string(*o.PropagationPolicy),
			"orphanDependents and deletionPropagation cannot be both set"))
	}
	policies := []string{
		string(apimeta.DeletePropagationForeground), string(apimeta.DeletePropagationBackground),
		string(apimeta.DeletePropagationOrphan),
	}
	if p := o.PropagationPolicy; p != nil && !slices.Contains(policies, string(*p)) {
		errs = append(errs, status.NotSupportedField(status.NewPath("propagationPolicy"), string(*p), append(policies,
			"nil")))
	}
	errs = append(errs, ValidateDryRun(o.DryRun)...)
	errs = append(errs, validateUnsafeDeletion(o)...)
	return resource.InvalidOptions("DeleteOptions", errs)
}

// validateUnsafeDeletion refuses to combine the option with options that need to read the object.
func validateUnsafeDeletion(o apimeta.DeleteOptions) (errs status.FieldErrors) {
	if o.IgnoreStoreReadErrorWithClusterBreakingPotential == nil || !*o.IgnoreStoreReadErrorWithClusterBreakingPotential {
		return nil
	}
	for _, other := range []struct {
		name  string
		given bool
	}{
		{".propagationPolicy", o.PropagationPolicy != nil},
		{".orphanDependents", o.OrphanDependents != nil},
		{".gracePeriodSeconds", o.GracePeriodSeconds != nil},
		{".preconditions", o.Preconditions != nil},
	} {
		if other.given {
			errs = append(errs, status.InvalidField(status.NewPath(FieldIgnoreReadError), true,
				"cannot be set together with "+other.name))
		}
	}
	return errs
}

// ValidateDryRun returns the errors in the values of the option dryRun.
func ValidateDryRun(values []string) status.FieldErrors {
	for _, v := range values {
		if v != "All" {
			return status.FieldErrors{status.NotSupportedField(status.NewPath("dryRun"), values, []string{"All"})}
		}
	}
	return nil
}
