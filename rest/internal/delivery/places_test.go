package delivery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Readers who wait for the conversion of one object share a call, but each holds a place. At most half of the places
// wait so, and one kind holds at most as many of that half as are free.
func TestHangingConversionsLeavePlaces(t *testing.T) {
	const places = 24
	hanging, release := make(chan struct{}, places), make(chan struct{})
	stored := apitest.Lanterns()
	other := rest.Resource[apimeta.Document]{Version: "v2",
		Schema: rest.Schema{OpenAPI: []byte(apitest.LanternSchema), Status: true}}
	stored.Schema.Convert = func(_ context.Context, objects []json.RawMessage, apiVersion string) ([]json.RawMessage,
		error) {
		hanging <- struct{}{}
		<-release
		return nil, fmt.Errorf("broken")
	}
	stored.Versions = []rest.VersionOf[apimeta.Document]{rest.Converted[apimeta.Document, apimeta.Document](other, nil,
		nil)}
	api := apitest.New(t, rest.Options{Limits: rest.Limits{MaxInFlight: places}}, stored)
	apitest.Must(t, api, "POST", apitest.LanternsPath,
		`{"apiVersion":"home.example.com/v1","kind":"Lantern","metadata":{"name":"a"}}`)
	codes := make(chan int, places)
	const v2 = "/apis/home.example.com/v2/namespaces/default/lanterns/a"
	for range places {
		go func() { codes <- apitest.Do(t, api, "GET", v2, "").Code }()
	}
	apitest.Within(t, "the conversion", hanging)
	for range places - places/4 {
		require.Equal(t, http.StatusServiceUnavailable, apitest.Within(t, "a reader too many", codes))
	}
	for range places {
		assert.Equal(t, http.StatusOK, apitest.Do(t, api, "GET", apitest.LanternsPath+"/a", "").Code)
	}
	close(release)
	for range places / 4 {
		assert.Equal(t, http.StatusInternalServerError, apitest.Within(t, "a reader that waited", codes))
	}
}
