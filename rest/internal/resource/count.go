package resource

import (
	"context"
	"sort"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// maxCounted is the length of the longest value that an answer names, in bytes. Longer ones are among the others.
const maxCounted = 4 << 10

// countedSize is about the memory that counting a value takes besides the value, in bytes: an entry in a map, one in a
// list, and the JSON around the value.
const countedSize = 200

// MaxEscaped is how many bytes of JSON a byte of a text can take.
const MaxEscaped = 6

// Count counts the selected objects by the values of the facets in the query. It takes the memory for the counts, and
// for their encoding in JSON, from the loan.
func (res *Resource) Count(ctx context.Context, namespace string, p ListParameters,
	loan *storage.Loan) (queries.Counts, error) {
	if p.Query == nil || len(p.Query.Facets) == 0 {
		return queries.Counts{}, status.BadRequest("facets is required: it names the fields whose values are counted")
	}
	records := BorrowRecords()
	defer ReturnRecords(records)
	page, err := res.List(ctx, namespace, p, *records)
	if err != nil {
		return queries.Counts{}, err
	}
	*records = page.Records
	of := page.Selected.Of // the resource may have been replaced
	if err := of.ShowAhead(ctx, page.Records); err != nil {
		return queries.Counts{}, err
	}
	counts := queries.Counts{
		TypeMeta: apimeta.TypeMeta{APIVersion: queries.APIVersion, Kind: "Counts"},
		ListMeta: apimeta.ListMeta{ResourceVersion: strconv.FormatUint(uint64(page.Revision), 10)},
		Total:    int64(len(page.Records)),
	}
	for _, field := range p.Query.Facets {
		facet, err := of.facet(ctx, field, page.Records, loan)
		if err != nil {
			return queries.Counts{}, err
		}
		counts.Facets = append(counts.Facets, facet)
	}
	return counts, nil
}

// facet counts the values of a field, the most frequent ones first.
func (res *Resource) facet(ctx context.Context, field string, records []*storage.Record,
	loan *storage.Loan) (queries.Facet, error) {
	f, err := res.queryField(field)
	if err != nil {
		return queries.Facet{}, err
	}
	facet := queries.Facet{Field: field, Values: []queries.ValueCount{}}
	found := map[string]int64{}
	for _, r := range records {
		shown, err := res.Show(ctx, r)
		if err != nil {
			return queries.Facet{}, err
		}
		value := f.of(shown)
		switch {
		case value == "":
			facet.Absent++
			continue
		case len(value) > maxCounted:
			facet.Others++
			continue
		}
		if found[value] == 0 {
			if err := loan.Take(int64(countedSize + MaxEscaped*len(value))); err != nil {
				return queries.Facet{}, err
			}
		}
		found[value]++
	}
	for value, count := range found {
		facet.Values = append(facet.Values, queries.ValueCount{Value: value, Count: count})
	}
	sort.Slice(facet.Values, func(i, j int) bool {
		a, b := facet.Values[i], facet.Values[j]
		return a.Count > b.Count || a.Count == b.Count && f.index.Compare(a.Value, b.Value) < 0
	})
	if most := res.Queries.MaxValues; len(facet.Values) > most {
		for _, v := range facet.Values[most:] {
			facet.Others += v.Count
		}
		facet.Values = facet.Values[:most]
	}
	return facet, nil
}
