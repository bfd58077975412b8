package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

func TestKindOf(t *testing.T) {
	api := newAPI(t, rest.Options{}, diskResource(), rest.Resource[Sum]{Group: "example.com", Version: "v1", Plural: "sums", Names: rest.Names{Kind: "Total"}},
		rest.Resource[Thing]{Group: "example.com", Version: "v1", Plural: "trials"}, rest.Resource[Thing]{Group: "example.com", Version: "v1", Plural: "retrials", Names: rest.Names{Kind: "Retrial"}})
	for _, c := range []struct {
		obj  any
		want string
	}{
		{&Disk{}, "example.com/v1, Kind=Disk"}, {&DiskV1beta1{}, "example.com/v1beta1, Kind=Disk"}, {&Sum{}, "example.com/v1, Kind=Total"}, {(*Sum)(nil), "example.com/v1, Kind=Total"},
		{&Thing{}, ""}, {&Widget{}, ""}, {Sum{}, ""}, {nil, ""}, {1, ""},
	} {
		gvk, ok := api.KindOf(c.obj)
		assert.Equal(t, c.want != "", ok, "%T", c.obj)
		if ok {
			assert.Equal(t, c.want, gvk.String())
		} else {
			assert.Equal(t, apimeta.GroupVersionKind{}, gvk)
		}
	}
}
