package front_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

var randomAuditID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Each answer names its request, also one that refuses it.
func TestEachAnswerHasAnAuditID(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	seen := map[string]bool{}
	for _, c := range []struct {
		method, target, body string
		code                 int
	}{
		{"GET", apitest.Widgets + "/a", "", 200},
		{"GET", apitest.Widgets, "", 200},
		{"GET", apitest.Widgets + "/none", "", 404},
		{"GET", "/nowhere", "", 404},
		{"GET", "/livez", "", 200},
		{"GET", "/version", "", 200},
		{"GET", "/openapi/v3", "", 200},
		{"GET", "/apis", "", 200},
		{"POST", apitest.Widgets, "{", 400},
		{"DELETE", apitest.Widgets + "/a", "", 200},
	} {
		w := apitest.NewRecorder()
		api.ServeHTTP(w, apitest.NewRequest(c.method, c.target, apitest.TextOf(c.body)))
		assert.Equal(t, c.code, w.Code, c.target)
		ids := w.Header().Values("Audit-ID")
		if assert.Len(t, ids, 1, c.target) {
			assert.Regexp(t, randomAuditID, ids[0])
			assert.False(t, seen[ids[0]], "each request has its own")
			seen[ids[0]] = true
		}
	}
	w := apitest.NewRecorder()
	api.Error(w, apitest.NewRequest("GET", apitest.Widgets, nil), status.TooManyRequests("wait", 1))
	assert.Regexp(t, randomAuditID, w.Header().Get("Audit-ID"), "the host's middleware refuses")
}

// A client may name its request, within bounds. So may the host's middleware.
func TestAuditIDOfTheClient(t *testing.T) {
	api := apitest.NewWidgets(t)
	idOf := func(h http.Handler, sent string) []string {
		w := apitest.NewRecorder()
		h.ServeHTTP(w, apitest.NewRequest("GET", apitest.Widgets, nil, "Audit-ID", sent))
		return w.Header().Values("Audit-ID")
	}
	for _, kept := range []string{"a", "from a proxy: 1/2", strings.Repeat("x", 64)} {
		assert.Equal(t, []string{kept}, idOf(api, kept))
	}
	for _, replaced := range []string{"", strings.Repeat("x", 65), "a\tb", "ä", "\x7f"} {
		assert.Regexp(t, randomAuditID, idOf(api, replaced)[0], "%q", replaced)
	}
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Audit-ID", "of the host")
		api.ServeHTTP(w, r)
	})
	assert.Equal(t, []string{"of the host"}, idOf(middleware, "of the client"))
}

// The log names the request that has failed.
func TestFailuresAreLoggedWithTheirAuditID(t *testing.T) {
	var log strings.Builder
	options := rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	api := apitest.New(t, options,
		apitest.WidgetResource(apitest.WithDefault(func(context.Context, *apitest.Widget) error {
			return errors.New("the disk is full")
		})))
	assert.Equal(t, 500, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`), "Audit-ID",
		"find-me").Code)
	assert.Contains(t, log.String(), "auditID=find-me")
	log.Reset()
	w := httptest.NewRecorder()
	api.Error(w, apitest.NewRequest("GET", apitest.Widgets, nil), errors.New("the disk is full"))
	assert.Contains(t, log.String(), "auditID="+w.Header().Get("Audit-ID"))

	log.Reset()
	options.Authenticator = access.AuthenticatorFunc(func(*http.Request) (*access.Identity,
		error) {
		return nil, errors.New("unknown token")
	})
	assert.Equal(t, 401, apitest.Do(t, apitest.New(t, options, apitest.WidgetResource()), "GET", apitest.Widgets, "",
		"Audit-ID", "find-me-too").Code)
	assert.Contains(t, log.String(), "auditID=find-me-too")
}
