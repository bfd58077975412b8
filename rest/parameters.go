package rest

import (
	"cmp"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// writeParameters reads the options of a write from the query. kind names them in errors.
func (q *request) writeParameters(kind string) (resource.Asked, error) {
	o := resource.Asked{Agent: objectmeta.ManagerOf(q.r.UserAgent())}
	query, applies := q.parameters(), kind == "PatchOptions" && q.applies()
	if query == nil && !applies {
		return o, nil
	}
	var errs status.FieldErrors
	switch {
	case kind != "PatchOptions" || !query.Has("force"):
	case applies:
		o.Force = resource.ParseBool(query.Get("force"))
	default:
		errs = append(errs, status.ForbiddenField(status.Field("force"), "may not be specified for non-apply patch"))
	}
	o.Manager = query.Get("fieldManager")
	if applies && o.Manager == "" {
		errs = append(errs, resource.ManagerRequired())
	}
	errs = append(errs, objectmeta.ValidateFieldManager(status.Field("fieldManager"), o.Manager)...)
	dryRun := query["dryRun"]
	errs = append(errs, resource.ValidateDryRun(dryRun)...)
	o.DryRun = len(dryRun) > 0
	o.Validation = resource.FieldValidation(query.Get("fieldValidation"))
	errs = append(errs, o.Validation.Check()...)
	return o, resource.InvalidOptions(kind, errs)
}

func (q *request) listParameters() (*resource.ListParameters, error) {
	p := &resource.ListParameters{}
	query := q.parameters()
	if query == nil {
		return p, nil
	}
	p.LabelSelector, p.FieldSelector = query.Get("labelSelector"), query.Get("fieldSelector")
	p.ResourceVersion, p.Continue = query.Get("resourceVersion"), query.Get("continue")
	p.ResourceVersionMatch = apimeta.ResourceVersionMatch(query.Get("resourceVersionMatch"))
	var err error
	if p.TimeoutSeconds, err = resource.IntegerParameter(query, "timeoutSeconds"); err != nil {
		return p, err
	}
	limit, err := resource.IntegerParameter(query, "limit")
	if err != nil {
		return p, err
	}
	if limit != nil {
		p.Limit = *limit
	}
	p.Watch = q.wantsWatch()
	p.AllowWatchBookmarks = query.Has("allowWatchBookmarks") && resource.ParseBool(query.Get("allowWatchBookmarks"))
	if query.Has("sendInitialEvents") {
		send := resource.ParseBool(query.Get("sendInitialEvents"))
		p.SendInitialEvents = &send
	}
	if p.Labels, err = apimeta.ParseSelector(p.LabelSelector); err != nil {
		return p, status.BadRequest(err.Error())
	}
	if p.Fields, err = apimeta.ParseFieldSelector(p.FieldSelector); err != nil {
		return p, status.BadRequest(err.Error())
	}
	return p, cmp.Or(p.Validate(), q.res.CheckFieldSelector(p.Fields))
}

func (q *request) wantsWatch() bool {
	return q.parameters().Has("watch") && resource.ParseBool(q.parameters().Get("watch"))
}
