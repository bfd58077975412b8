package resource

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// ListParameters are the options of list, watch and deletecollection.
type ListParameters struct {
	apimeta.ListOptions
	Labels apimeta.Selector
	Fields apimeta.FieldSelector
}

// CheckFieldSelector refuses fields that the resource does not offer for selection.
func (res *Resource) CheckFieldSelector(s apimeta.FieldSelector) error {
	for _, r := range s.Requirements() {
		switch {
		case r.Field == "metadata.name" || slices.Contains(res.fields, r.Field):
		case r.Field == "metadata.namespace" && (res.Kind.Namespaced || len(res.fields) == 0 && res.Dialect.LabelsListed):
		case len(res.fields) > 0 || !res.Dialect.LabelsListed:
			return status.BadRequest("field label not supported: " + r.Field)
		default:
			return status.BadRequest(fmt.Sprintf("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", r.Field))
		}
	}
	return nil
}

// Validate checks the options against each other (API concepts, Resource versions).
func (p ListParameters) Validate() error {
	if p.Watch {
		return InvalidOptions("ListOptions", p.watchErrors())
	}
	path := status.Field("resourceVersionMatch")
	var errs status.FieldErrors
	if match := p.ResourceVersionMatch; match != "" {
		if p.ResourceVersion == "" {
			errs = append(errs, status.ForbiddenField(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if p.Continue != "" {
			errs = append(errs, matchWithContinue(path))
		}
		if match != apimeta.MatchExact && match != apimeta.MatchNotOlderThan {
			errs = append(errs, status.UnsupportedValue(path, string(match), []string{"Exact", "NotOlderThan", ""}))
		}
		if match == apimeta.MatchExact && p.ResourceVersion == "0" {
			errs = append(errs, status.ForbiddenField(path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""))
		}
	}
	if p.SendInitialEvents != nil {
		errs = append(errs, status.ForbiddenField(status.Field("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
	}
	return InvalidOptions("ListOptions", errs)
}

func (p ListParameters) watchErrors() (errs status.FieldErrors) {
	path := status.Field("resourceVersionMatch")
	match, sends := p.ResourceVersionMatch, p.SendInitialEvents != nil
	if !sends && match == "" && (p.ResourceVersion == "" || p.ResourceVersion == "0") {
		match, sends = apimeta.MatchNotOlderThan, true // what a watch from no version means
	}
	if sends && match != apimeta.MatchNotOlderThan {
		errs = append(errs, status.ForbiddenField(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return errs
	}
	if !sends {
		errs = append(errs, status.ForbiddenField(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != apimeta.MatchNotOlderThan {
		errs = append(errs, status.UnsupportedValue(path, string(match), []string{"NotOlderThan"}))
	}
	if p.Continue != "" {
		errs = append(errs, matchWithContinue(path))
	}
	return errs
}

func matchWithContinue(path *status.Path) *status.FieldError {
	return status.ForbiddenField(path, "resourceVersionMatch is forbidden when continue is provided")
}

// ReadRevision reads the resourceVersion of a get or list.
func ReadRevision(s string) (watch.Revision, error) {
	if s == "0" {
		return storage.Any, nil
	}
	n, err := ParseRevision(s)
	return watch.Revision(n), err
}

// ParseRevision reads a resourceVersion; "" and "0" are 0.
func ParseRevision(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		reason := err
		var numErr *strconv.NumError
		if errors.As(err, &numErr) {
			reason = numErr
		}
		return 0, status.BadRequest(fmt.Sprintf("invalid resource version: resourceVersion: Invalid value: %q: %s", s, strings.TrimSpace(reason.Error())))
	}
	return n, nil
}
