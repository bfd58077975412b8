package apimeta_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

func TestParseGroupVersion(t *testing.T) {
	tests := []struct {
		text string
		want apimeta.GroupVersion
		back string
		err  string
	}{
		{text: "", back: ""},
		{text: "/", back: ""},
		{text: "v1", want: apimeta.GroupVersion{Version: "v1"}, back: "v1"},
		{text: "/v1", want: apimeta.GroupVersion{Version: "v1"}, back: "v1"},
		{text: "example.com/v1", want: apimeta.GroupVersion{Group: "example.com", Version: "v1"}, back: "example.com/v1"},
		{text: "example.com/", want: apimeta.GroupVersion{Group: "example.com"}, back: "example.com/"},
		{text: "a/b/c", err: "unexpected GroupVersion string: a/b/c"},
		{text: "//", err: "unexpected GroupVersion string: //"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := apimeta.ParseGroupVersion(tt.text)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.back, got.String())
		})
	}
}

func TestIdentities(t *testing.T) {
	gv := apimeta.GroupVersion{Group: "example.com", Version: "v1"}
	gvk, gvr := gv.WithKind("Widget"), gv.WithResource("widgets")
	core := apimeta.GroupVersion{Version: "v1"}

	tests := []struct{ name, got, want string }{
		{"kind", gvk.String(), "example.com/v1, Kind=Widget"},
		{"core kind", core.WithKind("Event").String(), "/v1, Kind=Event"},
		{"resource", gvr.String(), "example.com/v1, Resource=widgets"},
		{"group kind", gvk.GroupKind().String(), "Widget.example.com"},
		{"core group kind", core.WithKind("ConfigMap").GroupKind().String(), "ConfigMap"},
		{"group resource", gvr.GroupResource().String(), "widgets.example.com"},
		{"core group resource", core.WithResource("configmaps").GroupResource().String(), "configmaps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.got) })
	}

	assert.Equal(t, gv, gvk.GroupVersion())
	assert.Equal(t, gv, gvr.GroupVersion())
	assert.Equal(t, gvk, gvk.GroupKind().WithVersion("v1"))
	assert.Equal(t, gvr, gvr.GroupResource().WithVersion("v1"))
	for _, gk := range []apimeta.GroupKind{gvk.GroupKind(), {Kind: "ConfigMap"}, {}} {
		assert.Equal(t, gk, apimeta.ParseGroupKind(gk.String()))
	}
	for _, gr := range []apimeta.GroupResource{gvr.GroupResource(), {Resource: "configmaps"}, {}} {
		assert.Equal(t, gr, apimeta.ParseGroupResource(gr.String()))
	}
}
