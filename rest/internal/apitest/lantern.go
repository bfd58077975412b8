package apitest

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// LanternSchema is the schema of the kind Lantern of these tests.
const LanternSchema = `{"type":"object","properties":{
	"spec":{"type":"object","required":["watts"],"properties":{
		"watts":{"type":"integer","minimum":1},
		"color":{"type":"string","enum":["white","red"],"default":"white"},
		"serial":{"type":"integer"}}},
	"status":{"type":"object","properties":{"lit":{"type":"boolean"}}}}}`

// Lanterns declares a kind by its schema.
func Lanterns(change ...func(*rest.Resource[apimeta.Document])) rest.Resource[apimeta.Document] {
	r := rest.Resource[apimeta.Document]{Group: "home.example.com", Version: "v1", Plural: "lanterns",
		Names: rest.Names{Kind: "Lantern"}, Schema: rest.Schema{OpenAPI: []byte(LanternSchema), Status: true}}
	for _, f := range change {
		f(&r)
	}
	return r
}

// LanternsPath is the path of the Lanterns in namespace default.
const LanternsPath = "/apis/home.example.com/v1/namespaces/default/lanterns"
