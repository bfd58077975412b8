package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Bread is the kind of docs/kinds.md: it has a field for every tag.
type Bread struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   BreadSpec   `json:"spec"`
	Status BreadStatus `json:"status,omitzero"`
}

type BreadSpec struct {
	BreadText   `json:",inline"`
	BreadNumber `json:",inline"`
	BreadLists  `json:",inline"`
	BreadAny    `json:",inline"`
	BreadFixed  `json:",inline"`
	Oven        *Oven `json:"oven,omitempty"`
}

type BreadText struct {
	Baker   string `json:"baker"`
	Taster  string `json:"taster,omitempty"`
	Label   string `json:"label,omitempty" api:"minLength=2,maxLength=20,pattern='^[a-z ]+$'"`
	Flour   string `json:"flour,omitempty" api:"enum=wheat|rye|spelt,default=wheat"`
	Website string `json:"website,omitempty" api:"format=uri"`
}

type BreadNumber struct {
	Loaves   int32   `json:"loaves,omitempty" api:"default=1,min=1,max=500"`
	Dozens   int32   `json:"dozens,omitempty" api:"multipleOf=12"`
	Weight   float64 `json:"weight,omitempty" api:"min=0,exclusiveMin"`
	Crumbs   int64   `json:"crumbs,omitempty" api:"safeInteger"`
	Optional int32   `json:"slices" api:"optional"`
	Minutes  *int32  `json:"minutes,omitempty" api:"required"`
}

type BreadLists struct {
	Allergens []string          `json:"allergens,omitempty" api:"list=set,maxItems=10,items.maxLength=30"`
	Layers    []Layer           `json:"layers,omitempty" api:"list=map,key=name,minItems=1"`
	Steps     []string          `json:"steps,omitempty" api:"list=atomic"`
	Notes     map[string]string `json:"notes,omitempty" api:"maxProperties=5,values.maxLength=100"`
	Box       *Box              `json:"box,omitempty" api:"map=atomic,default='{\"size\":\"S\"}'"`
}

type Layer struct {
	Name  string `json:"name"`
	Grams int32  `json:"grams,omitempty" api:"default=100"`
}

type Box struct {
	Size string `json:"size,omitempty" api:"enum=S|M|L"`
}

type BreadAny struct {
	Port    json.RawMessage `json:"port,omitempty" api:"intOrString"`
	Remark  json.RawMessage `json:"remark,omitempty" api:"type=string,nullable"`
	Extra   map[string]any  `json:"extra,omitempty" api:"preserveUnknown"`
	Comment string          `json:"comment,omitempty" api:"doc='What customers should know, if anything.'"`
}

type BreadFixed struct {
	Recipe string `json:"recipe,omitempty" api:"immutable,default=plain"`
}

type Oven struct {
	Type  string `json:"type" api:"discriminator,enum=Stone|Gas"`
	Stone *Stone `json:"stone,omitempty" api:"member"`
	Gas   *Flame `json:"gas,omitempty" api:"member=Gas"`
}

type Stone struct {
	Logs int32 `json:"logs,omitempty"`
}

type Flame struct {
	Level int32 `json:"level,omitempty" api:"min=1,max=9"`
}

