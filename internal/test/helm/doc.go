// Package helm runs helm, in the version that go.mod pins as a tool, against the API of k8s/kubeapi.
package helm
