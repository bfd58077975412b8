package schema_test

import (
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
)

func ExampleDerive() {
	type Site struct {
		Host  string   `json:"host" api:"pattern='^[a-z.]+$'"`
		Tier  string   `json:"tier,omitempty" api:"enum=free|paid,default=free"`
		Paths []string `json:"paths,omitempty" api:"list=set,items.maxLength=5"`
	}
	s, err := schema.Derive(reflect.TypeFor[Site](), schema.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, _, _ := codec.DecodeJSON([]byte(`{"host":"A","paths":["/","/","/longer"],"colour":"red"}`))
	v, unknown := s.Prune(v)
	fmt.Println("unknown:", unknown)
	v = s.Default(v)
	fmt.Println(string(codec.AppendJSON(nil, v)))
	for _, e := range s.Validate(nil, v) {
		fmt.Println(e)
	}
	// Output:
	// unknown: [colour]
	// {"host":"A","paths":["/","/","/longer"],"tier":"free"}
	// host: Invalid value: "A": host in body should match '^[a-z.]+$'
	// paths[2]: Too long: may not be more than 5 bytes
	// paths[1]: Duplicate value: "/"
}
