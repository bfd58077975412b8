package apimeta_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

// The test compares every struct that a server answers with as a whole, which
// pins the names, the order and the presence of its members.
func TestAnswersOnTheWire(t *testing.T) {
	cidr := []apimeta.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: "h:1"}}
	version := apimeta.GroupVersionForDiscovery{GroupVersion: "example.com/v1", Version: "v1"}
	remaining := int64(3)
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"watch event", apimeta.WatchEvent{Type: apimeta.EventAdded, Object: json.RawMessage(`{"a":1}`)},
			`{"type":"ADDED","object":{"a":1}}`},
		{"table", apimeta.Table{
			TypeMeta: apimeta.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"},
			ListMeta: apimeta.ListMeta{ResourceVersion: "7", Continue: "c", RemainingItemCount: &remaining},
			ColumnDefinitions: []apimeta.TableColumnDefinition{{Name: "Name", Type: "string", Format: "name"},
				{Name: "Size", Type: "integer", Description: "d", Priority: 1}},
			Rows: []apimeta.TableRow{
				{Cells: []any{"a", 1}, Object: json.RawMessage(`{"kind":"PartialObjectMetadata"}`)},
				{Cells: []any{"b", nil}, Conditions: []apimeta.TableRowCondition{{Type: apimeta.RowCompleted,
					Status: apimeta.ConditionTrue}}},
			},
		}, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3},` +
			`"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0},{"name":"Size","type":"integer","format":"","description":"d","priority":1}],` +
			`"rows":[{"cells":["a",1],"object":{"kind":"PartialObjectMetadata"}},{"cells":["b",null],"conditions":[{"type":"Completed","status":"True"}],"object":null}]}`},
		{"later table of a watch", apimeta.Table{Rows: []apimeta.TableRow{}},
			`{"metadata":{},"columnDefinitions":null,"rows":[]}`},
		{"metadata list", apimeta.PartialObjectMetadataList{
			TypeMeta: apimeta.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"},
			Items:    []apimeta.PartialObjectMetadata{{ObjectMeta: apimeta.ObjectMeta{Name: "a"}}},
		}, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}`},
		{"/api", apimeta.APIVersions{TypeMeta: apimeta.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: cidr},
			`{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"h:1"}]}`},
		{"/apis", apimeta.APIGroupList{TypeMeta: apimeta.TypeMeta{Kind: "APIGroupList"}, Groups: []apimeta.APIGroup{
			{Name: "example.com", Versions: []apimeta.GroupVersionForDiscovery{version}, PreferredVersion: version},
		}},
			`{"kind":"APIGroupList","groups":[{"name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}]}`},
		{"/apis/group", apimeta.APIGroup{TypeMeta: apimeta.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: "example.com",
			Versions: []apimeta.GroupVersionForDiscovery{version}, PreferredVersion: version, ServerAddressByClientCIDRs: cidr},
			`{"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"},"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"h:1"}]}`},
		{"/apis/group/version", apimeta.APIResourceList{TypeMeta: apimeta.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: "example.com/v1",
			Resources: []apimeta.APIResource{
				{Name: "widgets", SingularName: "widget", Namespaced: true, Kind: "Widget", Verbs: []string{"get"},
					ShortNames: []string{"wd"}, Categories: []string{"all"}, StorageVersionHash: "h"},
				{Name: "widgets/scale", Namespaced: true, Group: "autoscaling", Version: "v1", Kind: "Scale",
					Verbs: []string{"get"}},
			}},
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[` +
				`{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["get"],"shortNames":["wd"],"categories":["all"],"storageVersionHash":"h"},` +
				`{"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get"]}]}`},
		{"aggregated discovery", apimeta.APIGroupDiscoveryList{
			TypeMeta: apimeta.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
			Items: []apimeta.APIGroupDiscovery{
				{},
				{Metadata: apimeta.APIGroupDiscoveryMeta{Name: "example.com"}, Versions: []apimeta.APIVersionDiscovery{{
					Version: "v1", Freshness: apimeta.FreshnessCurrent,
					Resources: []apimeta.APIResourceDiscovery{{
						Resource: "widgets", ResponseKind: &apimeta.GroupVersionKind{Kind: "Widget"}, Scope: apimeta.ScopeNamespaced,
						SingularResource: "widget", Verbs: []string{"get"}, ShortNames: []string{"wd"}, Categories: []string{"all"},
						Subresources: []apimeta.APISubresourceDiscovery{{Subresource: "scale",
							ResponseKind:  &apimeta.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
							AcceptedTypes: []apimeta.GroupVersionKind{{Group: "g", Version: "v", Kind: "k"}}, Verbs: []string{"get"}}},
					}},
				}}},
			},
		},
			`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{}},{"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[` +
				`{"resource":"widgets","responseKind":{"group":"","version":"","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":["get"],"shortNames":["wd"],"categories":["all"],` +
				`"subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"acceptedTypes":[{"group":"g","version":"v","kind":"k"}],"verbs":["get"]}]}],"freshness":"Current"}]}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.value)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
		})
	}
}

func TestDeleteOptionsFromABody(t *testing.T) {
	body := `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"u","resourceVersion":"1"},` +
		`"propagationPolicy":"Foreground","dryRun":["All"],"ignoreStoreReadErrorWithClusterBreakingPotential":true}`
	var got apimeta.DeleteOptions
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	want := apimeta.DeleteOptions{
		TypeMeta:           apimeta.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		GracePeriodSeconds: ptr[int64](0),
		Preconditions:      &apimeta.Preconditions{UID: ptr("u"), ResourceVersion: ptr("1")},
		PropagationPolicy:  ptr(apimeta.DeletePropagationForeground),
		DryRun:             []string{apimeta.DryRunAll},
		IgnoreStoreReadErrorWithClusterBreakingPotential: ptr(true),
	}
	assert.Equal(t, want, got)
	back, err := json.Marshal(want)
	require.NoError(t, err)
	assert.Equal(t, body, string(back))
}
