package hostile_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Error messages about malformed requests do not depend on another library.
func TestMessagesAboutMalformedRequests(t *testing.T) {
	api := apitest.Start(t, rest.Options{}, apitest.ThingResource())
	token := func(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }
	const invalidToken = "invalid continue token: continue key is not valid: "
	for _, tt := range []struct{ query, message string }{
		{"continue=%21", invalidToken + "illegal base64 data at input byte 0"},
		{"continue=" + token(`[]`), invalidToken +
			"json: cannot unmarshal array into Go value of type storage.continueToken"},
		{"continue=" + token(`{"v":1}`),
			invalidToken + "json: cannot unmarshal number into Go struct field continueToken.v of type string"},
		{"continue=" + token(`{`), invalidToken + "unexpected end of JSON input"},
		{"limit=x", `strconv.ParseInt: parsing "x": invalid syntax`},
		{"resourceVersion=x", `invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`},
		{"timeout=x", `invalid timeout specified in the request URL - time: invalid duration "x"`},
		{"a=%zz", `the query cannot be parsed: invalid URL escape "%zz"`},
	} {
		t.Run(tt.query, func(t *testing.T) {
			r := &http.Request{Method: "GET", URL: &url.URL{Path: apitest.Things, RawQuery: tt.query}, Header: http.Header{}}
			w := apitest.Ask(api, r)
			assert.Equal(t, http.StatusBadRequest, w.Code)
			assert.Equal(t, tt.message, apitest.StatusOf(t, w).Message)
		})
	}
}
