package apimeta_test

import (
	"encoding/json"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

type widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

func ptr[T any](v T) *T { return &v }

func fullMeta() apimeta.ObjectMeta {
	at := apimeta.NewTime(time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC))
	return apimeta.ObjectMeta{
		Name: "a", GenerateName: "a-", Namespace: "ns", SelfLink: "/x", UID: "u-1", ResourceVersion: "7", Generation: 2,
		CreationTimestamp: at, DeletionTimestamp: &at, DeletionGracePeriodSeconds: ptr[int64](30),
		Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"n": "2"},
		OwnerReferences: []apimeta.OwnerReference{{APIVersion: "v1", Kind: "K", Name: "o", UID: "u-2", Controller: ptr(true),
			BlockOwnerDeletion: ptr(false)}},
		Finalizers: []string{"example.com/f"},
		ManagedFields: []apimeta.ManagedFieldsEntry{{Manager: "m", Operation: apimeta.ManagedFieldsApply, APIVersion: "v1",
			Time: &at, FieldsType: "FieldsV1", FieldsV1: &apimeta.FieldsV1{Raw: []byte(`{"f:spec":{}}`)},
			Subresource: "status"}},
	}
}

const fullMetaJSON = `{"name":"a","generateName":"a-","namespace":"ns","selfLink":"/x","uid":"u-1","resourceVersion":"7","generation":2,` +
	`"creationTimestamp":"2024-05-06T07:08:09Z","deletionTimestamp":"2024-05-06T07:08:09Z","deletionGracePeriodSeconds":30,` +
	`"labels":{"l":"1"},"annotations":{"n":"2"},` +
	`"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u-2","controller":true,"blockOwnerDeletion":false}],` +
	`"finalizers":["example.com/f"],` +
	`"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","time":"2024-05-06T07:08:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},"subresource":"status"}]}`

func TestObjectOnTheWire(t *testing.T) {
	tests := []struct {
		name   string
		object widget
		want   string
	}{
		{"empty", widget{}, `{"metadata":{}}`},
		{"full", widget{TypeMeta: apimeta.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, ObjectMeta: fullMeta()},
			`{"kind":"Widget","apiVersion":"example.com/v1","metadata":` + fullMetaJSON + `}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := json.Marshal(tt.object)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(data))

			var back widget
			require.NoError(t, json.Unmarshal(data, &back))
			assert.Equal(t, tt.object, back)
		})
	}
}

func TestObjectThroughJSONv2(t *testing.T) {
	want := widget{TypeMeta: apimeta.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, ObjectMeta: fullMeta()}
	data, err := jsonv2.Marshal(want)
	require.NoError(t, err)
	assert.Equal(t, `{"kind":"Widget","apiVersion":"example.com/v1","metadata":`+fullMetaJSON+`}`, string(data))

	var got widget
	require.NoError(t, jsonv2.Unmarshal(data, &got))
	assert.Equal(t, want, got)
}

func TestFieldsV1(t *testing.T) {
	t.Run("empty is null", func(t *testing.T) {
		data, err := json.Marshal(apimeta.FieldsV1{})
		require.NoError(t, err)
		assert.Equal(t, "null", string(data))
	})
	t.Run("keeps a copy", func(t *testing.T) {
		data := []byte(`{"f:a":{}}`)
		var f apimeta.FieldsV1
		require.NoError(t, f.UnmarshalJSON(data))
		data[2] = 'x'
		assert.Equal(t, `{"f:a":{}}`, string(f.Raw))
	})
	t.Run("null changes nothing", func(t *testing.T) {
		f := apimeta.FieldsV1{Raw: []byte(`{}`)}
		require.NoError(t, f.UnmarshalJSON([]byte("null")))
		assert.Equal(t, `{}`, string(f.Raw))
	})
	t.Run("nil", func(t *testing.T) {
		assert.Error(t, (*apimeta.FieldsV1)(nil).UnmarshalJSON([]byte("{}")))
	})
}

func TestCloneSharesNothing(t *testing.T) {
	original := fullMeta()
	clone := original.Clone()
	require.Equal(t, original, clone)

	clone.DeletionTimestamp.Time = time.Time{}
	*clone.DeletionGracePeriodSeconds = 0
	clone.Labels["l"] = "changed"
	clone.Annotations["n"] = "changed"
	*clone.OwnerReferences[0].Controller = false
	*clone.OwnerReferences[0].BlockOwnerDeletion = true
	clone.OwnerReferences[0].Name = "changed"
	clone.Finalizers[0] = "changed"
	clone.ManagedFields[0].Time.Time = time.Time{}
	clone.ManagedFields[0].FieldsV1.Raw[0] = '!'
	clone.ManagedFields[0].Manager = "changed"
	assert.Equal(t, fullMeta(), original)

	assert.Equal(t, apimeta.ObjectMeta{}, apimeta.ObjectMeta{}.Clone(), "nil members stay nil")
}

func TestTypeMetaGroupVersionKind(t *testing.T) {
	tests := []struct {
		meta apimeta.TypeMeta
		want apimeta.GroupVersionKind
	}{
		{apimeta.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"},
			apimeta.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}},
		{apimeta.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, apimeta.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}},
		{apimeta.TypeMeta{Kind: "Odd", APIVersion: "a/b/c"}, apimeta.GroupVersionKind{Kind: "Odd"}},
		{apimeta.TypeMeta{}, apimeta.GroupVersionKind{}},
	}
	for _, tt := range tests {
		got := tt.meta.GroupVersionKind()
		assert.Equal(t, tt.want, got)
		if tt.want.Version != "" {
			assert.Equal(t, tt.meta, got.TypeMeta())
		}
	}
}

func TestFinalizers(t *testing.T) {
	var m apimeta.ObjectMeta
	assert.False(t, m.HasFinalizer("example.com/a"))
	assert.False(t, m.RemoveFinalizer("example.com/a"))
	assert.True(t, m.AddFinalizer("example.com/a"))
	assert.False(t, m.AddFinalizer("example.com/a"), "it has it already")
	assert.True(t, m.AddFinalizer("example.com/b"))
	shared := m // a reader of a cache may hold it
	assert.True(t, m.HasFinalizer("example.com/a"))
	assert.True(t, m.RemoveFinalizer("example.com/a"))
	assert.False(t, m.RemoveFinalizer("example.com/a"))
	assert.Equal(t, []string{"example.com/b"}, m.Finalizers)
	assert.Equal(t, []string{"example.com/a", "example.com/b"}, shared.Finalizers)
	m.Finalizers = []string{"example.com/c", "example.com/b", "example.com/c"}
	assert.True(t, m.RemoveFinalizer("example.com/c"))
	assert.Equal(t, []string{"example.com/b"}, m.Finalizers)
}
