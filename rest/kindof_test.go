package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestKindOf(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.CogResource(),
		rest.Resource[apitest.Sum]{Group: "example.com", Version: "v1", Plural: "sums", Names: rest.Names{Kind: "Total"}},
		rest.Resource[apitest.Thing]{Group: "example.com", Version: "v1", Plural: "trials"},
		rest.Resource[apitest.Thing]{Group: "example.com", Version: "v1", Plural: "retrials",
			Names: rest.Names{Kind: "Retrial"}})
	for _, c := range []struct {
		obj  any
		want string
	}{
		{&apitest.Cog{}, "example.com/v1, Kind=Cog"}, {&apitest.CogV1beta1{}, "example.com/v1beta1, Kind=Cog"},
		{&apitest.Sum{}, "example.com/v1, Kind=Total"}, {(*apitest.Sum)(nil), "example.com/v1, Kind=Total"},
		{&apitest.Thing{}, ""}, {&apitest.Widget{}, ""}, {apitest.Sum{}, ""}, {nil, ""}, {1, ""},
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
