package oldfiles_test

import (
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Shelf is a kind as the files store it.
type Shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		WidthMillimeters int32  `json:"widthMillimeters" api:"min=1"`
		Wood             string `json:"wood,omitempty" api:"default=oak"`
	} `json:"spec"`
}

// ShelfV1beta1 is the kind in its other version.
type ShelfV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		WidthCm int32  `json:"widthCm" api:"min=1"`
		Wood    string `json:"wood,omitempty" api:"default=oak"`
	} `json:"spec"`
}

func shelves() rest.Definition {
	return rest.Resource[Shelf]{
		Group: "library.example.com", Version: "v1", Plural: "shelves",
		SelectableFields: []string{"spec.wood"},
		Versions: []rest.VersionOf[Shelf]{
			rest.Converted(rest.Resource[ShelfV1beta1]{Version: "v1beta1"},
				func(in *ShelfV1beta1, out *Shelf) error {
					out.Spec.WidthMillimeters, out.Spec.Wood = 10*in.Spec.WidthCm, in.Spec.Wood
					return nil
				},
				func(in *Shelf, out *ShelfV1beta1) error {
					out.Spec.WidthCm, out.Spec.Wood = in.Spec.WidthMillimeters/10, in.Spec.Wood
					return nil
				}),
		},
	}
}

// Notice is a kind whose objects expire.
type Notice struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Text string `json:"text"`
}

func notices() rest.Definition {
	return rest.Resource[Notice]{Group: "library.example.com", Version: "v1", Plural: "notices", TimeToLive: time.Hour}
}
