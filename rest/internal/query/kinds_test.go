package query_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Crate is the kind of these tests, as it is stored.
type Crate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec CrateSpec `json:"spec"`
}

type CrateSpec struct {
	Color string `json:"color,omitempty"`
	Size  *int64 `json:"size,omitempty"`
}

// OldCrate has other names for the fields, and counts in tens.
type OldCrate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec OldCrateSpec `json:"spec"`
}

type OldCrateSpec struct {
	Paint string `json:"paint,omitempty"`
	Tens  *int64 `json:"tens,omitempty"`
}

const (
	crates    = "/apis/example.com/v1/namespaces/a/crates"
	allCrates = "/apis/example.com/v1/crates"
	oldCrates = "/apis/example.com/v1beta1/crates"
)

func crateResource() rest.Resource[Crate] {
	return rest.Resource[Crate]{
		Group: "example.com", Version: "v1", Plural: "crates",
		SelectableFields: []string{"spec.color", "spec.size"}, IndexedLabels: []string{"tier"},
		Versions: []rest.VersionOf[Crate]{rest.Converted(
			rest.Resource[OldCrate]{Version: "v1beta1", SelectableFields: []string{"spec.tens", "spec.paint"}},
			func(in *OldCrate, out *Crate) error {
				out.Spec.Color = in.Spec.Paint
				if in.Spec.Tens != nil {
					size := 10 * *in.Spec.Tens
					out.Spec.Size = &size
				}
				return nil
			},
			func(in *Crate, out *OldCrate) error {
				out.Spec.Paint = in.Spec.Color
				if in.Spec.Size != nil {
					tens := *in.Spec.Size / 10
					out.Spec.Tens = &tens
				}
				return nil
			})},
	}
}

// newCrates starts an API whose clients may query.
func newCrates(t testing.TB, options rest.Options) *rest.API {
	t.Helper()
	if options.Queries == nil {
		options.Queries = &rest.Queries{}
	}
	return apitest.New(t, options, crateResource())
}

// crate returns the body of a crate. An empty color and a size below 0 are absent.
func crate(name, color string, size int64, labels string) string {
	var spec CrateSpec
	if spec.Color = color; size >= 0 {
		spec.Size = &size
	}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":%q,"labels":{%s}},"spec":%s}`,
		name, labels, text)
}

// fill creates six crates in the namespaces a and b.
func fill(t testing.TB, api *rest.API) {
	t.Helper()
	for _, c := range []struct {
		namespace, name, color string
		size                   int64
		labels                 string
	}{
		{"a", "web-1", "red", 9, `"tier":"gold","app":"web"`},
		{"a", "web-2", "blue", 10, `"tier":"gold"`},
		{"a", "db-1", "red", 100, `"app":"db"`},
		{"a", "bare", "", -1, ""},
		{"b", "web-1", "dark red", 9, `"tier":"iron","app":"web"`},
		{"b", "web-3", "blue", 0, ""},
	} {
		apitest.Must(t, api, "POST", "/apis/example.com/v1/namespaces/"+c.namespace+"/crates",
			crate(c.name, c.color, c.size, c.labels))
	}
}

// with adds parameters to a path.
func with(path string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	return path + "?" + query.Encode()
}

// found returns the objects of a list, as namespace/name.
func found(t testing.TB, a apitest.Answer) (names []string) {
	t.Helper()
	require.Equal(t, 200, a.Code, a.Raw)
	var list struct {
		Items []apimeta.PartialObjectMetadata `json:"items"`
	}
	a.Decode(t, &list)
	for _, item := range list.Items {
		names = append(names, item.Namespace+"/"+item.Name)
	}
	return names
}
