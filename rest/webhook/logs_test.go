package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/requestlog"
	"github.com/decorum-go/decorum/rest/webhook"
	"github.com/decorum-go/decorum/status"
)

// buffer is a log that several goroutines write.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Whatever a webhook or a hook says to the client about an object, the lines of the log name the webhook, the code and
// the reason, and quote nothing.
func TestNoLogQuotesAnObject(t *testing.T) {
	const planted = "pl4nted"
	refusing := func(code int, reason string) func(*world) {
		return func(w *world) {
			w.answers("/bad", func(request) response {
				return response{"allowed": false, "status": map[string]any{"code": code, "message": "no " + planted,
					"reason": reason, "details": map[string]any{"causes": []any{map[string]any{
						"field": "spec.material", "message": planted}}}}}
			})
		}
	}
	saying := func(text string) func(*world) {
		return func(w *world) {
			w.handle("/bad", func(out http.ResponseWriter, _ *http.Request) {
				_, _ = out.Write([]byte(text))
			})
		}
	}
	patching := func(patch string) func(*world) {
		return func(w *world) { w.answers("/bad", patched(patch)) }
	}
	refused := status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "gears"}, "a", "no "+planted)
	invalid := status.Invalid(apimeta.GroupKind{Group: "example.com", Kind: "Gear"}, "a", status.FieldErrors{
		status.InvalidField(status.NewPath("spec").Child("material"), planted, "no "+planted)})
	for _, c := range []struct {
		name    string
		webhook func(*world)
		mutates bool
		more    string
		hook    error
		code    int
		want    string // a text that the log must contain
	}{
		{name: "webhook refuses", webhook: refusing(403, "Forbidden"), code: 403},
		{name: "webhook refuses with 500", webhook: refusing(500, "InternalError"), code: 500,
			want: `admission webhook \"bad.example.com\" denied the request with code 500`},
		{name: "webhook refuses with 503", webhook: refusing(503, "ServiceUnavailable"), code: 503,
			want: `level=WARN msg="request refused"`},
		{name: "webhook fails", code: 500, want: "500 Internal Server Error", webhook: func(w *world) {
			w.handle("/bad", func(out http.ResponseWriter, _ *http.Request) { http.Error(out, planted, 500) })
		}},
		{name: "webhook answers text", webhook: saying(planted), code: 500, want: "not JSON"},
		{name: "webhook answers another question", code: 500, want: `webhook \"bad.example.com\" gave an invalid answer`,
			webhook: func(w *world) {
				w.answers("/bad", func(request) response { return response{"uid": planted, "allowed": true} })
			}},
		{name: "webhook is ignored", more: `"failurePolicy":"Ignore"`, code: 201,
			want: `a webhook failed, and its failure policy is Ignore`, webhook: func(w *world) {
				w.answers("/bad", func(request) response { return response{"uid": planted, "allowed": true} })
			}},
		{name: "patch does not apply", mutates: true, code: 500, want: `gave an invalid answer`,
			webhook: patching(`[{"op":"test","path":"/spec/material","value":"` + planted + `2"}]`)},
		{name: "patch is invalid", mutates: true, code: 500, want: `gave an invalid answer`,
			webhook: patching(`[{"op":"` + planted + `"}]`)},
		{name: "hook refuses", hook: refused, code: 403},
		{name: "hook finds a fault", hook: invalid, code: 422},
		{name: "hook refuses in its own words", hook: errors.New("no " + planted), code: 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := &buffer{}
			logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			lines := requestlog.New(requestlog.Options{Logger: logger, Level: slog.LevelDebug, Slow: 1})
			options := rest.Options{Logger: logger, Plugins: []rest.Plugin{lines}}
			if c.hook != nil {
				options.Admission = []admission.Hook{{Name: "hook.example.com", Resources: []string{"gears.example.com"},
					Validate: func(context.Context, *admission.Request) error { return c.hook }}}
			}
			w := newWorldWith(t, webhook.Options{Logger: logger}, options)
			if c.webhook != nil {
				c.webhook(w)
				register := w.validating
				if c.mutates {
					register = w.mutating
				}
				register("bad", hook{path: "/bad", more: c.more})
			}
			a := w.do("POST", gears, gear("a", `"material":"`+planted+`"`))
			require.Equal(t, c.code, a.code, "%v", a.body)
			assert.Equal(t, 1, strings.Count(log.String(), " resource=gears.example.com "), "one line: %s", log.String())
			assert.Contains(t, log.String(), c.want)
			assert.NotContains(t, log.String(), planted)
		})
	}
}
