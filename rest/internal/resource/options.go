package resource

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/words"
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
	if err := schema.DecodingError(data, reflect.TypeFor[apimeta.DeleteOptions]()); err != nil {
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
		errs = append(errs, status.InvalidField(status.Field("propagationPolicy"), string(*o.PropagationPolicy),
			"orphanDependents and deletionPropagation cannot be both set"))
	}
	if p := o.PropagationPolicy; p != nil && *p != apimeta.DeletePropagationForeground && *p != apimeta.DeletePropagationBackground && *p != apimeta.DeletePropagationOrphan {
		errs = append(errs, status.UnsupportedValue(status.Field("propagationPolicy"), string(*p), []string{
			string(apimeta.DeletePropagationForeground), string(apimeta.DeletePropagationBackground), string(apimeta.DeletePropagationOrphan), "nil"}))
	}
	errs = append(errs, ValidateDryRun(o.DryRun)...)
	errs = append(errs, validateUnsafeDeletion(o)...)
	return InvalidOptions("DeleteOptions", errs)
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
		{".dryRun", len(o.DryRun) > 0},
		{".propagationPolicy", o.PropagationPolicy != nil},
		{".orphanDependents", o.OrphanDependents != nil},
		{".gracePeriodSeconds", o.GracePeriodSeconds != nil},
		{".preconditions", o.Preconditions != nil},
	} {
		if other.given {
			errs = append(errs, status.InvalidField(status.Field(FieldIgnoreReadError), true, "cannot be set together with "+other.name))
		}
	}
	return errs
}

// InvalidOptions returns the error for invalid request options, or nil if errs is empty.
func InvalidOptions(kind string, errs status.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return status.Invalid(apimeta.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// ValidateDryRun returns the errors in the values of the option dryRun.
func ValidateDryRun(values []string) status.FieldErrors {
	for _, v := range values {
		if v != "All" {
			return status.FieldErrors{status.UnsupportedValue(status.Field("dryRun"), values, []string{"All"})}
		}
	}
	return nil
}

// ParseBool reads a flag as Kubernetes does: what is not plainly false is true.
func ParseBool(s string) bool { return s != "0" && !strings.EqualFold(s, "false") }

// IntegerParameter parses an integer parameter. It returns nil if the parameter is missing, and an error if it is
// empty.
func IntegerParameter(query url.Values, name string) (*int64, error) {
	if !query.Has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return nil, status.BadRequest(words.NotAnInteger(query.Get(name), 64))
	}
	return &n, nil
}

// QueryListOptions reads the options of a list or a watch from the query.
func QueryListOptions(query url.Values) (o apimeta.ListOptions, err error) {
	o.LabelSelector, o.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	o.ResourceVersion, o.Continue = query.Get("resourceVersion"), query.Get("continue")
	o.ResourceVersionMatch = apimeta.ResourceVersionMatch(query.Get("resourceVersionMatch"))
	if o.TimeoutSeconds, err = IntegerParameter(query, "timeoutSeconds"); err != nil {
		return o, err
	}
	limit, err := IntegerParameter(query, "limit")
	if err != nil {
		return o, err
	}
	if limit != nil {
		o.Limit = *limit
	}
	o.Watch = query.Has("watch") && ParseBool(query.Get("watch"))
	o.AllowWatchBookmarks = query.Has("allowWatchBookmarks") && ParseBool(query.Get("allowWatchBookmarks"))
	if query.Has("sendInitialEvents") {
		send := ParseBool(query.Get("sendInitialEvents"))
		o.SendInitialEvents = &send
	}
	return o, nil
}

// QueryDeleteOptions reads the options of a deletion without a body from the query.
func QueryDeleteOptions(query url.Values) (o apimeta.DeleteOptions, err error) {
	if query == nil {
		return o, nil
	}
	o.DryRun = query["dryRun"]
	if o.GracePeriodSeconds, err = IntegerParameter(query, "gracePeriodSeconds"); err != nil {
		return o, err
	}
	if query.Has("propagationPolicy") {
		policy := apimeta.DeletionPropagation(query.Get("propagationPolicy"))
		o.PropagationPolicy = &policy
	}
	o.Preconditions = queryPreconditions(query)
	if query.Has("orphanDependents") {
		orphan := ParseBool(query.Get("orphanDependents"))
		o.OrphanDependents = &orphan
	}
	if query.Has(FieldIgnoreReadError) {
		ignore := ParseBool(query.Get(FieldIgnoreReadError))
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = &ignore
	}
	return o, nil
}

// queryPreconditions reads the preconditions of a deletion from the query.
func queryPreconditions(query url.Values) *apimeta.Preconditions {
	var p apimeta.Preconditions
	if uid := query.Get("uid"); uid != "" {
		p.UID = &uid
	}
	if rv := query.Get("resourceVersion"); rv != "" {
		p.ResourceVersion = &rv
	}
	if p == (apimeta.Preconditions{}) {
		return nil
	}
	return &p
}
