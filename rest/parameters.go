package rest

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// writeParameters reads the options of a write from the query. kind names them in errors.
func (q *request) writeParameters(kind string) (writeOptions, error) {
	o := writeOptions{warnings: &q.warnings, agent: agentOf(q.r.UserAgent())}
	query, applies := q.parameters(), kind == "PatchOptions" && q.applies()
	if query == nil && !applies {
		return o, nil
	}
	var errs status.FieldErrors
	switch {
	case kind != "PatchOptions" || !query.Has("force"):
	case applies:
		o.force = parseBool(query.Get("force"))
	default:
		errs = append(errs, status.ForbiddenField(status.Field("force"), "may not be specified for non-apply patch"))
	}
	o.manager = query.Get("fieldManager")
	if applies && o.manager == "" {
		errs = append(errs, managerRequired())
	}
	errs = append(errs, objectmeta.ValidateFieldManager(status.Field("fieldManager"), o.manager)...)
	dryRun := query["dryRun"]
	errs = append(errs, validateDryRun(dryRun)...)
	o.dryRun = len(dryRun) > 0
	o.validation = fieldValidation(query.Get("fieldValidation"))
	switch o.validation {
	case "", validationIgnore, validationWarn, validationStrict:
	default:
		errs = append(errs, status.UnsupportedValue(status.Field("fieldValidation"), string(o.validation), []string{"", "Ignore", "Strict", "Warn"}))
	}
	return o, invalidOptions(kind, errs)
}

// listParameters are the options of list, watch and deletecollection.
type listParameters struct {
	apimeta.ListOptions
	labels apimeta.Selector
	fields apimeta.FieldSelector
}

func (q *request) listParameters() (*listParameters, error) {
	p := &listParameters{}
	query := q.parameters()
	if query == nil {
		return p, nil
	}
	p.LabelSelector, p.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	p.ResourceVersion, p.Continue = query.Get("resourceVersion"), query.Get("continue")
	p.ResourceVersionMatch = apimeta.ResourceVersionMatch(query.Get("resourceVersionMatch"))
	var err error
	if p.TimeoutSeconds, err = integerParameter(query, "timeoutSeconds"); err != nil {
		return p, err
	}
	limit, err := integerParameter(query, "limit")
	if err != nil {
		return p, err
	}
	if limit != nil {
		p.Limit = *limit
	}
	p.Watch = q.wantsWatch()
	p.AllowWatchBookmarks = query.Has("allowWatchBookmarks") && parseBool(query.Get("allowWatchBookmarks"))
	if query.Has("sendInitialEvents") {
		send := parseBool(query.Get("sendInitialEvents"))
		p.SendInitialEvents = &send
	}
	if p.labels, err = apimeta.ParseSelector(p.LabelSelector); err != nil {
		return p, status.BadRequest(err.Error())
	}
	if p.fields, err = apimeta.ParseFieldSelector(p.FieldSelector); err != nil {
		return p, status.BadRequest(err.Error())
	}
	return p, cmp.Or(p.validate(), q.res.checkFieldSelector(p.fields))
}

func (q *request) wantsWatch() bool {
	return q.parameters().Has("watch") && parseBool(q.parameters().Get("watch"))
}

// integerParameter reads a number; it is nil where the parameter is not there. One that is there and empty is no number.
func integerParameter(query url.Values, name string) (*int64, error) {
	if !query.Has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return nil, status.BadRequest(err.Error())
	}
	return &n, nil
}

// checkFieldSelector refuses fields that the resource does not offer for selection.
func (res *resource) checkFieldSelector(s apimeta.FieldSelector) error {
	for _, r := range s.Requirements() {
		switch {
		case r.Field == "metadata.name" || slices.Contains(res.fields, r.Field):
		case r.Field == "metadata.namespace" && (res.kind.Namespaced || len(res.fields) == 0 && res.dialect.LabelsListed):
		case len(res.fields) > 0 || !res.dialect.LabelsListed:
			return status.BadRequest("field label not supported: " + r.Field)
		default:
			return status.BadRequest(fmt.Sprintf("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", r.Field))
		}
	}
	return nil
}

// validate checks the options against each other (API concepts, Resource versions).
func (p listParameters) validate() error {
	if p.Watch {
		return invalidOptions("ListOptions", p.watchErrors())
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
	return invalidOptions("ListOptions", errs)
}

func (p listParameters) watchErrors() (errs status.FieldErrors) {
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

// readRevision reads the resourceVersion of a get or list.
func readRevision(s string) (watch.Revision, error) {
	if s == "0" {
		return storage.Any, nil
	}
	n, err := parseRevision(s)
	return watch.Revision(n), err
}

// parseRevision reads a resourceVersion; "" and "0" are 0.
func parseRevision(s string) (uint64, error) {
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
