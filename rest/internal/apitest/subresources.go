package apitest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Paint is a subresource that shows and changes a part of a Widget.
type Paint struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PaintSpec `json:"spec"`
}

// PaintSpec is what Paint shows.
type PaintSpec struct {
	Color string `json:"color" api:"enum=red|green|blue|pink"`
	Coats int32  `json:"coats,omitempty" api:"default=1"`
}

// Restart is a subresource that does something.
type Restart struct {
	apimeta.TypeMeta `json:",inline"`
	Reason           string `json:"reason,omitempty"`
	Done             bool   `json:"done,omitempty"`
}

// WithSubresources gives Widgets the subresources paint and restart.
func WithSubresources(r *rest.Resource[Widget]) {
	r.Subresources = []rest.SubresourceOf[Widget]{
		rest.Subresource[Widget, Paint]{
			Name: "paint",
			Get: func(_ context.Context, w *Widget) (*Paint, error) {
				return &Paint{Spec: PaintSpec{Color: *w.Spec.Color, Coats: int32(len(w.Spec.Steps))}}, nil
			},
			Update: func(_ context.Context, w *Widget, p *Paint) error {
				w.Spec.Color, w.Status.Phase = &p.Spec.Color, "Ready"
				w.Spec.Steps = make([]string, p.Spec.Coats)
				return nil
			},
		},
		rest.Subresource[Widget, Restart]{
			Name: "restart", Group: "actions.example.com", Version: "v2", Kind: "RestartNow",
			Create: func(_ context.Context, w *Widget, r *Restart) (*Restart, error) {
				switch r.Reason {
				case "":
					return nil, nil
				case "never":
					return nil, status.Forbidden(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "never")
				case "panic":
					panic("boom")
				}
				return &Restart{Reason: r.Reason + " of " + w.Name, Done: true}, nil
			},
		},
	}
}
