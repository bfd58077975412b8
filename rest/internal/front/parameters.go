package front

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// writeParameters reads the options of a write from the query.
func (q *request) writeParameters(form writeForm) (write.Asked, error) {
	o := write.Asked{Agent: objectmeta.ManagerOf(q.r.UserAgent())}
	query, applies := q.query, form.patches && q.applies()
	if query == nil && !applies {
		return o, nil
	}
	var errs status.FieldErrors
	switch {
	case !form.patches || !query.Has("force"):
	case applies:
		o.Force = route.ParseBool(query.Get("force"))
	default:
		errs = append(errs, status.ForbiddenField(status.NewPath("force"), "may not be specified for non-apply patch"))
	}
	o.Manager = query.Get("fieldManager")
	if applies && o.Manager == "" {
		errs = append(errs, write.ManagerRequired())
	}
	errs = append(errs, objectmeta.ValidateFieldManager(status.NewPath("fieldManager"), o.Manager)...)
	dryRun := query["dryRun"]
	errs = append(errs, write.ValidateDryRun(dryRun)...)
	o.DryRun = len(dryRun) > 0
	o.Validation = apimeta.FieldValidation(query.Get("fieldValidation"))
	errs = append(errs, write.CheckValidation(o.Validation)...)
	return o, resource.InvalidOptions(form.options, errs)
}

// listParameters reads the options of a list, a watch or a deletion of a collection from the query.
func (q *request) listParameters() (*resource.ListParameters, error) {
	p := new(resource.ListParameters)
	if q.query == nil {
		return p, nil
	}
	options, err := queryListOptions(q.query)
	if err == nil {
		err = p.Read(options, q.res.Resource)
	}
	if err == nil {
		err = q.readQueryParameters(p)
	}
	return p, err
}

// flag returns the value of a boolean parameter.
func (q *request) flag(name string) bool {
	values := q.query[name]
	return len(values) > 0 && route.ParseBool(values[0])
}

// readQueryParameters reads the parameters of a query. If the API does not support queries, it ignores them, as
// upstream does.
func (q *request) readQueryParameters(p *resource.ListParameters) error {
	if q.api.env.Queries == nil {
		return nil
	}
	text := resource.QueryText{
		Conditions: q.query.Get(resource.FieldQuery), SortBy: q.query.Get(resource.SortBy),
		Facets: q.query.Get(resource.Facets),
	}
	if err := p.ReadQuery(text, q.res.Resource); err != nil || p.Query == nil {
		return err
	}
	q.w.Header().Set(resource.AppliedParameters, text.Applied())
	return nil
}
