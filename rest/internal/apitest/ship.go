package apitest

import "fmt"

// ShipDefinition returns the CustomResourceDefinition of the kind Ship as a manifest. sails is the schema of spec.sails
// in YAML, such as {type: integer}.
func ShipDefinition(sails string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ships, kind: Ship}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {sails: %s}}}}}
`, sails)
}
