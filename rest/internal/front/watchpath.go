package front

import (
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
)

// watchByPath answers for a path of the legacy form …/watch/….
func (q *request) watchByPath() (handler, error) {
	if q.r.Method != http.MethodGet || !q.res.Has(string(access.VerbWatch)) {
		return nil, status.MethodNotAllowed()
	}
	return (*request).watch, nil
}

// selectObject narrows a watch down to the object in the path. A field selector may say the same and nothing else.
func (q *request) selectObject(p *resource.ListParameters) error {
	_, name, err := q.objectName()
	if err != nil {
		return err
	}
	if p.Fields.Empty() {
		p.Fields, err = apimeta.ParseFieldSelector("metadata.name=" + route.EscapeFieldValue(name))
		return err
	}
	if selected, ok := p.Fields.Exact("metadata.name"); !ok || selected != name {
		return status.BadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return nil
}
