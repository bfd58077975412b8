package front

import (
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
)

// count answers a list with the parameter facets.
func (q *request) count(rep *media.Representation, namespace string, p *resource.ListParameters) error {
	if rep.Media == media.Protobuf || rep.Form == media.AsPartial {
		return status.NotAcceptable([]string{media.JSON, media.YAML})
	}
	loan := q.lend()
	defer loan.Release()
	counts, err := q.res.Service.Count(q.caller(q.r.Context()), namespace, service.Parsed(p), &loan)
	if err != nil {
		return err
	}
	var answer any = counts
	if rep.Form == media.AsTable {
		answer = tableOf(counts, rep.MetaVersion)
	}
	body, err := codec.EncodeOwn(answer)
	if err != nil {
		return err
	}
	loan.Keep(int64(len(body)))
	return q.writeJSON(http.StatusOK, rep, body)
}

// tableOf shows counts as a Table with a row for each value.
func tableOf(counts *queries.Counts, metaVersion string) *apimeta.Table {
	t := &apimeta.Table{
		TypeMeta: apimeta.TypeMeta{APIVersion: "meta.k8s.io/" + metaVersion, Kind: "Table"}, ListMeta: counts.ListMeta,
		ColumnDefinitions: []apimeta.TableColumnDefinition{
			{Name: "Field", Type: "string", Description: "The field whose values are counted."},
			{Name: "Value", Type: "string", Description: "A value, <none> for objects without the field, or <others>."},
			{Name: "Count", Type: "integer", Description: "How many objects have the value."},
		},
		Rows: []apimeta.TableRow{},
	}
	add := func(field, value string, count int64) {
		if count > 0 {
			t.Rows = append(t.Rows, apimeta.TableRow{Cells: []any{field, value, count}})
		}
	}
	for _, f := range counts.Facets {
		for _, v := range f.Values {
			add(f.Field, v.Value, v.Count)
		}
		add(f.Field, "<none>", f.Absent)
		add(f.Field, "<others>", f.Others)
	}
	return t
}
