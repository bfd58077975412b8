package crd_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
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
		Hooks: rest.Hooks[Lamp]{Validate: func(context.Context, *Lamp, *Lamp) status.FieldErrors { return nil }}}
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
	//             description: 'The version in which the object is written: group and version,
	//               or the version alone for the core group.'
	//             type: string
	//           kind:
	//             description: The kind of the object, in CamelCase. The server infers it
	//               from the endpoint. It cannot change.
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
