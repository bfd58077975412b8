package main

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// The API refuses a widget that is too large and sets the default color. The controller brings a widget to its size
// even after a conflict.
func TestWidgetGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := resttest.New(t, widgets())
		client := resttest.Client[Widget](t, s.API)
		go func() {
			if err := newSizes(client).Run(s.UnderTest(t.Context())); err != nil {
				t.Error(err)
			}
		}()
		s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "widgets/status", Code: http.StatusConflict})

		ours := client.Namespace("default")
		widget := &Widget{ObjectMeta: apimeta.ObjectMeta{Name: "first"}, Spec: WidgetSpec{Size: 11}}
		if _, err := ours.Create(t.Context(), widget); !status.IsInvalid(err) {
			t.Fatalf("a widget of size 11: got error %v, want Invalid", err)
		}
		widget.Spec.Size = 3
		created, err := ours.Create(t.Context(), widget)
		if err != nil {
			t.Fatal(err)
		}
		if created.Spec.Color != "Red" {
			t.Errorf("color: got %q, want the default Red", created.Spec.Color)
		}
		grown := resttest.WaitFor(t, ours, "first", func(w *Widget) bool {
			return apimeta.IsConditionTrue(w.Status.Conditions, "Ready")
		})
		if *grown.Status.Size != 3 {
			t.Errorf("size: got %d, want 3", *grown.Status.Size)
		}
	})
}