type BreadStatus struct {
	Baked      int32               `json:"baked,omitempty"`
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

// breads declares the resource with all its hooks.
func breads() rest.Resource[Bread] {
	return rest.Resource[Bread]{
		Group: "bakery.example.com", Version: "v1", Plural: "breads",
		Names:       rest.Names{Short: []string{"br"}, Categories: []string{"all"}},
		Description: "Bread is baked to order.",
		Columns: []rest.Column{{Name: "Flour", Path: ".spec.flour"},
			{Name: "Loaves", Type: "integer", Path: ".spec.loaves"}},
		SelectableFields: []string{"spec.flour"},
		Hooks: rest.Hooks[Bread]{
			Default: func(_ context.Context, b *Bread) error {
				if b.Spec.Taster == "" {
					b.Spec.Taster = b.Spec.Baker
				}
				return nil
			},
			Prepare: func(_ context.Context, b, old *Bread) error {
				if old == nil {
					b.Status.Conditions = []apimeta.Condition{{Type: "Baked", Status: "False", Reason: "Ordered",
						LastTransitionTime: b.CreationTimestamp}}
				}
				return nil
			},
			Validate: func(_ context.Context, b, old *Bread) (status.FieldErrors, error) {
				var errs status.FieldErrors
				if b.Spec.Flour == "rye" && b.Spec.Minutes != nil && *b.Spec.Minutes < 40 {
					errs = append(errs, status.InvalidField(status.NewPath("spec", "minutes"), *b.Spec.Minutes,
						"must be at least 40 for rye"))
				}
				if old != nil && b.Spec.Loaves < old.Spec.Loaves {
					errs = append(errs, status.ForbiddenField(status.NewPath("spec", "loaves"), "may not shrink"))
				}
				return errs, nil
			},
			ValidateDelete: func(_ context.Context, b *Bread) error {
				if b.Status.Baked > 0 {
					return status.Forbidden(apimeta.GroupResource{Group: "bakery.example.com", Resource: "breads"}, b.Name,
						"it is in the oven")
				}
				return nil
			},
		},
	}
}

// All that is wrong with an object is said at once, each cause at its field.
func ExampleResource_tags() {
	api, err := rest.New(rest.Options{}, breads())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Bread](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")

	bread := &Bread{ObjectMeta: apimeta.ObjectMeta{Name: "wrong"}, Spec: BreadSpec{
		BreadText:  BreadText{Flour: "oat", Website: "nowhere", Label: "?"},
		BreadLists: BreadLists{Allergens: []string{"nuts", "nuts"}},
		Oven:       &Oven{Type: "Stone", Gas: &Flame{Level: 12}},
	}}
	_, err = client.Create(context.Background(), bread)
	var refused *status.Error
	if errors.As(err, &refused) {
		for _, cause := range refused.Status.Details.Causes {
			fmt.Println(cause.Field + ": " + cause.Message)
		}
	}
	// Output:
	// spec.flour: Unsupported value: "oat": supported values: "wheat", "rye", "spelt"
	// spec.label: Invalid value: "?": spec.label in body should be at least 2 chars long
	// spec.oven.gas.level: Invalid value: 12: spec.oven.gas.level in body should be less than or equal to 9
	// spec.oven.gas: Invalid value: "": may only be specified when `type` is "Gas"
	// spec.oven.stone: Invalid value: "": must be specified when `type` is "Stone"
	// spec.website: Invalid value: "nowhere": spec.website in body must be of type uri: "nowhere"
	// spec.minutes: Required value
	// spec.allergens[1]: Duplicate value: "nuts"
}

// Defaults come from the tags, then from the hook; the first status comes from Prepare.
func ExampleResource_hooks() {
	api, err := rest.New(rest.Options{}, breads())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	ctx := context.Background()
	client, err := rest.ClientForType[Bread](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")

	minutes := int32(50)
	bread, err := client.Create(ctx, &Bread{ObjectMeta: apimeta.ObjectMeta{Name: "loaf"}, Spec: BreadSpec{
		BreadText: BreadText{Baker: "ada"}, BreadNumber: BreadNumber{Minutes: &minutes},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bread.Spec.Flour, bread.Spec.Loaves, bread.Spec.Taster, bread.Spec.Box.Size,
		bread.Status.Conditions[0].Reason)

	bread.Spec.Flour = "rye"
	*bread.Spec.Minutes = 20
	_, err = client.Update(ctx, bread)
	fmt.Println(err)

	bread.Status.Baked = 1
	*bread.Spec.Minutes = 50
	if _, err = client.UpdateStatus(ctx, bread); err != nil {
		log.Fatal(err)
	}
	err = client.Delete(ctx, "loaf", rest.DeleteOptions{})
	fmt.Println(strings.TrimPrefix(err.Error(), "breads.bakery.example.com "))
	// Output:
	// wheat 1 ada S Ordered
	// Bread.bakery.example.com "loaf" is invalid: spec.minutes: Invalid value: 20: must be at least 40 for rye
	// "loaf" is forbidden: it is in the oven
}

// BreadOrder supports Protobuf, because its fields have protobuf tags.
type BreadOrder struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec BreadOrderSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

type BreadOrderSpec struct {
	Loaves int32        `json:"loaves,omitempty" protobuf:"varint,1,opt,name=loaves"`
	Due    apimeta.Time `json:"due" protobuf:"bytes,2,opt,name=due"`
	Notes  []string     `json:"notes,omitempty" protobuf:"bytes,3,rep,name=notes"`
}

// The API answers in Protobuf if the client accepts it.
func Example_protobuf() {
	api, err := rest.New(rest.Options{},
		rest.Resource[BreadOrder]{Group: "bakery.example.com", Version: "v1", Plural: "breadorders"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	request := httptest.NewRequest(http.MethodGet, "/apis/bakery.example.com/v1/breadorders", nil)
	request.Header.Set("Accept", "application/vnd.kubernetes.protobuf,application/json")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	fmt.Println(answer.Header().Get("Content-Type"))
	// Output: application/vnd.kubernetes.protobuf
}
