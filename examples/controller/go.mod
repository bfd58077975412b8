module github.com/decorum-go/decorum/examples/controller

go 1.26.0

replace github.com/decorum-go/decorum => ../..

require (
	github.com/decorum-go/decorum v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
	sigs.k8s.io/controller-runtime v0.25.2
)
