// Package program holds what the executable of this module does under each of its names. As kube-apiserver and etcd it
// takes the place of the two programs that controller-runtime's envtest starts. Under any other name it serves the API
// for people.
package program
