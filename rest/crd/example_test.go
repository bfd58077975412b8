package crd_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

type Lamp struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               LampSpec `json:"spec"`
}

type LampSpec struct {
	Color string `json:"color,omitempty" api:"enum=white|red,default=white,doc='The color of the light.'"`
}

// Print the manifest of a kind for kubectl apply. The manifest does not contain the hook, which
// Manifest reports as a loss.
func ExampleManifest() {
	lamps := rest.Resource[Lamp]{Group: "home.example.com", Version: "v1", Plural: "lamps",
		Hooks: rest.Hooks[Lamp]{Validate: func(context.Context, *Lamp, *Lamp) (status.FieldErrors, error) {
			return nil, nil
		}}}
	yaml, losses, err := crd.Manifest(lamps)
	if err != nil {
		log.Fatal(err)
	}
	for _, loss := range losses {
		fmt.Println("#", loss)
	}
	fmt.Print(string(yaml))
	// Output:
	// # v1: Hooks.Validate: only the rules of the schema apply
	// apiVersion: apiextensions.k8s.io/v1
	// kind: CustomResourceDefinition
	// metadata:
	//   name: lamps.home.example.com
	// spec:
	//   conversion:
	//     strategy: None
	//   group: home.example.com
	//   names:
	//     kind: Lamp
	//     listKind: LampList
	//     plural: lamps
	//     singular: lamp
	//   scope: Namespaced
	//   versions:
	//   - name: v1
	//     schema:
	//       openAPIV3Schema:
	//         properties:
	//           apiVersion:
	//             description: 'APIVersion defines the version in which the object is written:
	//               group and version, or the version alone for the core group.'
	//             type: string
	//           kind:
	//             description: The kind of the object, in CamelCase. It is the kind that
	//               the endpoint serves, and cannot change.
	//             type: string
	//           metadata:
	//             type: object
	//           spec:
	//             properties:
	//               color:
	//                 default: white
	//                 description: The color of the light.
	//                 enum:
	//                 - white
	//                 - red
	//                 type: string
	//             type: object
	//         required:
	//         - spec
	//         type: object
	//     served: true
	//     storage: true
}

// Serve a kind that the program was not compiled with. Here the program itself creates the definition; kubectl apply
// does the same.
func ExampleDefinitions() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{})}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}

	definitions, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = definitions.Create(ctx, &apiextensions.CustomResourceDefinition{
		ObjectMeta: apimeta.ObjectMeta{Name: "bells.example.org"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.org", Scope: apiextensions.ClusterScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "bells", Kind: "Bell"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensions.JSONSchemaProps{"tone": {Type: "string",
						Default: &apiextensions.JSON{Raw: []byte(`"a"`)}}},
				}}}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range definitions.Follow(ctx, rest.WatchOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Object.Is(apiextensions.Established) {
			break
		}
	}

	bells, err := rest.ClientForResource[apimeta.Document](api,
		apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "bells"})
	if err != nil {
		log.Fatal(err)
	}
	bell, err := bells.Create(ctx, &apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: "first"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bell.Kind, bell.Name, bell.Content["tone"])
	// Output: Bell first a
}
