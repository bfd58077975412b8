package front_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A write ends with 504 when its time is up: that of the API, or a shorter one that the client asks for.
func TestRequestTimeout(t *testing.T) {
	tests := []struct {
		name  string
		limit time.Duration
		query string
		want  time.Duration
	}{
		{"default", 0, "", 60 * time.Second},
		{"option", 10 * time.Second, "", 10 * time.Second},
		{"longer option", 3 * time.Minute, "", 3 * time.Minute},
		{"shorter parameter", 10 * time.Second, "?timeout=2s", 2 * time.Second},
		{"longer parameter", 10 * time.Second, "?timeout=1h", 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.New(t, rest.Options{RequestTimeout: tt.limit},
					apitest.WidgetResource(apitest.WithDefault(func(ctx context.Context, _ *apitest.Widget) error {
						<-ctx.Done()
						return ctx.Err()
					})))
				began := time.Now()
				assert.Equal(t, 504, apitest.Do(t, api, "POST", apitest.Widgets+tt.query, apitest.WidgetBody(`"name":"a"`)).Code)
				assert.Equal(t, tt.want, time.Since(began))
				assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
			})
		})
	}
}
